package linker

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// damage is what may happen to a generation, and words of why it isn't believed
// when its pack is damaged, too; "" if the pack isn't needed.
type damage struct {
	do    func(h *house) error
	words string
}

var damages = map[string]damage{
	"a key's bytes":             {write("generations/1/web/a", "a9"), `key "web/a" is damaged`},
	"a key appended to":         {appendTo("generations/1/web/a"), `key "web/a" is damaged`},
	"a key emptied":             {write("generations/1/web/a", ""), `key "web/a" is damaged`},
	"a key's mode":              {chmod("generations/1/web/a", 0o600), ""},
	"a key's owner":             {chown("generations/1/web/a"), ""},
	"a key missing":             {takeAway("generations/1/web/a"), `key "web/a" is damaged`},
	"a directory missing":       {takeAway("generations/1/web/sub"), `key "web/sub/b" is damaged`},
	"a key too many":            {write("generations/1/web/x", "x"), ""},
	"a directory too many":      {addDir("generations/1/web/x/y"), ""},
	"a key that is a symlink":   {replace("generations/1/web/a", func(p string) error { return os.Symlink("sub/b", p) }), `key "web/a" is damaged`},
	"a key that is a FIFO":      {replace("generations/1/web/a", func(p string) error { return unix.Mkfifo(p, 0o444) }), `key "web/a" is damaged`},
	"a key that is a directory": {replace("generations/1/web/a", func(p string) error { return os.Mkdir(p, 0o755) }), `key "web/a" is damaged`},
	"a directory that is a key": {replace("generations/1/web/sub", func(p string) error { return os.WriteFile(p, nil, 0o444) }), `key "web/sub/b" is damaged`},
	"all keys":                  {replace("generations/1/web", func(p string) error { return os.Mkdir(p, 0o755) }), "is damaged"},
	"the generation gone":       {takeAway("generations/1"), "its directory is gone"},
	"all generations gone":      {takeAway("generations"), "its directory is gone"},
	"a directory's mode":        {chmod("generations/1/web/sub", 0o700), ""},
	"a directory's owner":       {chown("generations/1/web/sub"), ""},
	"another's generation":      {chown("generations/1"), ""},
	"a generation for all":      {chmod("generations/1", 0o777), ""},
	"a generation for nobody":   {chmod("generations/1", 0), ""},
	"a generation that is a symlink": {func(h *house) error {
		return errors.Join(os.Rename(h.path("state/generations/1"), h.path("elsewhere")), os.Symlink(h.path("elsewhere"), h.path("state/generations/1")))
	}, "its directory is gone"},
	"a generation that is a file": {replace("generations/1", func(p string) error { return os.WriteFile(p, nil, 0o644) }), "its directory is gone"},
}

// packDamages is what may happen to a pack.
var packDamages = map[string]func(h *house) error{
	"gone":      takeAway("packs/1"),
	"emptied":   write("packs/1", ""),
	"other":     write("packs/1", "a9b9c9"),
	"a FIFO":    replace("packs/1", func(p string) error { return unix.Mkfifo(p, 0o600) }),
	"a symlink": replace("packs/1", func(p string) error { return os.Symlink("../generations/1/web/a", p) }),
	"another's": func(h *house) error { return errors.Join(write("packs/1", "a9b9c9")(h), chown("packs/1")(h)) },
	"all gone":  takeAway("packs"),
}

func appendTo(name string) func(*house) error {
	return func(h *house) error {
		f, err := os.OpenFile(h.path("state", name), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteString("appended")
		return errors.Join(err, f.Close())
	}
}

// modified is when a key of generation 1 was written.
func (h *house) modified(name string) time.Time {
	info, err := os.Stat(h.path("state/generations/1/web", name))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func addDir(name string) func(*house) error {
	return func(h *house) error { return os.MkdirAll(h.path("state", name), 0o755) }
}

// TestMendedAtOpen: whatever has happened to the stored generation between two
// confits, it is again what was accepted.
func TestMendedAtOpen(t *testing.T) {
	for name, tt := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newStored(t, "web/ web/")
			want := h.tree("state/generations/1")
			h.close()
			h.must(tt.do(h))
			h.open().wantAccepted(1)
			h.wantTree(want, "state/generations/1")
			h.worksOn()
		})
	}
}

