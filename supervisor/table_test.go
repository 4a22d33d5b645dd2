package supervisor

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the phase table into doc.go")

// TestPhaseTable derives the table of the package comment from the code: it tries
// whatever could happen, however seldom, in each state that many lives lead to.
func TestPhaseTable(t *testing.T) {
	arcs, shapes := map[arc]bool{}, map[shape]bool{}
	for seed := range uint64(8000) {
		w := newWorld(t, seed)
		w.tried, w.shapes = arcs, shapes
		for range 120 {
			w.act()
		}
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(doc), "//\tsettling")
	want := before + table(arcs) + "package supervisor\n"
	if string(doc) == want {
		return
	}
	if *update {
		if err := os.WriteFile("doc.go", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("the phase table in doc.go is not what the code does (go test -run PhaseTable -update writes it); the code does:\n%s", table(arcs))
}

// table writes the transitions as lines of a comment, phase by phase.
func table(arcs map[arc]bool) string {
	var b strings.Builder
	for p := down; p < done; p++ {
		ways := map[string][]string{}
		for a := range arcs {
			if a.from == p && a.to != p {
				ways[a.event] = append(ways[a.event], a.to.String())
			}
		}
		name := p.String()
		for _, event := range slices.Sorted(maps.Keys(ways)) {
			slices.Sort(ways[event])
			fmt.Fprintf(&b, "//\t%-12s %-15s → %s\n", name, event, strings.Join(ways[event], ", "))
			name = ""
		}
	}
	return b.String()
}
