package linker

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestRejectTakesBack(t *testing.T) {
	h := newHouse(t, "web/ web/")
	h.write("web", "a", "a1", "b", "b1")
	h.must(os.MkdirAll(h.path("etc/web"), 0o755))
	h.must(os.WriteFile(h.path("etc/web/c"), []byte("image"), 0o644))
	h.open()
	h.adopt()
	h.write("web", "a", "a2", "c", "c2")
	bad := h.stage()
	h.must(h.linker.Publish())
	h.reads("web/a", "a2", "web/b", absent, "web/c", "c2")
	h.must(h.linker.Reject())
	h.reads("web/a", "a1", "web/b", "b1", "web/c", "image")
	if _, err := os.Stat(bad.Dir); err == nil {
		t.Error("the rejected generation is still there")
	}
	if _, err := h.linker.Stage(); !errors.Is(err, ErrUnchanged) {
		t.Errorf("staged again without a change: %v", err)
	}
	h.noLeftovers()
}

func TestRejectTheFirst(t *testing.T) {
	h := newHouse(t, "web/a a", "web/b new/b")
	h.write("web", "a", "a1", "b", "b1")
	h.must(os.MkdirAll(h.path("etc"), 0o755))
	h.must(os.WriteFile(h.path("etc/a"), []byte("image"), 0o644))
	h.open()
	h.stage()
	h.must(h.linker.Publish())
	h.reads("a", "a1", "new/b", "b1")
	h.must(h.linker.Reject())
	h.reads("a", "image", "new/b", absent)
	if _, err := os.Lstat(h.path("state/live")); err == nil {
		t.Error("the live link is still there")
	}
	h.noLeftovers()
}

func TestPublishOnlyTheNewest(t *testing.T) {
	h := newHouse(t, "web/a a")
	h.write("web", "a", "one")
	h.open()
	h.adopt()
	h.write("web", "a", "two")
	h.stage()
	h.write("web", "a", "three")
	if err := h.linker.Publish(); !errors.Is(err, ErrSuperseded) {
		t.Fatalf("published what is no longer mounted: %v", err)
	}
	h.reads("a", "one")
	h.adopt()
	h.reads("a", "three")
}

// TestRestartOnTheSameState starts a second linker where a killed one left
// off, at each point where it may have been.
func TestRestartOnTheSameState(t *testing.T) {
	stops := map[string]func(h *house){
		"staged":    func(h *house) { h.stage() },
		"published": func(h *house) { h.stage(); h.must(h.linker.Publish()) },
		"half way": func(h *house) {
			h.stage()
			steps := h.noted()
			h.must(h.linker.doSteps(steps, true))
		},
		"links not made": func(h *house) {
			c := h.stage()
			h.noted()
			h.must(h.linker.state.point(c.Number))
		},
	}
	for name, stop := range stops {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, "web/ web/")
			h.write("web", "a", "a1", "b", "b1")
			h.open()
			h.adopt()
			h.write("web", "a", "a2", "c", "c2")
			stop(h)
			h.close()
			h.must(os.MkdirAll(h.path("state/generations/99.tmp/web"), 0o755))
			h.must(os.Symlink("generations/1", h.path("state", tmpPrefix+"x")))
			h.must(os.Symlink(h.path("state/live/web/a"), h.path("etc/web", tmpPrefix+"y")))
			h.open()
			h.adopt()
			h.reads("web/a", "a2", "web/b", absent, "web/c", "c2")
			h.noLeftovers()
		})
	}
}

// noted plans what publishing the staged generation does, and writes it down.
func (h *house) noted() []step {
	h.Helper()
	steps, err := h.linker.planTargets(h.linker.staged.targets)
	h.must(errors.Join(err, h.linker.noteSteps(steps)))
	return steps
}

// noLeftovers holds that nothing temporary and no generation but the live one
// is left.
func (h *house) noLeftovers() {
	h.Helper()
	_ = filepath.WalkDir(h.dir, func(path string, d os.DirEntry, err error) error {
		if strings.HasPrefix(d.Name(), tmpPrefix) || strings.HasPrefix(d.Name(), keptPrefix) || strings.HasSuffix(d.Name(), ".tmp") {
			h.Errorf("left behind: %s", path)
		}
		return err
	})
	generations, err := os.ReadDir(h.path("state/generations"))
	h.must(err)
	if len(generations) > 1 {
		h.Errorf("generations left: %v", generations)
	}
}

