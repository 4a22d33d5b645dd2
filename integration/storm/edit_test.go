//go:build check

package storm

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"confit/integration/internal/harness"
)

// fate is what becomes of an edit. It ends the text that the edit writes into each key of a volume.
type fate string

const (
	good    fate = "good"
	late    fate = "late"    // the app dies of it when its probation is over, and before it has soaked
	deadly  fate = "deadly"  // the app dies of it at once
	refused fate = "refused" // the validator refuses it
	hanging fate = "hanging" // the validator never ends on it
	broken  fate = "broken"  // the renderer fails on it
)

// bad are the fates from that which the app reads to that which nobody does.
var bad = []fate{late, deadly, refused, hanging, broken}

// combination is what the volumes hold together: a text each, by the volume's name. The rendered file names all of them.
type combination map[string]string

func (c combination) String() string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(c)) {
		words = append(words, c[name])
	}
	return strings.Join(words, " ")
}

// holds tells whether any volume's text has this fate.
func (c combination) holds(f fate) bool { return strings.Contains(c.String(), string(f)) }

func (c combination) isGood() bool { return !slices.ContainsFunc(bad, c.holds) }

// isReadable tells whether the app may come to see it.
func (c combination) isReadable() bool { return !slices.ContainsFunc(bad[2:], c.holds) }

// isMortal tells whether the app dies of a text, sooner or later.
func isMortal(text string) bool {
	return strings.Contains(text, string(deadly)) || strings.Contains(text, string(late))
}

// history is every combination that was ever mounted, be it between two swaps of one edit.
type history struct {
	mu  sync.Mutex
	was map[string]combination
}

func (h *history) add(c combination) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.was[c.String()] = maps.Clone(c)
}

func (h *history) find(text string) (combination, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c, ok := h.was[text]
	return c, ok
}

// edit writes a new text into volumes, one after the other.
func (p *pod) edit(f fate, volumes ...string) {
	p.edits++
	p.excused = p.disturbed
	text := fmt.Sprintf("%d-%s", p.edits, f)
	p.note("edit %s: %s", strings.Join(volumes, ", "), text)
	for _, name := range volumes {
		p.mounted[name] = text
		p.history.add(p.mounted)
		p.write(name)
	}
}

// write mounts what a volume should hold. Each key holds the same.
func (p *pod) write(name string) {
	key := harness.Key{Data: p.mounted[name] + "\n", Mode: 0o644}
	if err := p.volumes[name].Write(map[string]harness.Key{"one": key, "two": key}); err != nil {
		p.t.Fatalf("cannot write volume %s: %v", name, err)
	}
}
