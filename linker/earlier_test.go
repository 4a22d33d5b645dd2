package linker

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// edit publishes another state of web/a and accepts it.
func (h *house) edit(a string, survived bool) {
	h.Helper()
	h.write("web", "a", a, "b", "of "+a)
	h.stage()
	h.must(h.linker.Publish())
	h.linker.Accept(survived, 0)
}

// wantBoth checks the accepted and the earlier generation.
func (h *house) wantBoth(accepted int, survived bool, earlier int) {
	h.Helper()
	a, err := h.linker.Accepted()
	below := h.linker.held.Rungs[1].Number
	if a.Number != accepted || a.Durable != survived || below != earlier {
		h.Errorf("accepted is %+v (%v), want %d, survived: %v, earlier %d", a, err, accepted, survived, earlier)
	}
}

// wantOnDisk checks which generations there are.
func (h *house) wantOnDisk(numbers ...int) {
	h.Helper()
	if got := h.names("state/generations"); fmt.Sprint(got) != fmt.Sprint(numbers) {
		h.Errorf("generations %v, want %v", got, numbers)
	}
}

// names lists a directory.
func (h *house) names(dir string) (names []string) {
	h.Helper()
	entries, err := os.ReadDir(h.path(dir))
	h.must(err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// newEarlier is a house in which generation 1 has survived a start, and 2 and 3
// were accepted after it.
func newEarlier(t testing.TB) *house {
	h := newHouse(t, "web/ web/").openWith("one")
	h.edit("two", false)
	h.linker.Tidy()
	h.wantBoth(2, false, 1)
	h.wantOnDisk(1, 2)
	h.edit("three", false)
	h.must(h.linker.Store())
	h.linker.Tidy()
	h.wantBoth(3, false, 1)
	h.wantOnDisk(1, 3)
	return h
}

// openWith opens with generation 1 that has survived a start, and is stored.
func (h *house) openWith(a string) *house {
	h.Helper()
	h.open()
	h.edit(a, true)
	h.must(h.linker.Store())
	h.wantBoth(1, true, 0)
	return h
}

// TestEarlierGoBack: the newest generation that has survived a start is put in
// force again, in the same life and after a restart.
func TestEarlierGoBack(t *testing.T) {
	for name, between := range map[string]func(h *house){
		"same life": func(*house) {},
		"restart":   func(h *house) { h.restart(); h.wantBoth(3, false, 1) },
		"staged":    func(h *house) { h.restart(); h.stage() },
		"published": func(h *house) { h.restart(); h.stage(); h.must(h.linker.Publish()) },
		"another published": func(h *house) {
			h.restart()
			h.write("web", "a", "four", "c", "c")
			h.stage()
			h.must(h.linker.Publish())
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newEarlier(t)
			between(h)
			if got, err := h.linker.GoBack(); err != nil || changed(Candidate{Changes: got}) != "web/a web/b" {
				t.Errorf("went back by %v, %v", got, err)
			}
			h.wantBoth(1, true, 0)
			h.reads("web/a", "one", "web/b", "of one", "web/c", absent)
			h.linker.Tidy()
			h.wantOnDisk(1, 3) // the note names it
			h.must(h.linker.Store())
			h.linker.Tidy()
			h.wantOnDisk(1)
			h.restart().wantBoth(1, true, 0)
			if _, err := h.linker.GoBack(); err == nil && name == "same life" {
				h.wantBoth(1, true, 0)
			}
		})
	}
}

// TestEarlierIsOver: once a start on it was survived, nothing earlier is kept.
func TestEarlierIsOver(t *testing.T) {
	for name, survive := range map[string]func(h *house){
		"the same":       func(h *house) { h.stage(); h.must(h.linker.Publish()); h.linker.Accept(true, 0) },
		"a newer":        func(h *house) { h.edit("four", true) },
		"the same bytes": func(h *house) { h.edit("one", false) }, // have survived
	} {
		t.Run(name, func(t *testing.T) {
			h := newEarlier(t).restart()
			survive(h)
			number := h.linker.accepted().Number
			h.wantBoth(number, true, 0)
			h.must(h.linker.Store())
			h.linker.Tidy()
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
	h.must(h.linker.Publish())
	h.linker.Accept(false, 0)
	h.wantBoth(3, false, 1)
	h.edit("four", true)
	h.linker.Forget()
	h.stage()
	h.must(h.linker.Publish())
	h.linker.Accept(false, 0)
	h.wantBoth(4, true, 0)
}

// TestEarlierTakesOver: the accepted one is damaged beyond mending, which is
// said; the earlier one is what is gone back to.
func TestEarlierTakesOver(t *testing.T) {
	h := newEarlier(t)
	h.close()
	h.must(errors.Join(takeAway("generations/3")(h), os.RemoveAll(h.path("volumes/web"))))
	h.open().wantBoth(1, true, 0)
	if _, err := h.linker.Accepted(); err == nil {
		t.Error("it isn't said")
	}
	h.must(h.linker.Reject())
	h.reads("web/a", "one")
	h.edit("four", true)
	if _, err := h.linker.Accepted(); err != nil {
		t.Errorf("it is said again: %v", err)
	}
}

// TestEarlierDamaged: the accepted one is there; that there is nothing before
// it is said, and no way back.
func TestEarlierDamaged(t *testing.T) {
	h := newEarlier(t)
	h.must(takeAway("generations/1")(h))
	if _, err := h.linker.GoBack(); err == nil {
		t.Error("went back to nothing")
	}
	h.wantBoth(3, false, 1)
	h.reads("web/a", "three")
	h.restart().wantBoth(3, false, 0)
	if _, err := h.linker.Accepted(); err == nil {
		t.Error("it isn't said")
	}
}

// TestEarlierNone: what isn't there can't be gone back to.
func TestEarlierNone(t *testing.T) {
	h := newHouse(t, "web/ web/").openWith("one")
	if _, err := h.linker.Linker.GoBack(7); err == nil {
		t.Error("went back to nothing")
	}
	h.reads("web/a", "one")
}

// TestStoreOnAFullDisk: the note can't be written at the moment when a
// generation was accepted. What it names stays, whatever is tidied or swept,
// and confit killed; once there is room, it can be stored.
func TestStoreOnAFullDisk(t *testing.T) {
	h := newHouse(t, "web/ web/")
	h.must(os.Mkdir(h.path("state"), 0o755))
	if err := unix.Mount("tmpfs", h.path("state"), "tmpfs", 0, "size=1m"); err != nil {
		t.Fatalf("cannot mount a tmpfs, to fill it: %v", err)
	}
	h.Cleanup(func() { h.close(); h.must(unix.Unmount(h.path("state"), unix.MNT_DETACH)) })
	h.openWith("one")
	h.write("web", "a", "two", "b", "of two")
	h.stage()
	h.must(h.linker.Publish())
	h.linker.Accept(true, 0)
	h.fill()
	for range 2 {
		if err := h.linker.Store(); !errors.Is(err, unix.ENOSPC) {
			t.Fatalf("stored on a full disk: %v", err)
		}
		h.linker.Tidy()
		h.linker.Discard()
	}
	h.wantOnDisk(1, 2)

	h.restart().wantBoth(1, true, 0) // killed, and on a disk that is still full
	h.must(h.linker.Reject())
	h.reads("web/a", "one", "web/b", "of one")
	h.must(os.Remove(h.path("state/filler")))
	h.edit("two", true)
	h.must(h.linker.Store())
	h.linker.Tidy()
	h.restart().wantBoth(h.linker.accepted().Number, true, 0)
	h.reads("web/a", "two")
}
