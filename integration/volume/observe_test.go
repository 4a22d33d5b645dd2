package volume_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

// observation is what one writer did in one step.
type observation struct {
	outcome outcome
	calls   []string // in the order of sorted
	tree    []string
	output  string
}

// observe runs one writer, with line on its stdin, under strace.
func observe(t *testing.T, dir string, s step, line []byte, env []string, argv ...string) observation {
	t.Helper()
	if s.disturb != nil {
		if err := s.disturb(dir); err != nil {
			t.Fatalf("cannot disturb the volume: %v", err)
		}
	}
	old, _ := os.Readlink(filepath.Join(dir, "..data")) // none in a fresh volume
	calls, status, output := trace(t, dir, line, env, argv...)
	o := observation{outcome: kept, calls: sorted(calls, old), output: output}
	if status != 0 {
		o.outcome = failed
	} else if slices.Contains(o.calls, "renameat ..data_tmp ..data") {
		o.outcome = swapped
	}
	now, _ := os.Readlink(filepath.Join(dir, "..data"))
	o.tree = list(t, dir, now)
	return o
}

// stamped is the name of a payload's directory: the time in UTC, and the random number of os.MkdirTemp.
var stamped = regexp.MustCompile(`\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\.\d+`)

// rename gives stamped names in s names that don't change from run to run.
func rename(s, known, as, others string) string {
	return stamped.ReplaceAllStringFunc(s, func(name string) string {
		if name == known {
			return as
		}
		return others
	})
}

// sorted writes calls down in an order that does not depend on chance. The kubelet goes over its payload in the order of a
// Go map, and os.RemoveAll goes over a directory in the order of the file system; both are random, but only inside one part
// of the algorithm. So a run of calls that belong to one part is sorted by path, and calls on one path keep their order.
func sorted(calls []call, old string) []string {
	for i := range calls {
		c := &calls[i]
		c.path = rename(c.path, old, "..OLD", "..NEW")
		for j := range c.words {
			c.words[j] = rename(c.words[j], old, "..OLD", "..NEW")
		}
	}
	var lines []string
	for start := 0; start < len(calls); {
		end := start + 1
		for end < len(calls) && part(calls[end]) == part(calls[start]) {
			end++
		}
		run := calls[start:end]
		slices.SortStableFunc(run, func(a, b call) int { return strings.Compare(a.path, b.path) })
		for _, c := range run {
			lines = append(lines, c.String())
		}
		start = end
	}
	return lines
}

// part names the part of the algorithm that a call belongs to.
func part(c call) string {
	first, _, nested := strings.Cut(c.path, "/")
	switch {
	case first == "..NEW" && nested:
		return "write or remove the new directory's content"
	case first == "..OLD":
		return "remove the old directory"
	case strings.HasPrefix(first, ".."):
		return c.name + " " + first // never more than one path
	default:
		return c.name + " visible names"
	}
}

// list describes everything in a volume, a line each, but not its own directory. now is the name that ..data has.
func list(t *testing.T, dir, now string) []string {
	t.Helper()
	lines, err := harness.Tree(dir)
	if err != nil {
		t.Fatalf("cannot list the volume: %v", err)
	}
	lines = lines[1:]
	for i := range lines {
		lines[i] = rename(lines[i], now, "..NOW", "..LEFT")
	}
	slices.Sort(lines)
	return lines
}

// compareLines reports two lists that differ, whole.
func compareLines(t *testing.T, what string, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	t.Errorf("%s differ\ngot:\n\t%s\nwant:\n\t%s", what, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
}
