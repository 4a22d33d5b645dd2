package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// image is the container's file system: the machine's own programs and libraries, and everything else fresh.
type image string

// in is where a path of the container lies on the stage.
func (i image) in(path string) string { return filepath.Join(string(i), path) }

// imageParent is where the image is built: covered by a tmpfs of the stage's own mount namespace, it ends with that.
const imageParent = "/tmp"

// openImage builds the image around the confit program. The program is opened first, as it may lie below imageParent.
func openImage(confit string) (image, error) {
	program, err := os.ReadFile(confit)
	if err != nil {
		return "", fmt.Errorf("cannot read confit: %w", err)
	}
	if err := mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE); err != nil {
		return "", err
	}
	if err := mount("tmpfs", imageParent, "tmpfs", 0); err != nil {
		return "", err
	}
	i := image(filepath.Join(imageParent, "image"))
	return i, errors.Join(i.directories(), i.system(), i.devices(), i.copies(), i.install(program))
}

// directories are those that an nginx image has, and /confit/web, where a pod would mount the volume.
func (i image) directories() error {
	var wrong []error
	for _, path := range []string{
		"/confit/web", "/dev", "/etc/confit", "/etc/nginx", "/proc", "/run", "/tmp", "/usr",
		"/var/cache/nginx", "/var/lib/nginx", "/var/log/nginx",
	} {
		wrong = append(wrong, os.MkdirAll(i.in(path), 0o755))
	}
	return errors.Join(append(wrong, os.Symlink("/run", i.in("/var/run")))...)
}

// system is the machine's /usr and, beside it, what links into it on a merged /usr and is a directory on another one.
func (i image) system() error {
	wrong := []error{mount("/usr", i.in("/usr"), "", unix.MS_BIND|unix.MS_REC)}
	for _, path := range []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"} {
		if to, err := os.Readlink(path); err == nil {
			wrong = append(wrong, os.Symlink(to, i.in(path)))
		} else if !errors.Is(err, fs.ErrNotExist) {
			wrong = append(wrong, os.Mkdir(i.in(path), 0o755), mount(path, i.in(path), "", unix.MS_BIND|unix.MS_REC))
		}
	}
	return errors.Join(wrong...)
}

func (i image) devices() error {
	var wrong []error
	for _, path := range []string{"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"} {
		wrong = append(wrong, os.WriteFile(i.in(path), nil, 0o666), mount(path, i.in(path), "", unix.MS_BIND))
	}
	return errors.Join(wrong...)
}

// copies are the few files of /etc that nginx and its libraries look into, as far as the machine has them.
func (i image) copies() error {
	for _, path := range []string{"/etc/passwd", "/etc/group", "/etc/ld.so.cache"} {
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(i.in(path), data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// install puts confit and its links file where the image of a container would have them.
func (i image) install(confit []byte) error {
	if err := mount("tmpfs", i.in("/usr/local"), "tmpfs", 0); err != nil {
		return err
	}
	return errors.Join(
		os.Mkdir(i.in("/usr/local/bin"), 0o755),
		os.WriteFile(i.in("/usr/local/bin/confit"), confit, 0o755),
		os.WriteFile(i.in("/etc/confit/links"), []byte(links), 0o644))
}

func mount(source, target, kind string, flags uintptr) error {
	options := ""
	if kind == "tmpfs" {
		options = "mode=0755"
	}
	if err := unix.Mount(source, target, kind, flags, options); err != nil {
		return fmt.Errorf("cannot mount %q on %q: %w", source, target, err)
	}
	return nil
}
