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

	"confit/linker/files"
	"confit/linker/lines"
)

func TestVolumeTornDown(t *testing.T) {
	h := newFixture(t, "web/a a optional", "web/*.conf conf.d/ optional", "tls/c c")
	h.write("web", "a", "one", "b.conf", "b")
	h.write("tls", "c", "c")
	h.open()
	h.adopt()
	entries, err := os.ReadDir(h.path("volumes/web"))
	h.must(err)
	for _, e := range entries {
		h.must(os.RemoveAll(h.path("volumes/web", e.Name())))
	}
	h.invalid("lost its ..data link")
	h.reads("a", "one", "conf.d/b.conf", "b")
	h.write("web", "a", "two")
	h.adopt()
	h.reads("a", "two", "conf.d/b.conf", absent)
}

func TestVolumeDataLinkLeadsOut(t *testing.T) {
	for _, to := range []string{"/etc", "..", "../..", "nothing", "../web/x"} {
		h := newFixture(t, "web/a a")
		h.write("web", "a", "one")
		h.open()
		h.adopt()
		h.must(os.Symlink(to, h.path("volumes/web/tmp")))
		h.must(os.Rename(h.path("volumes/web/tmp"), h.path("volumes/web/..data")))
		h.invalid("..data link", h.path("volumes/web"))
		h.reads("a", "one")
	}
}

func TestVolumeReplaced(t *testing.T) {
	h := newFixture(t, "web/a a")
	h.write("web", "a", "one")
	h.open()
	h.adopt()
	h.must(os.Rename(h.path("volumes/web"), h.path("volumes/old")))
	h.write("web", "a", "two")
	h.adopt()
	h.reads("a", "two")
	h.write("web", "a", "three")
	<-h.linker.Hints() // the new directory is watched, too
	h.adopt()
	h.reads("a", "three")
}

func TestVolumePlain(t *testing.T) {
	h := newFixture(t, "plain/a a", "plain/*.conf conf.d/ optional")
	h.must(os.MkdirAll(h.path("volumes/plain"), 0o755))
	h.must(os.WriteFile(h.path("volumes/plain/a"), []byte("one"), 0o644))
	h.open()
	if c := h.adopt(); c.Writing != FileByFile {
		t.Error("a plain volume counts as one whose swap is a whole change")
	}
	h.must(os.WriteFile(h.path("volumes/plain/a"), []byte("two"), 0o644))
	h.must(os.WriteFile(h.path("volumes/plain/x.conf"), []byte("x"), 0o644))
	<-h.linker.Hints()
	h.adopt()
	h.reads("a", "two", "conf.d/x.conf", "x")
	h.must(os.WriteFile(h.path("volumes/plain/unlinked"), []byte("no key"), 0o644))
	c, err := h.tryStage() // maybe after a look at the bytes: the keys have only just been written
	if !errors.Is(err, ErrUnchanged) && (err != nil || len(c.Changes) > 0) {
		t.Errorf("a file that isn't linked is a change: %s, %v", changed(c), err)
	}
}

func TestSecretsStayInMemory(t *testing.T) {
	h := newFixture(t, "web/direct direct direct", "web/a a")
	h.must(os.MkdirAll(h.path("volumes/web"), 0o755))
	if err := unix.Mount("tmpfs", h.path("volumes/web"), "tmpfs", 0, ""); err != nil {
		t.Fatalf("cannot mount a tmpfs, which a Secret is: %v", err)
	}
	defer func() { h.must(unix.Unmount(h.path("volumes/web"), 0)) }()
	h.write("web", "a", "secret", "direct", "x")
	h.config.AllowDisk = false
	h.open()
	if files.OnMemory(h.path("state")) {
		t.Fatal("the temporary directory is memory-backed: this test needs a disk")
	}
	_, err := h.tryStage()
	if err == nil || !strings.Contains(err.Error(), "medium: Memory") || !strings.Contains(err.Error(), "--allow-disk") {
		t.Errorf("a secret on disk: %v", err)
	}
	h.linker.reader.AllowDisk = true
	h.adopt()
	h.reads("a", "secret")
}

// No test runs on the main thread, whose mounts /proc/self/mountinfo has.
func init() { runtime.LockOSThread() }

