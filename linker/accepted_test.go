package linker

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// newStored is a fixture in which a former linker stored what it accepted.
func newStored(t testing.TB, links ...string) *fixture {
	t.Helper()
	h := newFixture(t, links...)
	h.write("web", "a", "a1", "sub/b", "b1", "c.conf", "c1")
	h.open()
	h.adopt()
	h.must(h.linker.WriteNote(h.note))
	return h
}

// wantAccepted checks which generation there is to go back to, and words of the
// reason why there is none.
func (h *fixture) wantAccepted(number int, words ...string) Generation {
	h.Helper()
	g, err := h.note.Ladder.InForce(), h.former.Untrusted
	if g.Number != number || (err == nil) != (len(words) == 0) {
		h.Fatalf("accepted is generation %d (%v), want %d", g.Number, err, number)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) || strings.Contains(err.Error(), "\n") {
			h.Errorf("error %q is not one line, or does not say %q", err, w)
		}
	}
	return g.Generation
}

// lifeless is a generation without what each life has of its own.
func lifeless(g Generation) Generation {
	g.Sums = nil
	return g
}

// TestStored: what was stored is taken up, and GoBack brings it back with its
// targets; with links of every kind.
func TestStored(t *testing.T) {
	for name, tt := range map[string]struct {
		links []string
		reads []string // of the stored generation
	}{
		"one":      {[]string{"web/a a"}, []string{"a", "a1"}},
		"optional": {[]string{"web/a a", "web/z z optional"}, []string{"a", "a1", "z", absent}},
		"each":     {[]string{"web/ web/"}, []string{"web/a", "a1", "web/sub/b", "b1", "web/new", absent}},
		"glob":     {[]string{"web/*.conf conf.d/"}, []string{"conf.d/c.conf", "c1", "conf.d/new.conf", absent}},
		"whole":    {[]string{"web/ web"}, []string{"web/a", "a1", "web/sub/b", "b1", "web/new", absent}},
		"direct":   {[]string{"web/a a", "web/c.conf direct direct"}, []string{"a", "a1", "direct", "c2"}},
		"nothing":  {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			h := newStored(t, tt.links...)
			want := h.wantAccepted(1)
			h.write("web", "a", "a2", "new", "2", "new.conf", "2", "z", "z2", "c.conf", "c2", "sub/b", "b2")
			h.restart()
			if got := h.wantAccepted(1); lifeless(got) != lifeless(want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if len(tt.links) > 0 { // without, there is no other candidate
				h.stage()
				h.must(h.linker.Publish(h.candidate.Number, false))
			}
			h.must(h.goBack())
			h.collect()
			h.reads(tt.reads...)
			h.noLeftovers()
		})
	}
}

// TestStoredWithoutPublishing: what can't be a candidate, or is refused before
// it is published, leaves the stored generation and its targets to be put in
// force by GoBack, whatever a killed confit was proving.
func TestStoredWithoutPublishing(t *testing.T) {
	for name, mounted := range map[string][]string{"invalid": {"other", "x"}, "refused": {"a", "a3"}} {
		t.Run(name, func(t *testing.T) {
			h := newStored(t, "web/a a", "web/*.conf conf.d/ optional")
			h.write("web", "a", "a2", "x.conf", "x")
			h.stage()
			h.must(h.linker.Publish(h.candidate.Number, false)) // and killed before it was proved
			h.reads("a", "a2", "conf.d/c.conf", absent, "conf.d/x.conf", "x")
			h.write("web", mounted...)
			h.restart()
			var bad *Invalid
			if _, err := h.tryStage(); errors.As(err, &bad) != (name == "invalid") {
				t.Fatalf("staged with %v", err)
			}
			h.reads("a", "a2")
			h.must(h.goBack())
			h.reads("a", "a1", "conf.d/c.conf", "c1", "conf.d/x.conf", absent)
			h.collect()
			h.noLeftovers()
		})
	}
}

// TestStoredIsTheCandidate: the same bytes are the stored generation, nothing is
// written for them.
func TestStoredIsTheCandidate(t *testing.T) {
	h := newStored(t, "web/ web/").restart()
	c := h.stage()
	if c.Generation != h.wantAccepted(1) || len(c.Changes) > 0 {
		t.Errorf("staged %+v", c)
	}
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.accepts(true)
	h.must(h.linker.WriteNote(h.note))

	h.restart()
	h.write("web", "a", "a2", "sub/b", "b1", "c.conf", "c1")
	if c = h.stage(); c.Number != 2 || changed(c) != "web/a" {
		t.Errorf("staged generation %d with changes %q", c.Number, changed(c))
	}
}

// resume reads once more what is on the disk, as a confit that starts there does.
func (h *fixture) resume() error {
	clear(h.linker.generations)
	h.linker.noted = nil
	former, err := h.linker.resume()
	h.begins(h.linker, former)
	return err
}

