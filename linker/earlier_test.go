package linker

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// edit publishes another state of web/a and accepts it.
func (h *fixture) edit(a string, survived bool) {
	h.Helper()
	h.write("web", "a", a, "b", "of "+a)
	h.stage()
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.accepts(survived)
}

// wantBoth checks the accepted and the earlier generation.
func (h *fixture) wantBoth(accepted int, survived bool, earlier int) {
	h.Helper()
	a, err := h.note.Ladder.InForce(), h.former.Untrusted
	below := h.note.Ladder.Rungs[1].Number
	if a.Number != accepted || a.Durable != survived || below != earlier {
		h.Errorf("accepted is %+v (%v), want %d, survived: %v, earlier %d", a, err, accepted, survived, earlier)
	}
}

// wantOnDisk checks which generations there are.
func (h *fixture) wantOnDisk(numbers ...int) {
	h.Helper()
	if got := h.names("state/generations"); fmt.Sprint(got) != fmt.Sprint(numbers) {
		h.Errorf("generations %v, want %v", got, numbers)
	}
}

// names lists a directory.
func (h *fixture) names(dir string) (names []string) {
	h.Helper()
	entries, err := os.ReadDir(h.path(dir))
	h.must(err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// newEarlier is a fixture in which generation 1 has survived a start, and 2 and 3
// were accepted after it. The app has died of 2 once.
func newEarlier(t testing.TB) *fixture {
	h := newFixture(t, "web/ web/").openWith("one")
	h.edit("two", false)
	h.collect()
	h.wantBoth(2, false, 1)
	h.wantOnDisk(1, 2)
	h.note.Ladder.Top().Deaths = 1
	h.edit("three", false)
	h.must(h.linker.WriteNote(h.note))
	h.collect()
	h.wantBoth(3, false, 1)
	h.wantOnDisk(1, 3)
	return h
}

// openWith opens with generation 1 that has survived a start, and is stored.
func (h *fixture) openWith(a string) *fixture {
	h.Helper()
	h.open()
	h.edit(a, true)
	h.must(h.linker.WriteNote(h.note))
	h.wantBoth(1, true, 0)
	return h
}

// goDown goes back to what is below the accepted generation, where the app lives for long enough.
func (h *fixture) goDown() ([]Change, error) {
	from, to := h.note.Ladder.InForce().Number, h.note.Ladder.Rungs[h.note.Ladder.On+1].Number
	done, err := h.linker.GoBack(to)
	if done {
		h.note.Ladder.On++
		h.note.Ladder = h.note.Ladder.Soak(true)
		h.candidate = Candidate{}
	}
	return h.linker.Changes(from, to), err
}

// TestEarlierGoBack: the newest generation that has survived a start is put in
// force again, in the same life and after a restart.
func TestEarlierGoBack(t *testing.T) {
	for name, between := range map[string]func(h *fixture){
		"same life": func(*fixture) {},
		"restart":   func(h *fixture) { h.restart(); h.wantBoth(3, false, 1) },
		"staged":    func(h *fixture) { h.restart(); h.stage() },
		"published": func(h *fixture) { h.restart(); h.stage(); h.must(h.linker.Publish(h.candidate.Number, false)) },
		"another published": func(h *fixture) {
			h.restart()
			h.write("web", "a", "four", "c", "c")
			h.stage()
			h.must(h.linker.Publish(h.candidate.Number, false))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newEarlier(t)
			between(h)
			if got, err := h.goDown(); err != nil || changed(Candidate{Changes: got}) != "web/a web/b" {
				t.Errorf("went back by %v, %v", got, err)
			}
			h.wantBoth(1, true, 0)
			h.reads("web/a", "one", "web/b", "of one", "web/c", absent)
			h.collect()
			h.wantOnDisk(1, 3) // the note names it
			h.must(h.linker.WriteNote(h.note))
			h.collect()
			h.wantOnDisk(1)
			h.restart().wantBoth(1, true, 0)
			h.must(h.goBack()) // once more
			h.reads("web/a", "one", "web/b", "of one", "web/c", absent)
		})
	}
}

// TestEarlierIsOver: once a start on it was survived, nothing earlier is kept.
func TestEarlierIsOver(t *testing.T) {
	for name, survive := range map[string]func(h *fixture){
		"the same": func(h *fixture) {
			h.stage()
			h.must(h.linker.Publish(h.candidate.Number, false))
			h.accepts(true)
		},
		"a newer":        func(h *fixture) { h.edit("four", true) },
		"the same bytes": func(h *fixture) { h.edit("one", false) }, // have survived
	} {
		t.Run(name, func(t *testing.T) {
			h := newEarlier(t).restart()
			survive(h)
			number := h.note.Ladder.InForce().Number
			h.wantBoth(number, true, 0)
			h.must(h.linker.WriteNote(h.note))
			h.collect()
			h.wantOnDisk(number)
			h.restart().wantBoth(number, true, 0)
		})
	}
}

// TestEarlierAcceptedAgain: that the accepted one is accepted once more without
// a start says nothing of it, and takes nothing from it.
func TestEarlierAcceptedAgain(t *testing.T) {
	h := newEarlier(t).restart()
	h.stage()
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.accepts(false)
	h.wantBoth(3, false, 1)
	h.edit("four", true)
	h.seen = ""
	h.stage()
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.accepts(false)
	h.wantBoth(4, true, 0)
}

// TestEarlierTakesOver: the accepted one is damaged beyond repairing, which is
// said; the earlier one is what is gone back to.
func TestEarlierTakesOver(t *testing.T) {
	h := newEarlier(t)
	h.close()
	h.must(errors.Join(takeAway("generations/3")(h), os.RemoveAll(h.path("volumes/web"))))
	h.open().wantBoth(1, true, 0)
	if h.former.Untrusted == nil {
		t.Error("it isn't said")
	}
	h.must(h.goBack())
	h.reads("web/a", "one")
	h.edit("four", true)
}

// TestEarlierDamaged: the accepted one is there; that there is nothing before
// it is said, and no way back.
func TestEarlierDamaged(t *testing.T) {
	h := newEarlier(t)
	h.must(takeAway("generations/1")(h))
	if _, err := h.goDown(); err == nil {
		t.Error("went back to nothing")
	}
	h.wantBoth(3, false, 1)
	h.reads("web/a", "three")
	h.restart().wantBoth(3, false, 0)
	if h.former.Untrusted == nil {
		t.Error("it isn't said")
	}
}

// TestEarlierNone: what isn't there can't be gone back to.
func TestEarlierNone(t *testing.T) {
	h := newFixture(t, "web/ web/").openWith("one")
	if _, err := h.linker.GoBack(7); err == nil {
		t.Error("went back to nothing")
	}
	h.reads("web/a", "one")
}

// TestStoreOnAFullDisk: the note can't be written at the moment when a
// generation was accepted. What it names stays, whatever is collected or swept,
// and confit killed; once there is room, it can be stored.
func TestStoreOnAFullDisk(t *testing.T) {
	h := newFixture(t, "web/ web/")
	h.must(os.Mkdir(h.path("state"), 0o755))
	if err := unix.Mount("tmpfs", h.path("state"), "tmpfs", 0, "size=1m"); err != nil {
		t.Fatalf("cannot mount a tmpfs, to fill it: %v", err)
	}
	h.Cleanup(func() { h.close(); h.must(unix.Unmount(h.path("state"), unix.MNT_DETACH)) })
	h.openWith("one")
	h.write("web", "a", "two", "b", "of two")
	h.stage()
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.accepts(true)
	h.fill()
	for range 2 {
		if err := h.linker.WriteNote(h.note); !errors.Is(err, unix.ENOSPC) {
			t.Fatalf("stored on a full disk: %v", err)
		}
		h.collect()
	}
	h.wantOnDisk(1, 2)

	h.restart().wantBoth(1, true, 0) // killed, and on a disk that is still full
	h.must(h.goBack())
	h.reads("web/a", "one", "web/b", "of one")
	h.must(os.Remove(h.path("state/filler")))
	h.edit("two", true)
	h.must(h.linker.WriteNote(h.note))
	h.collect()
	h.restart().wantBoth(h.note.Ladder.InForce().Number, true, 0)
	h.reads("web/a", "two")
}
