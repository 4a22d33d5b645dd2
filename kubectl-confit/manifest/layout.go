package manifest

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/aymanbagabas/go-udiff/lcs"
	"go.yaml.in/yaml/v3"
)

// keep makes of a text what a rewriting made of the same text as the encoder would write it: blank lines, and whatever else
// people write otherwise than the encoder, stay where nothing was rewritten. It takes over as much of that as leaves right what
// the text means.
func keep(text, before, after string, right func(string) bool) string {
	k := keeper{before: before, rewriting: udiff.Lines(before, after), right: right}
	layout := slices.DeleteFunc(layoutOf(text, before), func(l udiff.Edit) bool {
		return slices.ContainsFunc(k.rewriting, func(r udiff.Edit) bool { return l.Start < r.End && r.Start < l.End })
	})
	if merged := k.with(k.most(nil, layout)); merged != "" {
		return merged
	}
	return after
}

// layoutOf is what makes the text of what the encoder wrote: an edit for each line that differs in blanks alone, and one for
// lines that are there only in one of the two.
func layoutOf(text, before string) (edits []udiff.Edit) {
	old, now := slices.Collect(strings.Lines(before)), slices.Collect(strings.Lines(text))
	start, i, j := 0, 0, 0 // of the line, in bytes; its numbers
	put := func(ends, with int) {
		from, made := strings.Join(old[i:ends], ""), strings.Join(now[j:with], "")
		if from != made {
			edits = append(edits, udiff.Edit{Start: start, End: start + len(from), New: made})
		}
		start, i, j = start+len(from), ends, with
	}
	for _, d := range append(lcs.DiffLines(packed(old), packed(now)), lcs.Diff{Start: len(old), End: len(old), ReplStart: len(now), ReplEnd: len(now)}) {
		for i < d.Start {
			put(i+1, j+1)
		}
		put(d.End, d.ReplEnd)
	}
	return edits
}

// packed are lines without the blanks that people may write or not; those at the beginning of a line they may not.
func packed(lines []string) (list []string) {
	for _, line := range lines {
		text := strings.TrimLeft(line, " ")
		list = append(list, line[:len(line)-len(text)]+strings.Join(strings.Fields(text), " "))
	}
	return list
}

type keeper struct {
	before    string
	rewriting []udiff.Edit
	right     func(string) bool
}

// with is the text with the rewriting and a part of the layout, and "" if the two are at odds.
func (k *keeper) with(layout []udiff.Edit) string {
	both, ok := udiff.Merge(k.rewriting, layout)
	if !ok {
		return ""
	}
	merged, err := udiff.Apply(k.before, both)
	if err != nil || !k.right(merged) {
		return ""
	}
	return merged
}

// most adds what can be added to a layout that is known to be right: all, or else of each half what can.
func (k *keeper) most(known, more []udiff.Edit) []udiff.Edit {
	all := slices.Concat(known, more)
	switch {
	case len(more) == 0 || k.with(all) != "":
		return all
	case len(more) == 1:
		return known
	}
	half := len(more) / 2
	return k.most(k.most(known, more[:half]), more[half:])
}

// style is how a document is indented.
type style struct {
	step int  // of a mapping in a mapping; 0: there is none
	wide bool // lists stand further to the right than their key
	list bool // there is a list, so wide is known

	mixed bool // some lists do, and some don't: each is written as it was, and a new one as the first
}

// look finds the style that is used first.
func (s *style) look(n *yaml.Node) {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && child.Line > n.Content[i-1].Line {
			step := child.Column - n.Content[i-1].Column
			switch {
			case child.Kind == yaml.MappingNode && s.step == 0:
				s.step = step
			case child.Kind == yaml.SequenceNode && !s.list:
				s.wide, s.list = step > 0, true
			case child.Kind == yaml.SequenceNode:
				s.mixed = s.mixed || s.wide != (step > 0)
			}
		}
		s.look(child)
	}
}

// encode writes a document as it is indented.
func encode(n *yaml.Node, s style) (string, error) {
	var out strings.Builder
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if s.step > 0 {
		e.SetIndent(s.step)
	}
	e.CompactSeqIndent()
	if s.wide && !s.mixed {
		e.DefaultSeqIndent()
	}
	if err := e.Encode(n); err != nil {
		return "", err
	}
	if err := e.Close(); err != nil || !s.mixed {
		return out.String(), err
	}
	return widen(n, s, out.String())
}
