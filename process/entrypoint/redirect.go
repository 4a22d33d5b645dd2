package entrypoint

import (
	"slices"
	"strings"
)

// redirects are the operators of redirections. The longer one comes first.
var redirects = []string{"&>>", "&>", "<<<", "<<-", "<<", "<>", "<&", "<", ">>", ">&", ">|", ">"}

// redirection reads one, if the reader stands at one, with the descriptor in front of it.
func (r *reader) redirection() bool {
	r.blanks()
	rest := r.text[r.at:]
	name, isNamed := strings.CutPrefix(rest, "{")
	behind, closes := strings.CutPrefix(strings.TrimLeft(name, letters+digits), "}")
	if isNamed && closes {
		rest = behind
	}
	rest = strings.TrimLeft(rest, digits)
	begins := func(op string) bool { return strings.HasPrefix(rest, op) }
	i := slices.IndexFunc(redirects, begins)
	if i < 0 || begins("<(") || begins(">(") {
		return false
	}
	r.at = len(r.text) - len(rest)
	r.skip(redirects[i])
	word := r.word()
	if tabs := redirects[i] == "<<-"; tabs || redirects[i] == "<<" {
		r.documents = append(r.documents, document{unquote.Replace(word), tabs})
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

// skipDocuments goes behind those whose text begins in this line. One without an end is none: << shifts bits, too.
func (r *reader) skipDocuments() {
	documents := r.documents
	r.documents = nil
	for _, d := range documents {
		begin, found := r.at, r.endless > mostEndless
		for !found && !r.ended() {
			text := line(r.text[r.at:])
			r.at = min(r.at+len(text)+1, len(r.text))
			found = text == d.end || d.tabs && strings.TrimLeft(text, "\t") == d.end
		}
		if !found {
			r.at = begin
			r.endless++
		}
	}
}
