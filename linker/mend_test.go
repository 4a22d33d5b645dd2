package linker

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// damage is what may happen to a generation, and words of why it isn't believed
// when no volume has its bytes; "" if none are needed.
type damage struct {
	do    func(h *house) error
	words string
}

var damages = map[string]damage{
	"a key's bytes":             {write("generations/1/web/a", "a9"), `key "web/a" of generation 1 is damaged`},
	"a key appended to":         {appendTo("generations/1/web/a"), `key "web/a" of generation 1 is damaged`},
	"a key emptied":             {write("generations/1/web/a", ""), `key "web/a" of generation 1 is damaged`},
	"a key's mode":              {chmod("generations/1/web/a", 0o600), ""},
	"a key's owner":             {chown("generations/1/web/a"), ""},
	"a key missing":             {takeAway("generations/1/web/a"), `key "web/a" of generation 1 is damaged`},
	"a directory missing":       {takeAway("generations/1/web/sub"), `key "web/sub/b" of generation 1 is damaged`},
	"a key too many":            {write("generations/1/web/x", "x"), ""},
	"a directory too many":      {addDir("generations/1/web/x/y"), ""},
	"a key that is a symlink":   {replace("generations/1/web/a", func(p string) error { return os.Symlink("sub/b", p) }), `key "web/a" of generation 1 is damaged`},
	"a key that is a FIFO":      {replace("generations/1/web/a", func(p string) error { return unix.Mkfifo(p, 0o444) }), `key "web/a" of generation 1 is damaged`},
	"a key that is a directory": {replace("generations/1/web/a", func(p string) error { return os.Mkdir(p, 0o755) }), `key "web/a" of generation 1 is damaged`},
	"a directory that is a key": {replace("generations/1/web/sub", func(p string) error { return os.WriteFile(p, nil, 0o444) }), `key "web/sub/b" of generation 1 is damaged`},
	"all keys":                  {replace("generations/1/web", func(p string) error { return os.Mkdir(p, 0o755) }), "so are 2 more"},
	"the generation gone":       {takeAway("generations/1"), "so are 2 more"},
	"all generations gone":      {takeAway("generations"), "so are 2 more"},
	"a directory's mode":        {chmod("generations/1/web/sub", 0o700), ""},
	"a directory's owner":       {chown("generations/1/web/sub"), ""},
	"another's generation":      {chown("generations/1"), ""},
	"a generation for all":      {chmod("generations/1", 0o777), ""},
	"a generation for nobody":   {chmod("generations/1", 0), ""},
	"a generation that is a symlink": {func(h *house) error {
		return errors.Join(os.Rename(h.path("state/generations/1"), h.path("elsewhere")), os.Symlink(h.path("elsewhere"), h.path("state/generations/1")))
	}, "so are 2 more"},
	"a generation that is a file": {replace("generations/1", func(p string) error { return os.WriteFile(p, nil, 0o644) }), "so are 2 more"},
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
			h, want := reopened(t, tt)
			h.wantAccepted(1)
			h.wantTree(want, "state/generations/1")
			h.worksOn()
		})
	}
}

// reopened is a house whose stored generation was damaged between two confits, beside an edit of
// the volume, and what that generation was.
func reopened(t *testing.T, d damage, edit ...string) (h *house, want map[string]string) {
	t.Helper()
	h = newStored(t, "web/ web/")
	want = h.tree("state/generations/1")
	h.close()
	if len(edit) > 0 {
		h.write("web", edit...)
	}
	h.must(d.do(h))
	return h.open(), want
}

// TestMendedAtReject: what an app, an entrypoint or a hook added, or did to modes and owners while
// confit lives, is undone before a generation is put in force again.
func TestMendedAtReject(t *testing.T) {
	for name, tt := range damages {
		if tt.words != "" {
			continue // see TestDamagedAtReject
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newStored(t, "web/ web/")
			want := h.tree("state/generations/1")
			h.write("web", "a", "a2")
			h.stage()
			h.must(h.linker.Publish())
			h.linker.Tidy()
			h.must(tt.do(h))
			h.must(h.linker.Reject())
			h.wantTree(want, "state/generations/1")
			h.reads("web/a", "a1", "web/sub/b", "b1", "web/c.conf", "c1", "web/x", absent)
			h.restart().wantAccepted(1)
		})
	}
}

