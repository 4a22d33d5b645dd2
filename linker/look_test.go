package linker

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestStageInTheSameTick: a file that is written to twice in one tick of the
// kernel's clock, with as many bytes, looks the same after both. ramfs has no
// finer times on any kernel.
func TestStageInTheSameTick(t *testing.T) {
	h := newFixture(t, "web/a a")
	ownMounts(t)
	a := filepath.Join(h.mount("ramfs", "", "volumes/web"), "a")
	h.put(a, "text 000 first")
	h.open()
	h.adopt()
	for n := range 100 {
		first, last := fmt.Sprintf("text %03d first", n), fmt.Sprintf("text %03d last!", n)
		h.put(a, first)
		for _, text := range []string{first, last} {
			h.put(a, text)
			if _, err := h.tryStage(); err == nil {
				h.must(h.linker.Publish(h.candidate.Number, false))
				h.accepts(false)
			} else if !errors.Is(err, ErrUnchanged) {
				t.Fatal(err)
			}
			h.reads("a", text)
		}
	}
}

// TestStageUnwritten: what nobody is about to try is found with its hash, and leaves nothing behind.
func TestStageUnwritten(t *testing.T) {
	h := newFixture(t, "web/a a", "web/b b")
	h.write("web", "a", "one", "b", "one")
	h.open()
	first := h.adopt()
	look := func() Candidate {
		t.Helper()
		was, now := h.names("state/generations"), []string(nil)
		c, err := h.linker.Stage(Known{Accepted: first.Number, Unwritten: true})
		if now = h.names("state/generations"); !slices.Equal(now, was) || c.Number != 0 || err != nil && !IsInvalid(err) {
			t.Errorf("candidate %d, error %v, generations %q, before %q", c.Number, err, now, was)
		}
		return c
	}
	if c := look(); c.Hash != first.Hash || len(c.Changes) != 0 {
		t.Errorf("what is accepted: %+v", c)
	}
	h.write("web", "a", "two", "b", "one")
	second := look()
	h.write("web", "a", "two")
	if c := look(); c.Hash != (Hash{}) || changed(c) != "web/a web/b" {
		t.Errorf("without a key: %+v", c)
	}
	h.write("web", "a", "two", "b", "one")
	if c := h.stage(); c.Hash != second.Hash || c.Shared != second.Shared || c.Number != 2 || changed(c) != changed(second) {
		t.Errorf("staged as %+v, found as %+v", c, second)
	}
}

// TestVolumes: what each volume is said to be, as it comes and goes.
func TestVolumes(t *testing.T) {
	h := newFixture(t, "web/a a", "web/b b optional", "plain/x x optional", "late/y y optional")
	h.write("web", "a", "one")
	h.must(os.MkdirAll(h.path("volumes/plain"), 0o755))
	h.open()
	if list := h.linker.Volumes(); list != nil {
		t.Errorf("before the first look: %+v", list)
	}
	h.adopt()
	patterns := map[string][]string{"web": {"a", "b"}, "plain": {"x"}, "late": {"y"}}
	report := func(name, kind, watched string) VolumeStatus {
		data, _ := os.Readlink(h.path("volumes", name, "..data"))
		return VolumeStatus{Path: h.path("volumes", name), Kind: kind, Watched: watched, Mounted: data, Prefix: name, Patterns: patterns[name]}
	}
	h.wantVolumes(report("web", "atomic", "inotify"), report("plain", "plain", "inotify"), report("late", "missing", "polling"))

	h.write("web", "a", "two")
	h.write("late", "y", "one")
	h.adopt()
	h.wantVolumes(report("web", "atomic", "inotify"), report("plain", "plain", "inotify"), report("late", "atomic", "inotify"))
	if h.linker.Volumes()[0].Mounted == "" {
		t.Error("nothing is said to be behind ..data")
	}

	h.must(os.RemoveAll(h.path("volumes/late")))
	h.must(os.Remove(h.path("volumes/web/..data")))
	_, _ = h.tryStage() // refused: both are torn
	h.wantVolumes(report("web", "missing", "inotify"), report("plain", "plain", "inotify"), report("late", "missing", "polling"))
}

// TestDebugLogOfALook: it says what was compared, also when that is just as before, and
// holds no value. At any other level it says nothing.
func TestDebugLogOfALook(t *testing.T) {
	h := newFixture(t, "web/a a", "plain/x x")
	h.write("web", "a", "secret")
	h.put(h.path("volumes/plain/x"), "secret")
	h.open()
	h.adopt()
	h.wantSaid("")

	h.linker.log = slog.New(slog.NewTextHandler(&h.said, &slog.HandlerOptions{Level: slog.LevelDebug}))
	look := func(seen Fingerprint) Candidate {
		c, _ := h.linker.Stage(Known{Fingerprint: seen})
		return c
	}
	data, err := os.Readlink(h.path("volumes/web/..data"))
	h.must(err)
	first := look("")
	h.wantSaid(`msg="volumes looked at" found=`+first.Hash.String(), h.path("volumes/web"), data, h.path("volumes/plain"), "plain/x")
	look(first.Fingerprint)
	h.wantSaid(`msg="volumes looked at" found="nothing has changed"`, h.path("volumes/web"), data, h.path("volumes/plain"), "plain/x")
	h.must(os.Remove(h.path("volumes/plain/x")))
	look(first.Fingerprint)
	h.wantSaid(`msg="volumes looked at" found="key \"x\" is missing`, `compared="[key`)
}

// wantSaid looks at what the linker said since the last time: one line with these texts, or nothing.
func (h *fixture) wantSaid(texts ...string) {
	h.Helper()
	said := h.said.String()
	h.said.Reset()
	for _, text := range texts {
		if !strings.Contains(said, text) || text == "" && said != "" || strings.Count(said, "\n") > 1 || strings.Contains(said, "secret") {
			h.Errorf("it said %q, want one line with %q", said, texts)
		}
	}
}

// TestVolumesWithoutInotify: all are polled, and that is said of each.
func TestVolumesWithoutInotify(t *testing.T) {
	h := newFixture(t, "web/a a")
	h.write("web", "a", "one")
	h.open()
	h.linker.watch.Sync(nil)
	h.must(h.linker.watch.Watcher.Close()) // so that each watch is refused
	h.stage()
	if list := h.linker.Volumes(); len(list) != 1 || list[0].Watched != "polling" {
		t.Errorf("got %+v", list)
	}
}

func (h *fixture) wantVolumes(want ...VolumeStatus) {
	h.Helper()
	if got := h.linker.Volumes(); !reflect.DeepEqual(got, want) {
		h.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}