// ownMounts gives the test's thread a mount namespace of its own.
func ownMounts(t *testing.T) {
	t.Helper()
	runtime.LockOSThread() // for ever: the thread ends with the test
	err := errors.Join(unix.Unshare(unix.CLONE_NEWNS|unix.CLONE_FS), unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	if err != nil {
		t.Fatal(err)
	}
}

// mount makes a directory of the fixture and mounts something on it.
func (h *fixture) mount(kind, options string, elements ...string) string {
	h.Helper()
	dir := h.path(elements...)
	h.must(os.MkdirAll(dir, 0o755))
	if err := unix.Mount(kind, dir, kind, 0, options); err != nil {
		h.Fatalf("cannot mount %s on %q: %v", kind, dir, err)
	}
	h.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// onDisk opens the fixture so that nothing in memory may be copied.
func (h *fixture) onDisk() *fixture {
	h.Helper()
	h.config.AllowDisk = false
	h.open()
	if h.linker.state.Memory {
		h.Fatal("the temporary directory is memory-backed: this test needs a disk")
	}
	return h
}

// refusedOnDisk stages what must not get to the disk: the error names where it
// is mounted, nothing was copied, and with the flag it goes.
func (h *fixture) refusedOnDisk(where string) {
	h.Helper()
	_, err := h.tryStage()
	if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("cannot stage volume %q on disk: ", where)) {
		h.Fatalf("error %v (%T), want that %q is in memory", err, err, where)
	}
	if left, _ := os.ReadDir(h.path("state/generations")); len(left) > 0 || h.linker.state.Next != 1 {
		h.Errorf("generations: %v, the next is %d", left, h.linker.state.Next)
	}
	h.linker.reader.AllowDisk = true
	h.adopt()
}

// TestMemoryBelowPlain: a Secret that is mounted below a directory on a disk.
func TestMemoryBelowPlain(t *testing.T) {
	for _, link := range []string{"web/ web/", "web/*/tls.crt certs/", "web/ whole"} {
		h := newFixture(t, link)
		ownMounts(t)
		h.plain("web", "a.conf", "a", "sub/tls.crt", "harmless")
		tls := h.mount("tmpfs", "", "volumes/web/tls")
		h.write("web/tls", "tls.crt", "secret", "deep/key", "secret")
		h.onDisk().refusedOnDisk(tls)
	}
}

// TestMemoryOfOneFile: a single file can be mounted, too.
func TestMemoryOfOneFile(t *testing.T) {
	h := newFixture(t, "web/a a", "web/b b")
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
	h := newFixture(t, "web/a a")
	ownMounts(t)
	h.must(os.Symlink("..1", filepath.Join(h.plain("web"), lines.DataLink)))
	h.put(filepath.Join(h.mount("tmpfs", "", "volumes/web/..1"), "a"), "secret")
	h.onDisk().refusedOnDisk(h.path("volumes/web"))
}

// TestMemoryBehindALink: to a directory of the volume, where something else is
// mounted.
func TestMemoryBehindALink(t *testing.T) {
	h := newFixture(t, "web/sub/key key")
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
			h := newFixture(t, "web/ web/")
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
			_, err := h.tryStage()
			if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("cannot stage volume %q on disk: ", filepath.Join(web, "tls"))) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestMemoryDirect: a direct key isn't copied, so it may be anywhere.
func TestMemoryDirect(t *testing.T) {
	h := newFixture(t, "web/a a", "web/tls/key key direct")
	ownMounts(t)
	h.plain("web", "a", "a")
	h.put(filepath.Join(h.mount("tmpfs", "", "volumes/web/tls"), "key"), "secret")
	h.onDisk().adopt()
	h.reads("a", "a", "key", "secret")
}

// TestVolumeDataNotFollowed: the error has the system's reason, whatever that is.
func TestVolumeDataNotFollowed(t *testing.T) {
	for to, reason := range map[string]string{"..none": "no such file or directory", "file": "not a directory"} {
		h := newFixture(t, "web/a a")
		h.put(h.path("volumes/web/file"), "")
		h.must(os.Symlink(to, h.path("volumes/web/..data")))
		h.open()
		h.invalid("cannot follow its ..data link: " + reason)
	}
}
