package linker

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// TestDamagedAtOpen: what is mounted no more isn't believed, and the reason is said;
// what needs no bytes is.
func TestDamagedAtOpen(t *testing.T) {
	for name, tt := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, want := reopened(t, tt, "a", "a2", "sub/b", "b2", "c.conf", "c2")
			if tt.words == "" {
				h.wantAccepted(1)
				h.wantTree(want, "state/generations/1")
			} else {
				h.wantAccepted(0, tt.words)
			}
			h.worksOn()
		})
	}
}

// TestDamagedAtGoBack: a generation that is gone back to is used as it is where a key has other
// bytes, and the key is named, even if the volume has the bytes: it may hang. But the generation
// isn't used without a key. A variable is what was accepted in any case: confit knows it.
func TestDamagedAtGoBack(t *testing.T) {
	for name, tt := range map[string]struct {
		links []string
		do    func(*fixture) error
		used  bool
	}{
		"altered": {[]string{"web/ web/"}, write("generations/1/web/a", "a9"), true},
		"altered, with its times set back": {[]string{"web/ web/"}, func(h *fixture) error {
			return errors.Join(write("generations/1/web/a", "a9")(h), os.Chtimes(h.path("state/generations/1/web/a"), h.modified("c.conf"), h.modified("c.conf")))
		}, true},
		"missing":  {[]string{"web/ web/"}, takeAway("generations/1/web/a"), false},
		"gone":     {[]string{"web/ web/"}, takeAway("generations/1"), false},
		"variable": {[]string{"web/ web/", "env web/a A"}, write("generations/1/web/a", "a9"), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newStored(t, tt.links...)
			h.write("web", "a", "a1", "sub/b", "b1", "c.conf", "c2")
			h.stage()
			h.must(h.linker.Publish(h.candidate.Number, false))
			h.must(tt.do(h))
			done, err := h.linker.GoBack(h.note.Ladder.InForce().Number)
			_, lost := errors.AsType[*Damaged](err)
			if done != tt.used || !lost || !strings.Contains(err.Error(), `key "web/a" of generation 1 is damaged`) {
				t.Errorf("went back: %v", err)
			}
			if tt.used {
				if len(tt.links) == 1 {
					h.reads("web/a", "a9")
				}
				h.reads("web/c.conf", "c1")
			} else {
				h.reads("web/c.conf", "c2")
			}
		})
	}
}