// TestMendedAtReject: so does what an app, an entrypoint or a hook did while
// confit lives, at once or with the times set back.
func TestMendedAtReject(t *testing.T) {
	for name, tt := range damages {
		if name == "all generations gone" {
			continue // the next one can't be staged, either
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newStored(t, "web/ web/")
			want := h.tree("state/generations/1")
			h.write("web", "a", "a2")
			h.stage()
			h.must(h.linker.Publish())
			h.must(tt.do(h))
			_ = os.Chtimes(h.path("state/generations/1/web/a"), h.modified("c.conf"), h.modified("c.conf"))
			h.must(h.linker.Reject())
			h.wantTree(want, "state/generations/1")
			h.reads("web/a", "a1", "web/sub/b", "b1", "web/c.conf", "c1", "web/x", absent)
			h.restart().wantAccepted(1)
		})
	}
}

// TestDamagedWithItsPack: what can't be mended isn't believed, and the reason
// is said; what needs no pack is.
func TestDamagedWithItsPack(t *testing.T) {
	for name, tt := range damages {
		for _, packName := range []string{"gone", "other"} {
			t.Run(name+", pack "+packName, func(t *testing.T) {
				t.Parallel()
				h := newStored(t, "web/ web/")
				want := h.tree("state/generations/1")
				h.close()
				h.must(tt.do(h))
				h.must(packDamages[packName](h))
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

// TestPackDamaged: the files are right, so the pack is written again, by the
// next confit or by Reject.
func TestPackDamaged(t *testing.T) {
	for name, spoil := range packDamages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newStored(t, "web/ web/")
			want := h.tree("state/packs")
			h.close()
			h.must(spoil(h))
			h.open().wantAccepted(1)
			h.wantTree(want, "state/packs")
			if name == "all gone" {
				return // the next one can't be staged, either
			}
			h.write("web", "a", "a2")
			h.stage()
			h.must(h.linker.Publish())
			h.must(spoil(h))
			h.must(h.linker.Reject())
			h.linker.Tidy()
			h.wantTree(want, "state/packs")
		})
	}
}

// TestMendedWhileItIsRead: who reads a file that is mended finds what was there
// or what was written, whole.
func TestMendedWhileItIsRead(t *testing.T) {
	h := newHouse(t, "web/a a")
	good := strings.Repeat("good", 50_000)
	h.write("web", "a", good)
	h.open()
	h.adopt()
	file := h.path("state/generations/1/web/a")
	stop := make(chan struct{})
	read := make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				read <- nil
				return
			default:
			}
			if data, err := os.ReadFile(file); err != nil || string(data) != good && string(data) != "bad" {
				read <- fmt.Errorf("read %d bytes: %w", len(data), err)
				return
			}
		}
	}()
	for range 50 {
		h.must(os.WriteFile(h.path("bad"), []byte("bad"), 0o644))
		h.must(os.Rename(h.path("bad"), file))
		h.must(h.linker.copies.mend(h.linker.accepted()))
		if data, err := os.ReadFile(file); err != nil || string(data) != good {
			t.Fatalf("mended to %d bytes: %v", len(data), err)
		}
	}
	close(stop)
	h.must(<-read)
}

// TestPackIsConfitsAlone: what is in it may be a key of any mode.
func TestPackIsConfitsAlone(t *testing.T) {
	former := unix.Umask(0)
	defer unix.Umask(former)
	h := newStored(t, "web/ web/")
	got := h.tree("state/packs")
	want := map[string]string{"": "drwx------ 0:0 \"\"", "/1": "-rw------- 0:0 \"a1c1b1\""}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	h.write("web", "a", "a2")
	h.stage()
	h.linker.Discard()
	if names := slices.Sorted(maps.Keys(h.tree("state/packs"))); !slices.Equal(names, []string{"", "/1"}) {
		t.Errorf("packs left: %q", names)
	}
}
