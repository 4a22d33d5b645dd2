package linker

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// differs tells of each changed key what became of it.
func differs(list []Change, contents ...string) string {
	known := map[Hash]string{{}: "none"}
	for _, c := range contents {
		known[sha256.Sum256([]byte(c))] = c
	}
	var said []string
	for _, c := range list {
		said = append(said, fmt.Sprintf("%s: %s, was %s", c.Key, known[c.Sum], known[c.Was]))
	}
	slices.Sort(said)
	return strings.Join(said, "; ")
}

// TestChangesSums: a change has the hashes of both sides.
func TestChangesSums(t *testing.T) {
	h := newFixture(t, "web/ web/").openWith("one")
	h.write("web", "b", "two", "same", "same")
	if got := differs(h.stage().Changes, "one", "of one", "two", "same"); got != "web/a: none, was one; web/b: two, was of one; web/same: same, was none" {
		t.Error(got)
	}
}

// TestChangesOfWhatIsInvalid: what can't be staged has the hashes of what can be
// read, and none of what is missing, unreadable or too large. Modes don't count,
// nor does what wasn't rendered.
func TestChangesOfWhatIsInvalid(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(h *fixture)
		want  string
	}{
		"missing":   {func(h *fixture) { h.write("web", "b", "two", "c", "same") }, "web/a: none, was one; web/b: two, was one"},
		"empty":     {func(h *fixture) { h.write("web") }, "web/a: none, was one; web/b: none, was one; web/c: none, was same"},
		"gone":      {func(h *fixture) { h.must(os.RemoveAll(h.path("volumes/web"))) }, "web/a: none, was one; web/b: none, was one; web/c: none, was same"},
		"too large": {func(h *fixture) { h.write("web", "a", strings.Repeat("large", 1000), "b", "two", "c", "same") }, "web/a: none, was one; web/b: two, was one"},
		"variable":  {func(h *fixture) { h.write("web", "a", "nul\x00", "b", "one", "c", "same") }, "web/a: nul\x00, was one"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, "web/a a", "web/b b", "input web/", "env web/a A")
			h.write("web", "a", "one", "b", "one", "c", "same")
			h.open()
			h.linker.reader.MaxSize = 1000
			h.adopt()
			test.spoil(h)
			c, err := h.tryStage()
			var bad *Invalid
			if !errors.As(err, &bad) {
				t.Fatalf("%v (%T), want an Invalid", err, err)
			}
			if got := differs(c.Changes, "one", "two", "same", "nul\x00"); got != test.want {
				t.Errorf("%s: got %s, want %s", bad, got, test.want)
			}
		})
	}
}
