package supervisor

import (
	"confit/linker"
	"fmt"
	"slices"
	"strings"
)

// inNote shows what is accepted, and the records if there are any.
func inNote(n *linker.Note) string {
	text := fmt.Sprint(n.Accepted.Number)
	if n.Accepted.Survived {
		text += " survived"
	}
	if n.Accepted.Settled {
		text = strings.Replace(text, "survived", "settled", 1)
	}
	if n.Accepted.Relapses != 0 {
		text += fmt.Sprintf(", relapses %d", n.Accepted.Relapses)
	}
	if n.Accepted.Earlier.Number != 0 {
		text += fmt.Sprintf(", earlier %d", n.Accepted.Earlier.Number)
	}
	if n.Relapsed != nil {
		text += fmt.Sprintf(", not %s again", n.Relapsed.Hash[:2])
	}
	if n.Record != nil {
		text += ", gate " + told(n.Record)
	}
	if l := n.Late; l != nil {
		text += ", late " + told(l)
		if l.Told != "" {
			text += " (" + l.Told + ")"
		}
	}
	return text
}

// told shows the first digits of the hash.
func told(r *linker.Record) string {
	switch {
	case r == nil:
		return "none"
	case r.Outcome == "":
		return r.Hash[:2] + " open"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s from %q %s %q", r.Hash[:min(2, len(r.Hash))], r.Outcome, r.Source, r.Step, r.Reason))
}

func pairs(keys []any) string {
	var list []string
	for i := 0; i+1 < len(keys); i += 2 {
		list = append(list, fmt.Sprintf("%v=%v", keys[i], keys[i+1]))
	}
	return strings.Join(list, " ")
}

// former is a record that a former confit left: begin … record HASH [OUTCOME], begin … late HASH [OUTCOME] [told=OUTCOME].
func (p *player) former(name string, words []string) (rest []string, r *linker.Record) {
	i := slices.Index(words, name)
	if i < 0 {
		return words, nil
	}
	r = &linker.Record{Hash: p.hash(words[i+1]).Hex()}
	for _, w := range words[i+2:] {
		if told, ok := strings.CutPrefix(w, "told="); ok {
			r.Told = strings.ReplaceAll(told, ",", " ")
		} else {
			r.Outcome, r.Source = w, "stored"
		}
	}
	return words[:i], r
}
