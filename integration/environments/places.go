package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// fileSystems are rows in which volume, targets' directory and state directory lie on one of them.
func fileSystems() []*environment {
	all := []*environment{
		onDisk("ext4", "mkfs.ext4", "-q", "-F"), onDisk("xfs", "mkfs.xfs", "-q"), onDisk("btrfs", "mkfs.btrfs", "-q"),
		{name: "files on overlayfs", setUp: overlay("mount", "-t", "overlay", "overlay")},
		{name: "files on fuse-overlayfs", needs: []string{"fuse-overlayfs"}, setUp: overlay("fuse-overlayfs")},
		{name: "a volume on squashfs", needs: []string{"mksquashfs"}, fixed: true, setUp: squashed},
	}
	for _, e := range all {
		e.needs = append(e.needs, "runc")
		e.run = byOCI("runc")
		e.skipMost()
	}
	return all
}

// skipMost leaves out what there can't be: edits of a volume that never changes, and all beyond a start that is refused.
func (e *environment) skipMost() {
	e.skips = map[string]string{}
	for _, s := range scenes[1:] {
		switch {
		case e.refused:
			e.skips[s.name] = "the start is refused, as it should be"
		case e.fixed && !s.ofInit:
			e.skips[s.name] = "the volume never changes"
		}
	}
}

// onDisk is a file system of a disk.
func onDisk(kind, program string, flags ...string) *environment {
	return &environment{name: "files on " + kind, needs: []string{program}, setUp: func(_ *environment, dir string) (string, func(), error) {
		image, place := filepath.Join(dir, "image"), filepath.Join(dir, "place")
		err := os.WriteFile(image, nil, 0o644)
		if err == nil {
			err = os.Truncate(image, 512<<20)
		}
		if err == nil {
			err = command(program, append(flags, image)...)
		}
		return mounted(err, place, "mount", "-o", "loop", "-t", kind, image, place)
	}}
}

// mounted makes a directory and mounts something there.
func mounted(err error, place string, mount ...string) (string, func(), error) {
	if err == nil {
		err = os.MkdirAll(place, 0o755)
	}
	if err == nil {
		err = command(mount[0], mount[1:]...)
	}
	return place, func() { _ = unix.Unmount(place, 0); _ = exec.Command("umount", "-l", place).Run() }, err
}

func overlay(mount ...string) func(*environment, string) (string, func(), error) {
	return func(_ *environment, dir string) (string, func(), error) {
		place := filepath.Join(dir, "place")
		var err error
		for _, name := range []string{"lower", "upper", "work", "place"} {
			if err == nil {
				err = os.MkdirAll(filepath.Join(dir, name), 0o755)
			}
		}
		options := fmt.Sprintf("lowerdir=%[1]s/lower,upperdir=%[1]s/upper,workdir=%[1]s/work", dir)
		return mounted(err, place, append(mount, "-o", options, place)...)
	}
}

// squashed is a place whose volume was written once.
func squashed(e *environment, dir string) (string, func(), error) {
	source, place, image := filepath.Join(dir, "source"), filepath.Join(dir, "place"), filepath.Join(dir, "image")
	err := os.MkdirAll(source, 0o755)
	if err == nil {
		err = os.MkdirAll(place, 0o755)
	}
	if err == nil {
		err = command(e.kubelet, source, "key=e1\n")
	}
	if err == nil {
		err = command("mksquashfs", source, image, "-quiet", "-no-progress")
	}
	_, end, err := mounted(err, filepath.Join(place, "web"), "mount", "-o", "loop", "-t", "squashfs", image, filepath.Join(place, "web"))
	return place, end, err
}

// emulated are rows of other machines' programs.
func emulated() []*environment {
	return []*environment{
		{name: "386", needs: []string{"runc"}, goarch: "386", run: byOCI("runc")},
		emulatedBy("arm64", "aarch64"), emulatedBy("s390x", "s390x"),
	}
}

// emulatedBy is a machine that qemu-user stands for. Without the flag P of binfmt_misc the program doesn't see by which name it was started.
func emulatedBy(goarch, machine string) *environment {
	const registry = "/proc/sys/fs/binfmt_misc/"
	return &environment{name: goarch + " (qemu-user)", goarch: goarch, needs: []string{"runc", "qemu-" + machine + "-static"}, run: byOCI("runc"),
		orphans: 50, patience: slow, setUp: func(_ *environment, _ string) (string, func(), error) {
			if _, err := os.Stat(registry + "register"); err != nil {
				if err := unix.Mount("binfmt_misc", registry, "binfmt_misc", 0, ""); err != nil {
					return "", nil, fmt.Errorf("cannot mount binfmt_misc: %w", err)
				}
			}
			text, err := os.ReadFile("/usr/lib/binfmt.d/qemu-" + machine + ".conf")
			fields := strings.Split(strings.TrimSpace(string(text)), ":")
			if err != nil || len(fields) != 8 { // :NAME:M:OFFSET:MAGIC:MASK:INTERPRETER:FLAGS
				return "", nil, fmt.Errorf("cannot read how %s is emulated: %q, %w", machine, text, err)
			}
			name := "confit-" + machine
			fields[1], fields[6], fields[7] = name, "/usr/bin/qemu-"+machine+"-static", "F"
			end := func() { _ = os.WriteFile(registry+name, []byte("-1"), 0) }
			end()
			return "", end, os.WriteFile(registry+"register", []byte(strings.Join(fields, ":")), 0)
		}}
}
