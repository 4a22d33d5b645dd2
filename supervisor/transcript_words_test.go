package supervisor

import (
	"confit/linker"
	"fmt"
	"strings"
)

// inNote shows what is accepted, and the record of a gate if there is one.
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
