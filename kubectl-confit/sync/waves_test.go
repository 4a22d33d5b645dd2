package sync

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
)

var start = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)

// fleet makes pods of one template out of a word: a letter each, in the order of their names, upper case for one that was restarted.
func fleet(t *testing.T, states string) (pods []Pod) {
	t.Helper()
	for i, letter := range states {
		lower := unicode.ToLower(letter)
		state := strings.IndexRune("cmogsar?", lower)
		if state < 0 {
			t.Fatalf("%q is no state", letter)
		}
		name := fmt.Sprintf("p%02d", i)
		pods = append(pods, Pod{Name: name, UID: "uid-" + name, Group: "web", State: State(state), Again: lower != letter})
	}
	return pods
}

func names(pods []Pod) string {
	var list []string
	for _, p := range pods {
		list = append(list, strings.TrimPrefix(p.Name, "p"))
	}
	return strings.Join(list, " ")
}

// look is one step of a script: what the pods show after a while, and what is done then.
type look struct {
	at   time.Duration
	pods string // one letter each: coming, missing, on its way, gate, soaking, accepted, rejected, ?
	ask  string
	why  Reason
	next time.Duration
}

// TestWaves plays fleets through the machine.
func TestWaves(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]struct {
		atOnce bool
		looks  []look
	}{
		"one, then four quarters": {looks: []look{
			{0, "mmmmmmmmm", "00", First, s},
			{s / 5, "ommmmmmmm", "", Quarter, 0},
			{5 * s, "ammmmmmmm", "01 02", Quarter, s},
			{6 * s, "aoommmmmm", "", Quarter, 0},
			{9 * s, "aoammmmmm", "", Quarter, 0},
			{10 * s, "aaammmmmm", "03 04", Quarter, s},
			{20 * s, "aaaaammmm", "05 06", Quarter, s},
			{30 * s, "aaaaaaamm", "07 08", Quarter, s},
			{40 * s, "aaaaaaaaa", "", Quarter, 0},
		}},
		"all in one wave but one": {looks: []look{{0, "mm", "00", First, s}, {s, "am", "01", Quarter, s}}},
		"the third rejects": {looks: []look{
			{0, "mmmmm", "00", First, s}, {s, "ammmm", "01", Quarter, s}, {2 * s, "aammm", "02", Quarter, s}, {3 * s, "aarmm", "", First, 0}, {9 * s, "aaamm", "", First, 0},
		}},
		"again after 1, 2, 4 … 16 s": {looks: []look{
			{0, "mm", "00", First, s}, {s - 1, "mm", "", Quarter, 1}, {s, "mm", "00", Quarter, 2 * s}, {2 * s, "mm", "", Quarter, s}, {3 * s, "mm", "00", Quarter, 4 * s},
			{7 * s, "mm", "00", Quarter, 8 * s}, {15 * s, "mm", "00", Quarter, 16 * s}, {31 * s, "mm", "00", Quarter, 16 * s}, {47 * s, "mm", "00", Quarter, 16 * s},
		}},
		"at once, as a gate holds each":    {looks: []look{{0, "mmm", "00", First, s}, {s / 2, "gmm", "01 02", Gates, s}, {s, "ggg", "", Quarter, 0}}},
		"all at once":                      {atOnce: true, looks: []look{{0, "moma?", "00 02 04", Together, s}}},
		"all at once, but one has refused": {atOnce: true, looks: []look{{0, "mrm", "", First, 0}}},
		"one has them by itself":           {looks: []look{{0, "mom", "", First, 0}, {s, "mam", "00", Quarter, s}}},
		"one has accepted them by itself":  {looks: []look{{0, "mamma", "00", Quarter, s}}},
		"of whom nobody can tell":          {looks: []look{{0, "?mm", "01", First, s}, {s, "?am", "02", Quarter, s}, {2 * s, "?aa", "00", Quarter, 0}, {9 * s, "?aa", "", Quarter, 0}}},
		"nobody can tell of the first":     {looks: []look{{0, "??", "00", First, 0}, {60 * s, "??", "", Quarter, 0}}},
		"comes back without them":          {looks: []look{{0, "mm", "00", First, s}, {s / 2, "om", "", Quarter, 0}, {2 * s, "mm", "00", Quarter, 2 * s}}},
		"of whom nothing is known yet":     {looks: []look{{0, "ccm", "02", First, s}, {s, "cca", "", Quarter, 0}, {2 * s, "mca", "00", Quarter, s}}},
		"starts anew in its wave":          {looks: []look{{0, "mm", "00", First, s}, {s, "cm", "", Quarter, 0}, {2 * s, "mm", "00", Quarter, 2 * s}, {3 * s, "cm", "", Quarter, 0}, {4 * s, "am", "01", Quarter, s}}},
		"the next of two":                  {atOnce: true, looks: []look{{0, "cm", "01", Together, s}, {s / 2, "mm", "00", Together, s / 2}, {s, "mm", "01", Quarter, s / 2}}},
		"the first dies of it late":        {looks: []look{{0, "mmmmm", "00", First, s}, {s, "ammmm", "01", Quarter, s}, {2 * s, "Cammm", "", Quarter, 0}, {3 * s, "Oammm", "", Quarter, 0}, {9 * s, "Aammm", "02", Quarter, s}}},
		"one dies that nobody has asked":   {looks: []look{{0, "mmamm", "00", Quarter, s}, {s, "amCmm", "", Quarter, 0}, {2 * s, "amRmm", "", First, 0}}},
		"the first has to soak":            {looks: []look{{0, "mmmmm", "00", First, s}, {s, "smmmm", "", First, 0}, {9 * s, "ammmm", "01", Quarter, s}, {10 * s, "asmmm", "02", Quarter, s}}},
		"nobody":                           {looks: []look{{0, "", "", First, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			w := Waves{AtOnce: c.atOnce}
			for i, l := range c.looks {
				d := w.Step(start.Add(l.at), fleet(t, l.pods))
				if names(d.Ask) != l.ask || (len(d.Wave) > 0 && d.Why != l.why) || d.Next != l.next {
					t.Fatalf("look %d at %v: asked %q, why %d, next %v", i, l.at, names(d.Ask), d.Why, d.Next)
				}
			}
		})
	}
}