// TestHealed: while the app works with a generation its bytes come back from the volume, key by
// key. What an entrypoint did to modes and owners stays until the generation is put in
// force again, and it is read no second time for that.
func TestHealed(t *testing.T) {
	for name, tt := range damages {
		if tt.words == "" || name == "all generations gone" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newStored(t, "web/ web/")
			want := h.tree("state/generations/1")
			h.must(tt.do(h))
			h.must(h.linker.Mend())
			h.wantTree(want, "state/generations/1")
		})
	}
}

// TestHealedKeyByKey: what the volume holds no more keeps what somebody has made of it, and all else
// comes back.
func TestHealedKeyByKey(t *testing.T) {
	h := newStored(t, "web/ web/")
	h.write("web", "a", "a2", "sub/b", "b1", "c.conf", "c1")
	h.must(errors.Join(write("generations/1/web/a", "a9")(h), write("generations/1/web/sub/b", "b9")(h)))
	if err := h.linker.Mend(); err == nil || !strings.Contains(err.Error(), `key "web/a" of generation 1 is damaged`) {
		t.Errorf("healed: %v", err)
	}
	h.reads("web/a", "a9", "web/sub/b", "b1", "web/c.conf", "c1")
	h.must(errors.Join(takeAway("generations/1/web/a")(h), addDir("generations/1/web/a/full")(h)))
	before := h.tree("state/generations/1")
	if err := h.linker.Mend(); err == nil {
		t.Error("healed what isn't mounted")
	}
	h.wantTree(before, "state/generations/1")
}

// TestHealedLeavesModes: see TestHealed.
func TestHealedLeavesModes(t *testing.T) {
	h := newStored(t, "web/ web/")
	want := h.tree("state/generations/1")
	h.must(errors.Join(chown("generations/1/web/sub/b")(h), chmod("generations/1/web/sub/b", 0o640)(h), appendTo("generations/1/web/sub/b")(h)))
	h.must(h.linker.Mend())
	if got := h.tree("state/generations/1")["/web/sub/b"]; got != `-rw-r----- 65534:0 "b1"` {
		t.Errorf("what an entrypoint has made its own is %s", got)
	}
	h.must(errors.Join(chmod("generations/1/web/a", 0o600)(h), addDir("generations/1/web/x")(h)))
	time.Sleep(10 * time.Millisecond) // a tick
	h.must(h.linker.Mend())
	if got := h.tree("state/generations/1"); got["/web/a"] == want["/web/a"] || got["/web/x"] == "" {
		t.Errorf("mended under the app: %v", got)
	}
	if !h.linker.WatchOpens([]Change{{Key: "web/a"}, {Key: "web/c.conf"}}) {
		t.Fatal("nothing is watched")
	}
	h.must(h.linker.Mend())
	if h.opened() {
		t.Error("a file is read again that nobody has touched")
	}
	h.must(write("generations/1/web/a", "a9")(h))
	h.opened()
	if h.must(h.linker.Mend()); h.opened() {
		t.Error("a file is looked at while it is watched who opens it")
	}
	h.linker.UnwatchOpens()
	h.must(h.linker.Mend())
	h.reads("web/a", "a1")
	h.must(h.linker.Reject())
	h.wantTree(want, "state/generations/1")
}

// TestHealedNotAtAll: it is said once that a key can't be healed, and it is healed as soon
// as a volume has its bytes again.
func TestHealedNotAtAll(t *testing.T) {
	h := newStored(t, "web/ web/")
	want := h.tree("state/generations/1")
	h.write("web", "a", "a2", "sub/b", "b1", "c.conf", "c1")
	h.must(write("generations/1/web/a", "a9")(h))
	for range 2 {
		if err := h.linker.Mend(); err == nil || !strings.Contains(err.Error(), `key "web/a" of generation 1 is damaged`) {
			t.Errorf("healed: %v", err)
		}
	}
	if n := strings.Count(h.said.String(), "generation not mended"); n != 1 {
		t.Errorf("said %d times:\n%v", n, &h.said)
	}
	h.write("web", "a", "a1", "sub/b", "b1", "c.conf", "c1")
	h.must(h.linker.Mend())
	h.wantTree(want, "state/generations/1")
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
		mounted, done := h.linker.reader.OfMounted()
		h.must(h.linker.copies.Mend(h.linker.accepted(), mounted))
		done()
		if data, err := os.ReadFile(file); err != nil || string(data) != good {
			t.Fatalf("mended to %d bytes: %v", len(data), err)
		}
	}
	close(stop)
	h.must(<-read)
}
