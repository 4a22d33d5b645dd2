package linker

import (
	"crypto/sha256"
	"errors"
	"maps"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// keptDamages is what may happen to what is kept.
var keptDamages = map[string]func(h *house) error{
	"gone":      takeAway("kept"),
	"emptied":   keptAs(func(p string) error { return os.WriteFile(p, nil, 0o600) }),
	"other":     keptAs(func(p string) error { return os.WriteFile(p, []byte("a9"), 0o600) }),
	"a FIFO":    keptAs(func(p string) error { return unix.Mkfifo(p, 0o600) }),
	"a symlink": keptAs(func(p string) error { return os.Symlink("../generations/2/web/a", p) }),
}

// keptAs puts something in the place of each file that is kept.
func keptAs(put func(path string) error) func(*house) error {
	return func(h *house) error {
		var err error
		for _, name := range h.names("state/kept") {
			err = errors.Join(err, os.Remove(h.path("state/kept", name)), put(h.path("state/kept", name)))
		}
		return err
	}
}

// newSuperseded is a house with an accepted generation of which no key is mounted any more.
// kept: confit has seen the change, so that each key is kept.
func newSuperseded(t *testing.T, kept bool) (h *house, want map[string]string) {
	h = newStored(t, "web/ web/")
	want = h.tree("state/generations/1")
	if !kept {
		h.close()
	}
	h.write("web", "a", "a2", "sub/b", "b2", "c.conf", "c2")
	if kept {
		h.stage()
		h.linker.Discard()
		h.close()
	}
	return h, want
}

// TestMendedFromKept: what no volume holds any more is mended, too.
func TestMendedFromKept(t *testing.T) {
	for name, tt := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, want := newSuperseded(t, true)
			h.must(tt.do(h))
			h.open().wantAccepted(1)
			h.wantTree(want, "state/generations/1")
			h.worksOn()
		})
	}
}

// TestDamagedWithoutCopy: what can't be mended isn't believed, and the reason is said; what
// needs no copy is.
func TestDamagedWithoutCopy(t *testing.T) {
	lose := map[string]func(h *house) error{"never seen": func(*house) error { return nil }}
	maps.Copy(lose, keptDamages)
	for name, tt := range damages {
		for how, spoil := range lose {
			t.Run(name+", kept "+how, func(t *testing.T) {
				t.Parallel()
				h, want := newSuperseded(t, how != "never seen")
				h.must(tt.do(h))
				h.must(spoil(h))
				h.open()
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
}

// TestKeptDamaged: the files are right, so what is kept of them is made again at the next
// look.
func TestKeptDamaged(t *testing.T) {
	for name, spoil := range keptDamages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, _ := newSuperseded(t, true)
			want := h.tree("state/kept")
			h.must(spoil(h))
			h.open().wantAccepted(1)
			h.stage()
			h.linker.Discard()
			h.wantTree(want, "state/kept")
		})
	}
}

// TestLastResort: a generation that is gone back to is used as it is where nothing has a
// copy, and the key is named. But it isn't used without the key, nor for a variable.
func TestLastResort(t *testing.T) {
	for name, tt := range map[string]struct {
		links []string
		do    func(*house) error
		used  bool
	}{
		"altered":  {[]string{"web/ web/"}, write("generations/1/web/a", "a9"), true},
		"missing":  {[]string{"web/ web/"}, takeAway("generations/1/web/a"), false},
		"variable": {[]string{"web/ web/", "env web/a A"}, write("generations/1/web/a", "a9"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newStored(t, tt.links...)
			h.write("web", "a", "a2", "sub/b", "b2", "c.conf", "c2")
			h.stage()
			h.must(h.linker.Publish())
			h.must(errors.Join(tt.do(h), write("generations/1/web/sub/b", "b9")(h)))
			h.must(keptDamages["other"](h))
			err := h.linker.Reject()
			var partly *Partly
			if errors.As(err, &partly) != tt.used || err == nil || !strings.Contains(err.Error(), `key "web/a" of generation 1 is damaged`) {
				t.Errorf("went back: %v", err)
			}
			if tt.used {
				h.reads("web/a", "a9", "web/c.conf", "c1")
			} else {
				h.reads("web/c.conf", "c2")
			}
		})
	}
}

// TestKeptIsConfitsAlone: what is in it may be a key of any mode. It goes with the
// generation that needs it.
func TestKeptIsConfitsAlone(t *testing.T) {
	former := unix.Umask(0)
	defer unix.Umask(former)
	h := newStored(t, "web/ web/")
	h.wantTree(map[string]string{"": "drwx------ 0:0 \"\""}, "state/kept")
	h.write("web", "a", "a2", "sub/b", "b1", "c.conf", "c1")
	h.stage()
	h.linker.Discard()
	h.wantTree(map[string]string{"": "drwx------ 0:0 \"\"", "/" + Hash(sha256.Sum256([]byte("a1"))).Hex(): "-rw------- 0:0 \"a1\""}, "state/kept")
	h.linker.Forget()
	h.stage()
	h.must(h.linker.Publish())
	h.accept()
	h.must(h.linker.Store())
	h.linker.Tidy()
	h.wantTree(map[string]string{"": "drwx------ 0:0 \"\""}, "state/kept")
}