// TestStoredHalf: a note that is cut off at any byte is none.
func TestStoredHalf(t *testing.T) {
	h := newStored(t, "web/ web/")
	whole, err := os.ReadFile(h.path("state/note.json"))
	h.must(err)
	for n := range whole {
		h.must(os.WriteFile(h.path("state/note.json"), whole[:n], 0o644))
		h.must(h.resume())
		h.wantAccepted(0, "damaged")
	}
	h.restart().wantAccepted(0, "damaged")
	h.worksOn()
}

// TestStoredForOthers: other link lines, or another state directory, make other
// targets of the same volumes.
func TestStoredForOthers(t *testing.T) {
	for name, change := range map[string]func(h *fixture){
		"a link more": func(h *fixture) {
			h.config.Links = append(h.config.Links, Link{Source: "web/a", Target: Target(h.path("etc/more"))})
		},
		"a link less":   func(h *fixture) { h.config.Links = nil },
		"another key":   func(h *fixture) { h.config.Links[0].Source = "web/sub/" },
		"other target":  func(h *fixture) { h.config.Links[0].Target = Target(h.path("etc/other") + "/") },
		"optional":      func(h *fixture) { h.config.Links[0].Optional = true },
		"direct":        func(h *fixture) { h.config.Links[0].Direct = true },
		"other volumes": func(h *fixture) { h.must(os.Rename(h.path("volumes"), h.path("v"))); h.config.Volumes = h.path("v") },
		"other state":   func(h *fixture) { h.must(os.Rename(h.path("state"), h.path("s"))); h.config.State = h.path("s") },
	} {
		t.Run(name, func(t *testing.T) {
			h := newStored(t, "web/ web/")
			h.close()
			change(h)
			h.open().wantAccepted(0, "other links")
			h.adopt()
			h.must(h.linker.WriteNote(h.note))
			number := h.note.Ladder.InForce().Number
			h.restart().wantAccepted(number)
		})
	}
}

// TestStoredOnAFullDisk: there is room for nothing, but nothing is needed to go
// back to what is in force already.
func TestStoredOnAFullDisk(t *testing.T) {
	h := newFixture(t, "web/a a")
	h.must(os.Mkdir(h.path("state"), 0o755))
	if err := unix.Mount("tmpfs", h.path("state"), "tmpfs", 0, "nr_inodes=20"); err != nil {
		t.Fatalf("cannot mount a tmpfs, to fill it: %v", err)
	}
	defer func() { h.must(unix.Unmount(h.path("state"), unix.MNT_DETACH)) }()
	h.write("web", "a", "a1")
	h.open()
	h.adopt()
	h.must(h.linker.WriteNote(h.note))
	h.close()
	for n := 0; os.Mkdir(h.path("state", fmt.Sprint("full", n)), 0o755) == nil; n++ {
	}
	h.write("web", "a", "a2")
	h.open().wantAccepted(1)
	if _, err := h.tryStage(); !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("staged on a full disk: %v", err)
	}
	h.must(h.goBack())
	h.reads("a", "a1")
}

// FuzzAccepted: whatever the note says, it is read without harm, and what is
// believed of it is what is there.
func FuzzAccepted(f *testing.F) {
	h := newStored(f, "web/ web/", "web/a direct direct")
	live := *h.linker.generations[h.note.Ladder.InForce().Number]
	note, err := os.ReadFile(h.path("state/note.json"))
	h.must(err)
	// Each process that fuzzes has a directory of its own, and with it another fingerprint.
	own := strings.NewReplacer("DIR", h.dir, "LINKS", h.linker.linksFingerprint(&live).Hex())
	seed := strings.NewReplacer(h.dir, "DIR", h.linker.linksFingerprint(&live).Hex(), "LINKS").Replace(string(note))
	f.Add([]byte(seed))
	for _, s := range [][2]string{{`"number":1`, `"number":-1`}, {`"started":true`, `"started":false`}, {`"ladder":[`, `"on":1,"ladder":[`}, {`"links":[0]`, `"links":[9]`}, {`"targets":{`, `"targets":{"":{},`}, {"DIR/etc", "/etc"}} {
		f.Add([]byte(strings.Replace(seed, s[0], s[1], 1)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(h.path("state/note.json"), []byte(own.Replace(string(data))), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := h.resume(); err != nil {
			t.Fatal(err)
		}
		var said noteFile
		_ = json.Unmarshal([]byte(own.Replace(string(data))), &said)
		got, stored := h.linker.generations[h.note.Ladder.InForce().Number], lifeless(live.Generation)
		if got != nil { // a directory that is missing is fixed from the volume, under whatever number
			stored.Number, stored.Dir = got.Number, got.Dir
		}
		switch {
		case got == nil && h.former.Untrusted == nil && max(said.On, 0) < len(said.Ladder):
			t.Errorf("not believed, and not said: %+v", said)
		case got == nil:
		case lifeless(got.Generation) != stored || !reflect.DeepEqual(got.Targets, live.Targets) || !reflect.DeepEqual(got.Files, live.Files):
			t.Errorf("believed\n%+v\nbut stored was\n%+v", got, live)
		}
	})
}
