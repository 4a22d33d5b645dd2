package linker

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/linker/files"
)

func TestGoBackTakesBack(t *testing.T) {
	h := newFixture(t, "web/ web/")
	h.write("web", "a", "a1", "b", "b1")
	h.must(os.MkdirAll(h.path("etc/web"), 0o755))
	h.must(os.WriteFile(h.path("etc/web/c"), []byte("image"), 0o644))
	h.open()
	h.adopt()
	h.write("web", "a", "a2", "c", "c2")
	bad := h.stage()
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.reads("web/a", "a2", "web/b", absent, "web/c", "c2")
	h.must(h.goBack())
	h.reads("web/a", "a1", "web/b", "b1", "web/c", "image")
	if _, err := os.Stat(bad.Dir); err != nil {
		t.Errorf("before the app has read the accepted generation again, the rejected one isn't removed: %v", err)
	}
	h.collect()
	if _, err := os.Stat(bad.Dir); err == nil {
		t.Error("the rejected generation is still there")
	}
	if _, err := h.tryStage(); !errors.Is(err, ErrUnchanged) {
		t.Errorf("staged again without a change: %v", err)
	}
	h.noLeftovers()
}

func TestGoBackTheFirst(t *testing.T) {
	h := newFixture(t, "web/a a", "web/b new/b")
	h.write("web", "a", "a1", "b", "b1")
	h.must(os.MkdirAll(h.path("etc"), 0o755))
	h.must(os.WriteFile(h.path("etc/a"), []byte("image"), 0o644))
	h.open()
	h.stage()
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.reads("a", "a1", "new/b", "b1")
	h.must(h.goBack())
	h.reads("a", "image", "new/b", absent)
	if _, err := os.Lstat(h.path("state/live")); err == nil {
		t.Error("the live link is still there")
	}
	h.noLeftovers()
}

func TestPublishOnlyTheNewest(t *testing.T) {
	h := newFixture(t, "web/a a")
	h.write("web", "a", "one")
	h.open()
	h.adopt()
	h.write("web", "a", "two")
	h.stage()
	h.write("web", "a", "three")
	if err := h.linker.Publish(h.candidate.Number, false); !errors.Is(err, ErrSuperseded) {
		t.Fatalf("published what is no longer mounted: %v", err)
	}
	h.reads("a", "one")
	h.adopt()
	h.reads("a", "three")
}

// TestRestartOnTheSameState starts a second linker where a killed one left
// off, at each point where it may have been.
func TestRestartOnTheSameState(t *testing.T) {
	stops := map[string]func(h *fixture){
		"staged":    func(h *fixture) { h.stage() },
		"published": func(h *fixture) { h.stage(); h.must(h.linker.Publish(h.candidate.Number, false)) },
		"half way": func(h *fixture) {
			h.stage()
			h.noted()
			h.must(os.Remove(h.path("etc/web/b"))) // pruned
		},
		"links not made": func(h *fixture) {
			c := h.stage()
			h.noted()
			h.point(c.Number)
		},
	}
	for name, stop := range stops {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, "web/ web/")
			h.write("web", "a", "a1", "b", "b1")
			h.open()
			h.adopt()
			h.write("web", "a", "a2", "c", "c2")
			stop(h)
			h.close()
			h.must(os.MkdirAll(h.path("state/generations/99.tmp/web"), 0o755))
			h.must(os.Symlink("generations/1", h.path("state", files.TmpPrefix+"x")))
			h.must(os.Symlink(h.path("state/live/web/a"), h.path("etc/web", files.TmpPrefix+"y")))
			h.open()
			h.adopt()
			h.reads("web/a", "a2", "web/b", absent, "web/c", "c2")
			h.noLeftovers()
		})
	}
}

