package linker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestStageKeyThatGrows: what was small when it was looked at isn't read, or
// copied, beyond the limit.
func TestStageKeyThatGrows(t *testing.T) {
	h := newHouse(t, "plain/a a", "plain/b b")
	dir := h.plain("plain", "a", "one", "b", "two")
	h.open()
	r, err := h.linker.look()
	h.must(err)
	defer r.close()
	h.must(os.Truncate(filepath.Join(dir, "b"), 1<<40))
	var bad *Invalid
	if _, err := h.linker.read(r); !errors.As(err, &bad) || !strings.Contains(err.Error(), `more than 64 MiB, with key "b"`) {
		t.Errorf("read: %v", err)
	}
	h.must(os.Truncate(filepath.Join(dir, "b"), 3))
	g, err := h.linker.read(r)
	h.must(err)
	h.must(os.Truncate(filepath.Join(dir, "b"), 1<<40))
	if err := h.linker.write(g, r); !errors.Is(err, errMoved) {
		t.Errorf("written: %v", err)
	}
	h.invalid("more than 64 MiB", `key "b"`, "direct")
}

// TestStageDirectKeyThatGrows: one that is larger than the limit is read to the
// size that it had, so one that grows without end is given up.
func TestStageDirectKeyThatGrows(t *testing.T) {
	h := newHouse(t, "plain/a a direct")
	a := filepath.Join(h.plain("plain", "a", "one"), "a")
	h.open()
	h.linker.sizeLimit = 10
	h.must(os.Truncate(a, 1000))
	h.adopt()
	h.must(os.Truncate(a, 2000))
	r, err := h.linker.look()
	h.must(err)
	defer r.close()
	h.must(os.Truncate(a, 1<<40))
	if _, err := h.linker.read(r); !errors.Is(err, errMoved) {
		t.Errorf("read: %v", err)
	}
}

// TestStageSizesThatOverflow: the sum of sizes is none.
func TestStageSizesThatOverflow(t *testing.T) {
	h := newHouse(t, "plain/a a", "plain/b b")
	dir := h.plain("plain", "a", "one", "b", "two")
	for _, name := range []string{"a", "b"} {
		h.must(os.Truncate(filepath.Join(dir, name), 1<<43))
	}
	h.open()
	h.invalid("more than 64 MiB", `key "a"`)
}

// TestStageFileWithoutSize: files of proc(5) have the size 0 and bytes all the
// same, those of sysfs fewer than their size; both are read to their end.
func TestStageFileWithoutSize(t *testing.T) {
	h := newHouse(t, "x proc", "x sys")
	h.config.Links[0].Source, h.config.Links[1].Source = "/proc/sys/kernel/ostype", "/sys/kernel/mm/transparent_hugepage/enabled"
	want, err := os.ReadFile(h.config.Links[1].Source)
	h.must(err)
	h.open()
	h.adopt()
	h.reads("proc", "Linux\n", "sys", string(want))
}

