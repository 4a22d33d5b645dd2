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
	do    func(h *fixture) error
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
	"a generation that is a symlink": {func(h *fixture) error {
		return errors.Join(os.Rename(h.path("state/generations/1"), h.path("elsewhere")), os.Symlink(h.path("elsewhere"), h.path("state/generations/1")))
	}, "so are 2 more"},
	"a generation that is a file": {replace("generations/1", func(p string) error { return os.WriteFile(p, nil, 0o644) }), "so are 2 more"},
}

func appendTo(name string) func(*fixture) error {
	return func(h *fixture) error {
		f, err := os.OpenFile(h.path("state", name), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteString("appended")
		return errors.Join(err, f.Close())
	}
}

// modified is when a key of generation 1 was written.
func (h *fixture) modified(name string) time.Time {
	info, err := os.Stat(h.path("state/generations/1/web", name))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func addDir(name string) func(*fixture) error {
	return func(h *fixture) error { return os.MkdirAll(h.path("state", name), 0o755) }
}

// TestRepairedAtOpen: whatever has happened to the stored generation between two
// confits, it is again what was accepted.
func TestRepairedAtOpen(t *testing.T) {
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

// reopened is a fixture whose stored generation was damaged between two confits, beside an edit of
// the volume, and what that generation was.
func reopened(t *testing.T, d damage, edit ...string) (h *fixture, want map[string]string) {
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

// TestRestoredAtGoBack: what an app, an entrypoint or a hook added, or did to modes and owners while
// confit lives, is undone before a generation is put in force again.
func TestRestoredAtGoBack(t *testing.T) {
	for name, tt := range damages {
		if tt.words != "" {
			continue // see TestDamagedAtGoBack
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newStored(t, "web/ web/")
			want := h.tree("state/generations/1")
			h.write("web", "a", "a2")
			h.stage()
			h.must(h.linker.Publish(h.candidate.Number, false))
			h.collect()
			h.must(tt.do(h))
			h.must(h.goBack())
			h.wantTree(want, "state/generations/1")
			h.reads("web/a", "a1", "web/sub/b", "b1", "web/c.conf", "c1", "web/x", absent)
			h.restart().wantAccepted(1)
		})
	}
}

// TestStagedAgain: what is damaged while the app works with it comes back from what is mounted, under the same name, and that is said
// once.
func TestStagedAgain(t *testing.T) {
	for name, tt := range damages {
		if tt.words == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newStored(t, "web/ web/", "env web/a A")
			want := h.tree("state/generations/1")
			h.must(tt.do(h))
			for range 2 {
				h.must(h.repair())
			}
			h.wantTree(want, "state/generations/1")
			h.saidTimes("generation staged again", 1)
			h.wantOnDisk(1)
			h.restart().wantAccepted(1)
		})
	}
}

func (h *fixture) saidTimes(words string, times int) {
	h.Helper()
	if n := strings.Count(h.said.String(), words); n != times {
		h.Errorf("%q was said %d times, want %d:\n%v", words, n, times, &h.said)
	}
}

// TestStagedAgain_moved_on: where something else is mounted nothing changes, that is said once, and as soon as the same is mounted again it
// comes back.
func TestStagedAgain_moved_on(t *testing.T) {
	h := newStored(t, "web/ web/")
	want := h.tree("state/generations/1")
	h.write("web", "a", "a2", "sub/b", "b1", "c.conf", "c1")
	h.must(errors.Join(write("generations/1/web/a", "a9")(h), write("generations/1/web/sub/b", "b9")(h), addDir("generations/1/web/a.d/full")(h)))
	before := h.tree("state/generations/1")
	for range 2 {
		err := h.repair()
		if _, is := errors.AsType[*Damaged](err); !is || !strings.Contains(err.Error(), `key "web/a" of generation 1 is damaged; so are 1 more`) {
			t.Errorf("repaired: %v", err)
		}
	}
	h.wantTree(before, "state/generations/1")
	h.saidTimes("generation not restored", 1)
	h.write("web", "a", "a1", "sub/b", "b1", "c.conf", "c1")
	h.must(h.repair())
	h.must(os.RemoveAll(h.path("state/generations/1/web/a.d")))
	h.wantTree(want, "state/generations/1")
}

// TestStagedAgain_rendered: what was rendered nobody makes again, and the rest stays with it.
func TestStagedAgain_rendered(t *testing.T) {
	h := renderer(t, "input web/tpl", "{rendered}/app.conf app.conf")
	h.write("web", "tpl", "t1")
	h.open()
	h.renders("app.conf", "r1")
	h.must(errors.Join(write("generations/1/.rendered/app.conf", "spoilt")(h), takeAway("generations/1/web/tpl")(h)))
	before := h.tree("state/generations/1")
	if _, is := errors.AsType[*Damaged](h.repair()); !is {
		t.Error("it isn't damaged")
	}
	h.wantTree(before, "state/generations/1")
}

// TestStagedAgain_looks: what an entrypoint has made its own stays its own, also where its bytes come back, and what it has added stays. A
// mode or an owner alone is no damage, and is read no second time for that.
func TestStagedAgain_looks(t *testing.T) {
	h := newStored(t, "web/ web/")
	want := h.tree("state/generations/1")
	h.must(errors.Join(chown("generations/1/web/sub/b")(h), chmod("generations/1/web/sub/b", 0o640)(h), chown("generations/1/web/sub")(h), appendTo("generations/1/web/sub/b")(h),
		write("generations/1/web/a.jnl", "journal")(h)))
	h.must(h.repair())
	got := h.tree("state/generations/1")
	if got["/web/sub/b"] != `-rw-r----- 65534:0 "b1"` || got["/web/a.jnl"] == "" || !strings.Contains(got["/web/sub"], "65534") {
		t.Errorf("what an entrypoint has made its own is %q", got)
	}
	h.must(errors.Join(chmod("generations/1/web/a", 0o600)(h), addDir("generations/1/web/x")(h)))
	time.Sleep(10 * time.Millisecond) // a tick
	h.must(h.repair())
	if got := h.tree("state/generations/1"); got["/web/a"] == want["/web/a"] || got["/web/x"] == "" {
		t.Errorf("changed under the app: %v", got)
	}
	h.saidTimes("generation staged again", 1)
	if !h.linker.WatchOpens(h.inUse(), []Change{{Key: "web/a"}, {Key: "web/c.conf"}}) {
		t.Fatal("nothing is watched")
	}
	h.must(h.repair())
	if h.opened(false) {
		t.Error("a file is read again that nobody has touched")
	}
	h.must(write("generations/1/web/a", "a9")(h))
	h.opened(true)
	if h.must(h.repair()); h.opened(false) {
		t.Error("a file is looked at while it is watched who opens it")
	}
	h.linker.UnwatchOpens()
	h.must(h.repair())
	h.reads("web/a", "a1")
	h.must(h.goBack())
	h.wantTree(want, "state/generations/1")
}

// TestStagedAgain_watched: also while it is watched who opens a key, a look finds that one is missing, and opens none.
func TestStagedAgain_watched(t *testing.T) {
	for _, name := range []string{"a key missing", "a key that is a directory", "a key that is a symlink", "a directory that is a key", "the generation gone"} {
		h := newStored(t, "web/ web/")
		if !h.linker.WatchOpens(h.inUse(), []Change{{Key: "web/a"}}) {
			t.Fatal("nothing is watched")
		}
		h.must(damages[name].do(h))
		h.opened(false)
		if h.must(h.repair()); h.opened(false) {
			t.Errorf("%s: a key is opened", name)
		}
		h.reads("web/a", "a1", "web/sub/b", "b1")
	}
}

// TestStagedAgain_whole: who reads a file of a generation that is staged again finds what was there
// or what was written, whole.
func TestStagedAgain_whole(t *testing.T) {
	h := newFixture(t, "web/a a")
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
		h.must(h.repair())
		if data, err := os.ReadFile(file); err != nil || string(data) != good {
			t.Fatalf("staged again: %d bytes: %v", len(data), err)
		}
	}
	close(stop)
	h.must(<-read)
}