// TestGoBackMovesWhatItCan: a target that has become a directory with something
// in it keeps nothing else from going back, and is restored later.
func TestGoBackMovesWhatItCan(t *testing.T) {
	h := newFixture(t, "web/ web/", "web/o other")
	h.must(os.MkdirAll(h.path("etc/web"), 0o755))
	h.must(os.WriteFile(h.path("etc/web/c"), []byte("image"), 0o644))
	h.write("web", "a", "a1", "b", "b1", "o", "a1")
	h.open()
	h.adopt()
	h.write("web", "a", "a2", "c", "c2", "o", "a2")
	h.stage()
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.reads("web/a", "a2", "web/b", absent, "web/c", "c2", "other", "a2")
	for _, name := range []string{"web/b", "other"} {
		_ = os.Remove(h.path("etc", name))
		h.must(os.MkdirAll(h.path("etc", name, "full"), 0o755))
	}
	done, err := h.linker.GoBack(h.note.Ladder.InForce().Number)
	if !done || err == nil {
		t.Fatalf("error %v, want that it went back in part", err)
	}
	for _, name := range []string{"web/b", "other"} {
		if !strings.Contains(err.Error(), `cannot link target "`+h.path("etc", name)+`": a directory that isn't empty is there`) {
			t.Errorf("%s isn't named: %v", name, err)
		}
	}
	h.reads("web/a", "a1", "web/c", "image")
	h.looks(`msg="target not restored"`, 2)
	h.must(errors.Join(os.RemoveAll(h.path("etc/web/b")), os.RemoveAll(h.path("etc/other"))))
	h.looks(`msg="target restored"`, 2)
	h.reads("web/a", "a1", "web/b", "b1", "web/c", "image", "other", "a1")
}

// TestGoBackWhenTheListCannotBeWritten: live moves, and what would need the list
// is made when there is room again.
func TestGoBackWhenTheListCannotBeWritten(t *testing.T) {
	h := newFixture(t, "web/ web/")
	h.write("web", "a", "a1", "b", "b1")
	h.open()
	h.adopt()
	h.write("web", "a", "a2")
	h.stage()
	h.must(h.linker.Publish(h.candidate.Number, false))
	list := h.path("state", "targets.json")
	h.must(errors.Join(os.Remove(list), os.Mkdir(list, 0o755), unix.Mount("tmpfs", list, "tmpfs", 0, ""))) // else it is moved aside
	defer func() { _ = unix.Unmount(list, unix.MNT_DETACH) }()
	done, err := h.linker.GoBack(h.note.Ladder.InForce().Number)
	if !done || err == nil || !strings.Contains(err.Error(), list) {
		t.Fatalf("error %v, want that it went back in part, and the name of %s", err, list)
	}
	h.reads("web/a", "a1", "web/b", absent)
	h.looks(`msg="target not restored"`, 1)
	h.must(unix.Unmount(list, 0))
	h.looks(`msg="target restored"`, 1)
	h.reads("web/a", "a1", "web/b", "b1")
}

// TestGoBackWhenLiveCannotMove is the one failure after which GoBack is called
// again.
func TestGoBackWhenLiveCannotMove(t *testing.T) {
	h := newFixture(t, "web/ web/")
	h.write("web", "a", "a1")
	h.open()
	h.adopt()
	h.write("web", "a", "a2")
	h.stage()
	h.must(h.linker.Publish(h.candidate.Number, false))
	live := h.path("state/live")
	h.must(errors.Join(os.Remove(live), os.Mkdir(live, 0o755), unix.Mount("tmpfs", live, "tmpfs", 0, "")))
	defer func() { _ = unix.Unmount(live, unix.MNT_DETACH) }()
	done, err := h.linker.GoBack(h.note.Ladder.InForce().Number)
	if done || err == nil {
		t.Fatalf("error %v, want that it did not go back", err)
	}
	h.must(unix.Unmount(live, 0))
	h.must(h.goBack())
	h.reads("web/a", "a1")
}

// TestCheckNewest: while a candidate waits, a look says whether it is still the newest,
// and links are restored. The next stage takes what is there.
func TestCheckNewest(t *testing.T) {
	h := newFixture(t, "web/a a")
	h.write("web", "a", "a1")
	h.open()
	h.adopt()
	h.write("web", "a", "a2")
	second := h.stage()
	h.must(os.Remove(h.path("etc/a")))
	_ = h.repair()
	h.must(h.linker.CheckNewest(h.candidate.Number))
	h.reads("a", "a1")

	h.write("web", "a", "a3")
	if err := h.linker.CheckNewest(h.candidate.Number); !errors.Is(err, ErrSuperseded) {
		t.Fatalf("error %v, want ErrSuperseded", err)
	}
	if third := h.stage(); third.Shared == second.Shared {
		t.Errorf("staged %+v again", third)
	}
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.reads("a", "a3")
}
