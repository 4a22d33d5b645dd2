package linker

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// try records a trial of what is mounted.
func (h *fixture) try() Trial {
	h.Helper()
	t := Trial{Hash: h.stage().Inputs, Step: StepPublish, Kills: 1, Suspects: "the app, verify"}
	h.linker.RecordTrial(t)
	return t
}

// wantKilled restarts confit, and checks in which trial the former one was killed.
func (h *fixture) wantKilled(want Trial) {
	h.Helper()
	if h.restart(); h.former.Killed != want {
		h.Errorf("killed in %+v, want %+v", h.former.Killed, want)
	}
}

// TestTrial: the next confit knows the last trial of this one, unless that has
// ended. A restart changes nothing.
func TestTrial(t *testing.T) {
	h := newFixture(t, "web/ web/").openWith("one")
	h.wantKilled(Trial{})
	first := h.try()
	second := Trial{first.Hash, StepHooks, 2, "render", true}
	h.linker.RecordTrial(second)
	h.wantKilled(second)
	h.wantKilled(second)
	h.linker.Close()
	h.wantKilled(second)
	for range 2 {
		h.linker.RecordTrial(Trial{})
		h.wantKilled(Trial{})
	}
}

// TestTrialBesideTry: a try that was killed with confit is likelier to have needed the memory. The record counts
// one kill less, and is none when nothing is left of it: a renderer that was killed so runs again.
func TestTrialBesideTry(t *testing.T) {
	for kills, counts := range map[int]bool{1: false, 2: true} {
		h := newFixture(t, "web/ web/").openWith("one")
		h.write("web", "a", "two")
		killed := Trial{h.stage().Inputs, StepHooks, kills, "render", false}
		h.linker.RecordTrial(killed)
		h.close()
		h.must(os.MkdirAll(h.path("state/try/99"), 0o700))
		want := Trial{}
		if killed.Kills--; counts {
			want = killed
		}
		h.wantKilled(want)
		h.wantKilled(want) // that counts for good
	}
}

// TestTrialBeforeTheNodeStarted: a node that loses power says nothing of what is
// mounted, and a record without the kernel's id counts.
func TestTrialBeforeTheNodeStarted(t *testing.T) {
	for boot, counts := range map[string]bool{"another": false, "": true} {
		h := newFixture(t, "web/ web/").openWith("one")
		h.write("web", "a", "bad")
		want := h.try()
		h.close()
		record, err := os.ReadFile(h.path("state/trial"))
		h.must(err)
		now, id, _ := strings.Cut(string(record), `"boot":"`)
		if _, end, cut := strings.Cut(id, `"`); !cut || len(record) >= 512 {
			t.Fatalf("the record is %s", record)
		} else {
			h.must(os.WriteFile(h.path("state/trial"), []byte(now+`"boot":"`+boot+`"`+end), 0o644))
		}
		if !counts {
			want = Trial{}
		}
		h.wantKilled(want)
	}
}

// TestTrialNotTrusted: a record that somebody else may have written is none.
func TestTrialNotTrusted(t *testing.T) {
	for name, spoil := range map[string]func(h *fixture) error{
		"another's": chown("trial"),
		"for all":   chmod("trial", 0o666),
		"cut off":   write("trial", `{"version":1,`),
		"other":     write("trial", `{"version":9,"hash":"","kills":9}`),
		"a link":    replace("trial", func(p string) error { return os.Symlink("status.json", p) }),
		"a FIFO":    replace("trial", func(p string) error { return unix.Mkfifo(p, 0o644) }),
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, "web/ web/").openWith("one")
			h.write("web", "a", "bad")
			want := h.try()
			h.must(spoil(h))
			h.wantKilled(Trial{})
			h.linker.RecordTrial(want)
			h.wantKilled(want)
		})
	}
}

// onSmallDisk opens confit with a state directory that can be filled.
func (h *fixture) onSmallDisk() {
	h.Helper()
	h.must(os.Mkdir(h.path("state"), 0o755))
	if err := unix.Mount("tmpfs", h.path("state"), "tmpfs", 0, "size=1m"); err != nil {
		h.Fatalf("cannot mount a tmpfs, to fill it: %v", err)
	}
	h.Cleanup(func() { h.close(); h.must(unix.Unmount(h.path("state"), unix.MNT_DETACH)) })
	h.openWith("one")
	h.write("web", "a", "two", "b", "of two")
}

// TestTrialOnAFullDisk: a trial that can't be recorded leaves no record of another
// generation, and that is said once.
func TestTrialOnAFullDisk(t *testing.T) {
	h := newFixture(t, "web/ web/")
	h.onSmallDisk()
	h.try()
	for _, step := range []string{StepHooks, StepPublish} {
		h.fill()
		h.linker.RecordTrial(Trial{Step: step})
		h.must(os.Remove(h.path("state/filler")))
	}
	if n := strings.Count(h.said.String(), "trial not recorded"); n != 1 {
		t.Errorf("said %d times, want once:\n%s", n, &h.said)
	}
	if _, err := os.Lstat(h.path("state/trial")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a record is left: %v", err)
	}
}

// TestTrialOnAFullDisk_again: the record of former kills stays where the same generation
// is tried again, but not one of more kills than there were.
func TestTrialOnAFullDisk_again(t *testing.T) {
	h := newFixture(t, "web/ web/")
	h.onSmallDisk()
	once := h.try()
	twice := Trial{Hash: once.Hash, Step: StepHooks, Kills: 2}
	for _, tt := range []struct{ recorded, tried, left Trial }{{once, twice, once}, {twice, once, Trial{}}} {
		h.linker.RecordTrial(tt.recorded)
		h.fill()
		h.linker.RecordTrial(tt.tried)
		h.must(os.Remove(h.path("state/filler")))
		if left, _ := readTrial(h.linker.state); left != tt.left {
			t.Errorf("%+v was recorded, and %+v is left, want %+v", tt.recorded, left, tt.left)
		}
	}
}