func TestVolumeTornDown(t *testing.T) {
	h := newHouse(t, "web/a a optional", "web/*.conf conf.d/ optional", "tls/c c")
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
		h := newHouse(t, "web/a a")
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
	h := newHouse(t, "web/a a")
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
	h := newHouse(t, "plain/a a", "plain/*.conf conf.d/ optional")
	h.must(os.MkdirAll(h.path("volumes/plain"), 0o755))
	h.must(os.WriteFile(h.path("volumes/plain/a"), []byte("one"), 0o644))
	h.open()
	if c := h.adopt(); c.Single {
		t.Error("a plain volume counts as one whose swap is a whole change")
	}
	h.must(os.WriteFile(h.path("volumes/plain/a"), []byte("two"), 0o644))
	h.must(os.WriteFile(h.path("volumes/plain/x.conf"), []byte("x"), 0o644))
	<-h.linker.Hints()
	h.adopt()
	h.reads("a", "two", "conf.d/x.conf", "x")
	h.must(os.WriteFile(h.path("volumes/plain/unlinked"), []byte("no key"), 0o644))
	c, err := h.linker.Stage() // maybe after a look at the bytes: the keys have only just been written
	if !errors.Is(err, ErrUnchanged) && (err != nil || len(c.Changes) > 0) {
		t.Errorf("a file that isn't linked is a change: %s, %v", changed(c), err)
	}
}

func TestStateLocked(t *testing.T) {
	h := newHouse(t, "web/a a").open()
	_, err := Open(h.config)
	if err == nil || !strings.Contains(err.Error(), "another confit") {
		t.Errorf("a second linker on the same state: %v", err)
	}
}

func TestStateNotTrusted(t *testing.T) {
	spoil := map[string]func(generations string) error{
		"symlink":    func(p string) error { return errors.Join(os.Remove(p), os.Symlink("/tmp", p)) },
		"user 12345": func(p string) error { return os.Chown(p, 12345, -1) },
		"others may": func(p string) error { return os.Chmod(p, 0o777) },
	}
	for words, f := range spoil {
		h := newHouse(t, "web/a a")
		h.must(os.MkdirAll(h.path("state/generations"), 0o755))
		h.must(f(h.path("state/generations")))
		if _, err := Open(h.config); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", words, err)
		}
	}
}

func TestStateTightened(t *testing.T) {
	h := newHouse(t, "web/a a")
	h.must(os.Mkdir(h.path("state"), 0o755))
	h.must(os.Chmod(h.path("state"), 0o777)) // as the kubelet makes an emptyDir
	h.open()
	if info, err := os.Stat(h.path("state")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("state directory is %v, %v", info.Mode(), err)
	}
}

func TestSecretsStayInMemory(t *testing.T) {
	h := newHouse(t, "web/direct direct direct", "web/a a")
	h.must(os.MkdirAll(h.path("volumes/web"), 0o755))
	if err := unix.Mount("tmpfs", h.path("volumes/web"), "tmpfs", 0, ""); err != nil {
		t.Fatalf("cannot mount a tmpfs, which a Secret is: %v", err)
	}
	defer func() { h.must(unix.Unmount(h.path("volumes/web"), 0)) }()
	h.write("web", "a", "secret", "direct", "x")
	h.config.AllowDisk = false
	h.open()
	if onMemory(h.path("state")) {
		t.Fatal("the temporary directory is memory-backed: this test needs a disk")
	}
	_, err := h.linker.Stage()
	if err == nil || !strings.Contains(err.Error(), "medium: Memory") || !strings.Contains(err.Error(), "--allow-disk") {
		t.Errorf("a secret on disk: %v", err)
	}
	h.linker.allowDisk = true
	h.adopt()
	h.reads("a", "secret")
}

// TestNoLinks: confit without links is a plain init, and still goes through the
// whole of a first transaction.
func TestNoLinks(t *testing.T) {
	h := newHouse(t).open()
	if c := h.adopt(); c.Number != 1 || len(c.Changes) > 0 {
		t.Errorf("candidate %+v", c)
	}
	if _, err := h.linker.Stage(); !errors.Is(err, ErrUnchanged) {
		t.Errorf("staged again: %v", err)
	}
}
