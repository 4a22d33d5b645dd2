package entrypoint

import "strings"

// redirects are the operators of redirections. The longer one comes first.
var redirects = []string{"&>>", "&>", "<<<", "<<-", "<<", "<>", "<&", "<", ">>", ">&", ">|", ">"}

// substitutions begin what stands for a file, and is no redirection.
var substitutions = []string{"<(", ">("}

// redirection reads one, if the reader stands at one, with the descriptor in front of it.
func (r *reader) redirection() bool {
	r.blanks()
	rest := r.rest
	name, isNamed := strings.CutPrefix(rest, "{")
	behind, closes := strings.CutPrefix(strings.TrimLeft(name, letters+digits), "}")
	if isNamed && closes {
		rest = behind
	}
	rest = strings.TrimLeft(rest, digits)
	op := beginning(rest, redirects)
	if op == "" || beginning(rest, substitutions) != "" {
		return false
	}
	r.rest = rest
	r.skip(op)
	word := r.word()
	if tabs := op == "<<-"; tabs || op == "<<" {
		r.documents = append(r.documents, document{unquote(word), tabs})
	}
	return true
}

// document is a here-document: it lasts up to a line with this end.
type document struct {
	end  string
	tabs bool // may stand in front of it
}

// mostEndless bounds how often the end of a document is looked for in vain.
const mostEndless = 100

// skipDocuments goes behind those whose text begins in this line. One without an end is none: <<
// shifts bits, too.
func (r *reader) skipDocuments() {
	documents := r.documents
	r.documents = nil
	for _, d := range documents {
		begin, found := r.rest, r.endless > mostEndless
		for !found && r.rest != "" {
			text := line(r.rest)
			r.step(len(text) + 1)
			found = text == d.end || d.tabs && strings.TrimLeft(text, "\t") == d.end
		}
		if !found {
			r.rest = begin
			r.endless++
		}
	}
}