// ownMounts gives the test's thread a mount namespace of its own.
func ownMounts(t *testing.T) {
	t.Helper()
	runtime.LockOSThread() // for ever: the thread ends with the test
	err := errors.Join(unix.Unshare(unix.CLONE_NEWNS|unix.CLONE_FS), unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	if err != nil {
		t.Fatal(err)
	}
}

// mount makes a directory of the house and mounts something on it.
func (h *house) mount(kind, options string, elements ...string) string {
	h.Helper()
	dir := h.path(elements...)
	h.must(os.MkdirAll(dir, 0o755))
	if err := unix.Mount(kind, dir, kind, 0, options); err != nil {
		h.Fatalf("cannot mount %s on %q: %v", kind, dir, err)
	}
	h.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// onDisk opens the house so that nothing in memory may be copied.
func (h *house) onDisk() *house {
	h.Helper()
	h.config.AllowDisk = false
	h.open()
	if h.linker.state.memory {
		h.Fatal("the temporary directory is memory-backed: this test needs a disk")
	}
	return h
}

// refusedOnDisk stages what must not get to the disk: the error names where it
// is mounted, nothing was copied, and with the flag it goes.
func (h *house) refusedOnDisk(where string) {
	h.Helper()
	_, err := h.linker.Stage()
	var onDisk *onDiskError
	if !errors.As(err, &onDisk) || onDisk.volume != where {
		h.Fatalf("error %v (%T), want that %q is in memory", err, err, where)
	}
	if left, _ := os.ReadDir(h.path("state/generations")); len(left) > 0 || h.linker.state.next != 1 {
		h.Errorf("generations: %v, the next is %d", left, h.linker.state.next)
	}
	h.linker.allowDisk = true
	h.adopt()
}

// TestMemoryBelowPlain: a Secret that is mounted below a directory on a disk.
func TestMemoryBelowPlain(t *testing.T) {
	for _, link := range []string{"web/ web/", "web/*/tls.crt certs/", "web/ whole"} {
		h := newHouse(t, link)
		ownMounts(t)
		h.plain("web", "a.conf", "a", "sub/tls.crt", "harmless")
		tls := h.mount("tmpfs", "", "volumes/web/tls")
		h.write("web/tls", "tls.crt", "secret", "deep/key", "secret")
		h.onDisk().refusedOnDisk(tls)
	}
}

// TestMemoryOfOneFile: a single file can be mounted, too.
func TestMemoryOfOneFile(t *testing.T) {
	h := newHouse(t, "web/a a", "web/b b")
	ownMounts(t)
	dir := h.plain("web", "a", "a", "b", "")
	h.put(filepath.Join(h.mount("ramfs", "", "elsewhere"), "b"), "secret")
	h.must(unix.Mount(h.path("elsewhere/b"), filepath.Join(dir, "b"), "", unix.MS_BIND, ""))
	h.Cleanup(func() { _ = unix.Unmount(filepath.Join(dir, "b"), unix.MNT_DETACH) })
	h.onDisk().refusedOnDisk(filepath.Join(dir, "b"))
}

// TestMemoryBehindData: a volume on a disk whose state is on another file
// system.
func TestMemoryBehindData(t *testing.T) {
	h := newHouse(t, "web/a a")
	ownMounts(t)
	h.must(os.Symlink("..1", filepath.Join(h.plain("web"), dataLink)))
	h.put(filepath.Join(h.mount("tmpfs", "", "volumes/web/..1"), "a"), "secret")
	h.onDisk().refusedOnDisk(h.path("volumes/web"))
}

// TestMemoryBehindALink: to a directory of the volume, where something else is
// mounted.
func TestMemoryBehindALink(t *testing.T) {
	h := newHouse(t, "web/sub/key key")
	ownMounts(t)
	h.must(os.Symlink("..hidden/deep", filepath.Join(h.plain("web"), "sub")))
	hidden := h.mount("tmpfs", "", "volumes/web/..hidden")
	h.put(filepath.Join(hidden, "deep/key"), "secret")
	h.onDisk().refusedOnDisk(hidden)
}

// TestMemoryOverlay: overlayfs, also one whose files and directories have
// different devices, counts as a disk, even on tmpfs, and hides no Secret.
func TestMemoryOverlay(t *testing.T) {
	for name, kinds := range map[string][2]string{"of one file system": {"", ""}, "of two": {"", "tmpfs"}, "in memory": {"tmpfs", "tmpfs"}} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, "web/ web/")
			ownMounts(t)
			for i, kind := range kinds {
				if dir := []string{"lower", "upper"}[i]; kind != "" {
					h.mount(kind, "", dir)
				}
			}
			h.put(h.path("lower/a"), "a")
			h.put(h.path("upper/up/b"), "b")
			h.must(os.Mkdir(h.path("upper/work"), 0o755))
			web := h.mount("overlay", "xino=off,lowerdir="+h.path("lower")+",upperdir="+h.path("upper/up")+",workdir="+h.path("upper/work"), "volumes/web")
			h.onDisk().adopt()
			h.reads("web/a", "a", "web/b", "b")
			h.put(filepath.Join(h.mount("tmpfs", "", "volumes/web/tls"), "key"), "secret")
			_, err := h.linker.Stage()
			var onDisk *onDiskError
			if !errors.As(err, &onDisk) || onDisk.volume != filepath.Join(web, "tls") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestMemoryDirect: a direct key isn't copied, so it may be anywhere.
func TestMemoryDirect(t *testing.T) {
	h := newHouse(t, "web/a a", "web/tls/key key direct")
	ownMounts(t)
	h.plain("web", "a", "a")
	h.put(filepath.Join(h.mount("tmpfs", "", "volumes/web/tls"), "key"), "secret")
	h.onDisk().adopt()
	h.reads("a", "a", "key", "secret")
}

// TestStageInTheSameTick: a file that is written to twice in one tick of the
// kernel's clock, with as many bytes, looks the same after both. ramfs has no
// finer times on any kernel.
func TestStageInTheSameTick(t *testing.T) {
	h := newHouse(t, "web/a a")
	ownMounts(t)
	a := filepath.Join(h.mount("ramfs", "", "volumes/web"), "a")
	h.put(a, "text 000 first")
	h.open()
	h.adopt()
	for n := range 100 {
		first, last := fmt.Sprintf("text %03d first", n), fmt.Sprintf("text %03d last!", n)
		h.put(a, first)
		for _, text := range []string{first, last} {
			h.put(a, text)
			if _, err := h.linker.Stage(); err == nil {
				h.must(h.linker.Publish())
				h.linker.Accept(false)
			} else if !errors.Is(err, ErrUnchanged) {
				t.Fatal(err)
			}
			h.reads("a", text)
		}
	}
}
