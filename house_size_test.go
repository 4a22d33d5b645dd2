package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// mostLines is how large PID 1 may be, tests left out: whoever installs it has to trust each line. A commit that raises a bound says why, and
// what went for it.
var mostLines = map[string]int{
	"":               21_910, // all of it
	"supervisor":     5_175,
	"linker":         2_310,
	"config":         1_660,
	"process":        1_640,
	"signals":        375,
	"notify":         240,
	"status":         675,
	"linker/files":   415,
	"linker/safedir": 785,
}

// TestSize holds these bounds, and that none of them is far from what there is: what went stays away.
func TestSize(t *testing.T) {
	lines := map[string]int{}
	for _, s := range sources(t) {
		first, _, _ := strings.Cut(s.dir, "/")
		if slices.Contains([]string{"confitctl", "kubectl-confit", "integration", "release", "examples"}, first) || s.dir == "internal/screenshot" {
			continue
		}
		n := strings.Count(read(t, s.path), "\n")
		lines[""] += n
		lines[s.dir] += n
	}
	for _, dir := range slices.Sorted(maps.Keys(mostLines)) {
		switch most := mostLines[dir]; {
		case lines[dir] > most:
			t.Errorf("%q has %d lines, %d are enough", dir, lines[dir], most)
		case lines[dir] < most-most/20:
			t.Errorf("%q has only %d lines: lower its bound of %d", dir, lines[dir], most)
		}
	}
}
