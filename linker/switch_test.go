package linker

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
	"confit/linker/files"
)

// readOnly makes a directory a read-only mount, or writable again.
func (h *fixture) readOnly(dir string, only bool) {
	h.Helper()
	flags := uintptr(unix.MS_BIND | unix.MS_REMOUNT)
	if only {
		flags |= unix.MS_RDONLY
	}
	h.must(unix.Mount("", h.path(dir), "", flags, ""))
}

// ownMount makes a directory a mount point.
func (h *fixture) ownMount(dir string) {
	h.Helper()
	h.must(errors.Join(os.MkdirAll(h.path(dir), 0o755), unix.Mount(h.path(dir), h.path(dir), "", unix.MS_BIND, "")))
	h.Cleanup(func() { _ = unix.Unmount(h.path(dir), unix.MNT_DETACH) })
}

// TestPublishThatCannotBe changes nothing: an edit that drops one key, whose link
// covers the image's file, and adds another whose link can't be made, leaves the
// first link as it is, however often it is tried; and the image's file is back once
// the edit can be applied.
func TestPublishThatCannotBe(t *testing.T) {
	for name, full := range map[string]func(t *testing.T, h *fixture) (restored func()){
		"EROFS": func(_ *testing.T, h *fixture) func() {
			h.ownMount("etc/new")
			h.readOnly("etc/new", true)
			return func() { h.readOnly("etc/new", false) }
		},
		"ENOSPC": func(t *testing.T, h *fixture) func() {
			h.must(os.MkdirAll(h.path("etc/new"), 0o755))
			testfs.Mount(t, "tmpfs", h.path("etc/new"), "tmpfs", "nr_inodes=1")
			return func() { h.must(unix.Mount("", h.path("etc/new"), "", unix.MS_REMOUNT, "nr_inodes=9")) }
		},
		"in the way": func(_ *testing.T, h *fixture) func() {
			h.put(h.path("etc/new/z/full"), "in the way")
			return func() { h.must(os.RemoveAll(h.path("etc/new"))) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, "web/y y optional", "web/z new/z optional")
			h.put(h.path("etc/y"), "image")
			h.write("web", "y", "y1")
			h.open().adopt()
			restored := full(t, h)
			before, err := os.Lstat(h.path("etc/y"))
			h.must(err)
			h.write("web", "z", "z1")
			for range 3 {
				_, err := h.tryStage()
				if err == nil {
					err = h.linker.Publish(h.candidate.Number, false)
				}
				if err == nil || !strings.Contains(err.Error(), "cannot link target \""+h.path("etc/new/z")) {
					t.Fatalf("published: %v", err)
				}
				h.seen = "" // as its candidate could not be published
				if now, err := os.Lstat(h.path("etc/y")); err != nil || !os.SameFile(before, now) {
					t.Error("the link of the accepted generation was touched")
				}
				h.must(h.goBack())
				h.reads("y", "y1", files.KeptPrefix+"y", "image", files.ReplacedPrefix+"y", absent)
			}
			restored()
			h.adopt()
			h.reads("y", "image", "new/z", "z1", files.KeptPrefix+"y", absent, files.ReplacedPrefix+"y", absent)
		})
	}
}

// TestWayBackThatCannotBe: a roll back whose link can't be made is restored later, and
// the image's file is the image's all the time.
func TestWayBackThatCannotBe(t *testing.T) {
	h := newFixture(t, "web/y conf/y optional", "web/a a")
	h.ownMount("etc/conf")
	h.put(h.path("etc/conf/y"), "image")
	h.write("web", "y", "y1", "a", "a1")
	h.open().adopt()
	h.write("web", "a", "a2")
	h.stage()
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.reads("conf/y", "image")
	h.readOnly("etc/conf", true)
	done, err := h.linker.GoBack(h.note.Ladder.InForce().Number)
	if !done || err == nil {
		t.Fatalf("went back: %v", err)
	}
	h.readOnly("etc/conf", false)
	h.must(h.repair())
	h.reads("conf/y", "y1", "conf/"+files.KeptPrefix+"y", "image")
	h.write("web", "a", "a3")
	h.adopt()
	h.reads("conf/y", "image", "a", "a3", "conf/"+files.ReplacedPrefix+"y", absent)
}

