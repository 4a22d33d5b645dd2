package linker

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// try publishes what is mounted, and leaves it to be proved.
func (h *house) try() Candidate {
	h.Helper()
	h.linker.Forget()
	c := h.stage()
	h.must(h.linker.Publish())
	return c
}

// kill ends confit in the middle of what it does, and starts another.
func (h *house) kill() *house { return h.restart() }

// wantKills checks how often a confit was killed while it proved what is
// mounted.
func (h *house) wantKills(want int) {
	h.Helper()
	h.linker.Forget()
	if c := h.stage(); c.Kills != want {
		h.Errorf("killed %d times, want %d", c.Kills, want)
	}
}

// TestTrial: each kill while a generation is proved counts, also of the first
// one and of one that is accepted but has not survived a start.
func TestTrial(t *testing.T) {
	for name, prepare := range map[string]func(h *house){
		"the first": func(h *house) { h.write("web", "a", "bad"); h.open() },
		"an edit":   func(h *house) { h.openWith("one"); h.write("web", "a", "bad") },
		"accepted": func(h *house) {
			h.openWith("one")
			h.edit("two", false)
			h.must(h.linker.Store())
			h.kill()
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, "web/ web/")
			prepare(h)
			for n := range 4 {
				h.wantKills(n)
				h.try()
				h.kill()
			}
			h.wantKills(4)
			h.linker.Discard()
			h.kill().wantKills(4) // refused unpublished: neither one more nor forgotten
			h.must(h.linker.Reject())
			h.linker.Close()
			h.kill().wantKills(4)
		})
	}
}

// TestTrialEnds: an end that confit saw is no kill, nor is one before or after
// the trial, or of another generation.
func TestTrialEnds(t *testing.T) {
	for name, end := range map[string]func(h *house){
		"accepted": func(h *house) { h.try(); h.linker.Accept(true, 0) },
		"rejected": func(h *house) { h.try(); h.must(h.linker.Reject()) },
		"stopped":  func(h *house) { h.try(); h.linker.Close() },
		"another": func(h *house) {
			h.try()
			h.kill()
			h.write("web", "a", "other")
			h.try()
			h.kill()
			h.write("web", "a", "bad")
		},
		"reverted": func(h *house) {
			h.try()
			h.kill()
			h.write("web", "a", "one", "b", "of one")
			h.try()
			h.linker.Accept(true, 0)
			h.kill()
			h.write("web", "a", "bad")
		},
		"staged": func(h *house) { h.stage() },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, "web/ web/").openWith("one")
			h.write("web", "a", "bad")
			end(h)
			h.kill().wantKills(0)
		})
	}
}

// TestTrialGoBack: what is gone back from was seen to fail.
func TestTrialGoBack(t *testing.T) {
	h := newEarlier(t).restart()
	h.try()
	_, err := h.linker.GoBack()
	h.must(err)
	h.kill().wantKills(0)
}

// TestTrialOfWhatSurvived: nothing is proved of it, so no kill is its fault.
func TestTrialOfWhatSurvived(t *testing.T) {
	h := newHouse(t, "web/ web/").openWith("one").restart()
	h.try()
	h.kill().wantKills(0)
}

// TestTrialBeforeTheNodeStarted: a node that loses power says nothing of what is
// mounted, and a record without the kernel's id counts.
func TestTrialBeforeTheNodeStarted(t *testing.T) {
	for boot, want := range map[string]int{"another": 0, "": 1} {
		h := newHouse(t, "web/ web/").openWith("one")
		h.write("web", "a", "bad")
		h.try()
		h.close()
		record, err := os.ReadFile(h.path("state/trial.json"))
		h.must(err)
		now, id, _ := strings.Cut(string(record), `"boot":"`)
		if _, end, cut := strings.Cut(id, `"`); !cut || len(record) >= 512 {
			t.Fatalf("the record is %s", record)
		} else {
			h.must(os.WriteFile(h.path("state/trial.json"), []byte(now+`"boot":"`+boot+`"`+end), 0o644))
		}
		h.open()
		h.wantKills(want)
	}
}

// TestTrialOfAStep: a step is a trial before anything is published, too, and the
// record names the last one. It ends with the step.
func TestTrialOfAStep(t *testing.T) {
	h := newHouse(t, "web/ web/").openWith("one")
	h.write("web", "a", "bad")
	for n := range 3 {
		h.linker.Forget()
		if c := h.stage(); c.Kills != n || n > 0 && c.KilledIn != "verify" {
			t.Errorf("killed %d times, the last time in %q; want %d, in verify", c.Kills, c.KilledIn, n)
		}
		h.linker.Arm("validate")
		if n == 2 {
			h.linker.AbandonTrial()
		} else {
			h.linker.Arm("verify")
		}
		h.kill()
	}
	h.wantKills(0)
}

// TestTrialOfAnotherStep: a candidate that has killed confit once it was published
// passes its validator again and again. Each kill counts all the same.
func TestTrialOfAnotherStep(t *testing.T) {
	h := newHouse(t, "web/ web/").openWith("one")
	h.write("web", "a", "bad")
	for n := range 3 {
		h.linker.Forget()
		if c := h.stage(); c.Kills != n {
			t.Errorf("killed %d times, want %d", c.Kills, n)
		}
		h.linker.Arm("validate")
		h.linker.EndStep()
		h.must(h.linker.Publish())
		h.kill()
	}
	h.wantKills(3)
	h.linker.Arm("validate")
	h.linker.EndStep()
	h.kill().wantKills(3)
}

// TestTrialNotTrusted: a record that somebody else may have written is none.
func TestTrialNotTrusted(t *testing.T) {
	for name, spoil := range map[string]func(h *house) error{
		"another's": chown("trial.json"),
		"for all":   chmod("trial.json", 0o666),
		"cut off":   write("trial.json", `{"version":1,`),
		"other":     write("trial.json", `{"version":9,"hash":"","kills":9}`),
		"a link":    replace("trial.json", func(p string) error { return os.Symlink("status.json", p) }),
		"a FIFO":    replace("trial.json", func(p string) error { return unix.Mkfifo(p, 0o644) }),
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, "web/ web/").openWith("one")
			h.write("web", "a", "bad")
			h.try()
			h.must(spoil(h))
			h.kill().wantKills(0)
			h.try()
			h.kill().wantKills(1)
		})
	}
}

// TestTrialOnAFullDisk: a change is published though its trial can't be
// recorded, which is said once.
func TestTrialOnAFullDisk(t *testing.T) {
	h := newHouse(t, "web/ web/")
	h.must(os.Mkdir(h.path("state"), 0o755))
	if err := unix.Mount("tmpfs", h.path("state"), "tmpfs", 0, "size=1m"); err != nil {
		t.Fatalf("cannot mount a tmpfs, to fill it: %v", err)
	}
	h.Cleanup(func() { h.close(); h.must(unix.Unmount(h.path("state"), unix.MNT_DETACH)) })
	var log bytes.Buffer
	h.config.Log = slog.New(slog.NewTextHandler(&log, nil))
	h.openWith("one")
	for _, a := range []string{"two", "three"} {
		h.write("web", "a", a, "b", "of "+a)
		h.stage()
		h.fill()
		h.must(h.linker.Publish())
		h.linker.Accept(true, 0)
		h.must(os.Remove(h.path("state/filler")))
		h.reads("web/a", a)
	}
	if n := strings.Count(log.String(), "trial not recorded"); n != 1 {
		t.Errorf("said %d times, want once:\n%s", n, &log)
	}
	if _, err := os.Lstat(h.path("state/trial.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a record is left: %v", err)
	}
}
