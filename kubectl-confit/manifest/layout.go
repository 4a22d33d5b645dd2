package manifest

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"go.yaml.in/yaml/v3"
)

// keep makes of a text what a rewriting made of the same text as the encoder would write it: blank lines, and whatever else
// people write otherwise than the encoder, stay where nothing was rewritten.
func keep(text, before, after string) string {
	rewriting, layout := udiff.Lines(before, after), udiff.Lines(before, text)
	layout = slices.DeleteFunc(layout, func(l udiff.Edit) bool {
		return slices.ContainsFunc(rewriting, func(r udiff.Edit) bool { return l.Start < r.End && r.Start < l.End })
	})
	both, ok := udiff.Merge(rewriting, layout)
	if !ok {
		return after
	}
	merged, err := udiff.Apply(before, both)
	if err != nil {
		return after
	}
	return merged
}

// style is how a document is indented.
type style struct {
	step int  // of a mapping in a mapping; 0: there is none
	wide bool // lists stand further to the right than their key
	list bool // there is a list, so wide is known
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
	if s.wide {
		e.DefaultSeqIndent()
	}
	if err := e.Encode(n); err != nil {
		return "", err
	}
	err := e.Close()
	return out.String(), err
}