// TestLate: each is named once.
func TestLate(t *testing.T) {
	w := Waves{AtOnce: true}
	for _, l := range []struct {
		at   time.Duration
		pods string
		late string
	}{{0, "mm", ""}, {Patience - 1, "mm", ""}, {Patience, "mo", "00"}, {2 * Patience, "mm", "01"}, {3 * Patience, "mm", ""}} {
		if d := w.Step(start.Add(l.at), fleet(t, l.pods)); names(d.Late) != l.late {
			t.Errorf("at %v late are %q, want %q", l.at, names(d.Late), l.late)
		}
	}
}

// TestGates: pods whose spec shows a gate, and the others of their template, don't go by waves; pods without one do.
func TestGates(t *testing.T) {
	pods := fleet(t, "mmmmmm")
	pods[1].Gate = true
	for i := range pods[3:] {
		pods[3+i].Group = "db"
	}
	var w Waves
	d := w.Step(start, pods)
	if names(d.Wave) != "00 01 02" || d.Why != Gates {
		t.Errorf("first %q, why %d", names(d.Wave), d.Why)
	}
	d = w.Step(start, pods)
	if names(d.Wave) != "03" || d.Why != First {
		t.Errorf("then %q, why %d", names(d.Wave), d.Why)
	}
}

// TestWithoutTemplate: a gate of one pod that has no template says nothing of another one.
func TestWithoutTemplate(t *testing.T) {
	pods := fleet(t, "mmm")
	pods[0].Gate = true
	for i := range pods {
		pods[i].Group = ""
	}
	var w Waves
	if d := w.Step(start, pods); names(d.Wave) != "00" || d.Why != Gates {
		t.Errorf("first %q, why %d", names(d.Wave), d.Why)
	}
}

// TestSpared are those that nobody has asked.
func TestSpared(t *testing.T) {
	var w Waves
	w.Step(start, fleet(t, "mmm?m"))
	pods := fleet(t, "rmo?a")
	w.Step(start.Add(time.Second), pods)
	if got := names(w.Spared(pods)); got != "01 03" {
		t.Errorf("spared are %q", got)
	}
}

// TestAnotherPod: who comes under the name of one that was asked, is another one; and a pod that goes has proved nothing.
func TestAnotherPod(t *testing.T) {
	var w Waves
	pods := fleet(t, "mmmmmmmmm")
	w.Step(start, pods)
	pods[0].UID = "another"
	if d := w.Step(start.Add(time.Second/2), pods); names(d.Ask) != "00" || d.Why != First {
		t.Errorf("asked %q, why %d", names(d.Ask), d.Why)
	}
	if d := w.Step(start.Add(time.Second), pods[1:]); names(d.Ask) != "01" || d.Why != First {
		t.Errorf("asked %q, why %d", names(d.Ask), d.Why)
	}
}
