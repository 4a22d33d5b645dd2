package manifest

import (
	"encoding/json"
	"strings"
)

// chunk is a document of a stream, with what stands in front of it.
type chunk struct {
	lead string // the line that parts it from the one before
	text string
	line int // of the text
}

// split takes a stream of YAML apart, byte for byte. Neither a --- nor a ... at the beginning of a line can be anything
// else than a mark between documents.
func split(stream string) (list []chunk) {
	lead, start, number := "", 0, 1 // of the document that goes on
	at, n := 0, 0
	for line := range strings.Lines(stream) {
		n++
		if mark := markOf(line); mark != "" {
			list = append(list, chunk{lead, stream[start:at], number})
			lead, start, number = mark, at+len(mark), n+strings.Count(mark, "\n")
		}
		at += len(line)
	}
	return append(list, chunk{lead, stream[start:], number})
}

// markOf is what parts two documents: the whole line, or the dashes alone where a document begins on their line.
func markOf(line string) string {
	rest, starts := strings.CutPrefix(line, "---")
	content := strings.TrimSpace(rest)
	switch {
	case starts && content != "" && strings.ContainsAny(rest[:1], " \t") && content[0] != '#':
		return "---"
	case starts && (content == "" || strings.ContainsAny(rest[:1], " \t")), strings.TrimRight(line, " \t\r\n") == "...":
		return line
	}
	return ""
}

// splitJSON takes a chunk apart that is objects of JSON one after the other. It says no if it is anything else.
func splitJSON(c chunk) (list []chunk, ok bool) {
	d := json.NewDecoder(strings.NewReader(c.text))
	end := 0
	for d.More() {
		var value json.RawMessage
		if d.Decode(&value) != nil || value[0] != '{' {
			return nil, false
		}
		start := int(d.InputOffset()) - len(value)
		list = append(list, chunk{lead: c.text[end:start], text: string(value), line: c.line + strings.Count(c.text[:start], "\n")})
		end = int(d.InputOffset())
	}
	if len(list) == 0 || strings.TrimSpace(c.text[end:]) != "" {
		return nil, false
	}
	list[0].lead = c.lead + list[0].lead
	return append(list, chunk{lead: c.text[end:]}), true
}