// TestWhereOurLinkStood: what an app writes in a link's place is its own also where
// confit found the link when it came, as after a restart or --bake.
func TestWhereOurLinkStood(t *testing.T) {
	h := newFixture(t, "web/a a optional", "web/b b")
	h.write("web", "a", "a1", "b", "b1")
	h.open().adopt()
	h.restart().adopt()
	h.must(errors.Join(os.Remove(h.path("etc/a")), os.WriteFile(h.path("etc/a"), []byte("app"), 0o644)))
	h.must(h.repair())
	h.reads("a", "a1", files.ReplacedPrefix+"a", "app", files.KeptPrefix+"a", absent)
	h.write("web", "b", "b1")
	h.adopt()
	h.reads("a", absent)
}

// TestNamesOfConfit: a target can't have a name under which confit keeps what it
// covers, or makes a link ready.
func TestNamesOfConfit(t *testing.T) {
	for _, prefix := range []string{files.KeptPrefix, files.ReplacedPrefix, files.TmpPrefix} {
		for link, key := range map[string]string{"web/ web/": prefix + "z", "web/* web/": prefix + "z", "web/ d/": "sub/" + prefix + "z"} {
			h := newFixture(t, link)
			h.plain("web", "z", "z1", key, "x")
			h.open()
			h.invalid(`key "web/`+key+`"`, "rename the key")
		}
		_, err := Check(newFixture(t, "web/z "+prefix+"z").config)
		if err == nil || !strings.Contains(err.Error(), "write another path") {
			t.Errorf("%s is a target: %v", prefix, err)
		}
	}
}

// TestLongNames: what stands at a target of any length is kept, and comes back.
func TestLongNames(t *testing.T) {
	for _, n := range []int{200, 238, 239, 242, 243, 250, 255} {
		name := strings.Repeat("é", n/2) + strings.Repeat("x", n%2)
		h := newFixture(t, "web/a "+name+" optional", "web/b b")
		h.put(h.path("etc", name), "image")
		h.write("web", "a", "a1", "b", "b1")
		h.open().adopt()
		h.must(errors.Join(os.Remove(h.path("etc", name)), os.WriteFile(h.path("etc", name), []byte("app"), 0o644)))
		h.must(h.repair())
		h.reads(name, "a1")
		h.write("web", "b", "b2")
		h.restart().adopt()
		h.reads(name, "image", "b", "b2")
	}
}

// TestPruneLeavesAlone: what is no longer confit's link when its key goes is
// left alone; that is said, and the target forgotten.
func TestPruneLeavesAlone(t *testing.T) {
	h := newFixture(t, "web/ web/")
	h.write("web", "a", "a1", "b", "b1")
	h.open()
	h.adopt()
	h.write("web", "a", "a1")
	h.stage()
	h.must(os.Remove(h.path("etc/web/b")))
	h.must(os.WriteFile(h.path("etc/web/b"), []byte("app"), 0o644))
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.reads("web/b", "app")
	if n := strings.Count(h.said.String(), `msg="target left alone" target=`+h.path("etc/web/b")); n != 1 {
		t.Errorf("said %d times: %s", n, h.said.String())
	}
	if _, still := h.linker.targets.Made()[Target(h.path("etc/web/b"))]; still {
		t.Error("it is not forgotten")
	}
}

// TestPublishPlansAnew: a link that was replaced between staging and publishing
// is made again, so that no target stays behind.
func TestPublishPlansAnew(t *testing.T) {
	h := newFixture(t, "web/ web/")
	h.write("web", "a", "a1", "b", "b1")
	h.open()
	h.adopt()
	h.write("web", "a", "a2", "b", "b2")
	h.stage()
	h.must(os.Remove(h.path("etc/web/b")))
	h.must(os.WriteFile(h.path("etc/web/b"), []byte("app"), 0o644))
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.reads("web/a", "a2", "web/b", "b2", "web/"+files.ReplacedPrefix+"b", "app")
}
