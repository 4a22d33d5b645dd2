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
	now := chunk{line: 1}
	n := 0
	for line := range strings.Lines(stream) {
		n++
		rest, isStart := strings.CutPrefix(line, "---")
		isStart = isStart && (rest == "" || strings.ContainsAny(rest[:1], " \t\r\n"))
		content := strings.TrimSpace(rest)
		switch {
		case isStart && content != "" && content[0] != '#':
			list = append(list, now)
			now = chunk{lead: "---", text: rest, line: n}
		case isStart, strings.TrimRight(line, " \t\r\n") == "...":
			list = append(list, now)
			now = chunk{lead: line, line: n + 1}
		default:
			now.text += line
		}
	}
	return append(list, now)
}

// splitJSON takes a chunk apart that is values of JSON one after the other. It says no if it is anything else.
func splitJSON(c chunk) (list []chunk, ok bool) {
	if !strings.HasPrefix(strings.TrimSpace(c.text), "{") {
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(c.text))
	start := int64(0)
	for d.More() {
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil, false
		}
		gap := strings.Index(c.text[start:], "{")
		part := chunk{lead: c.text[start : start+int64(gap)], text: c.text[start+int64(gap) : d.InputOffset()]}
		part.line = c.line + strings.Count(c.text[:start], "\n") + strings.Count(part.lead, "\n")
		list = append(list, part)
		start = d.InputOffset()
	}
	list[0].lead = c.lead + list[0].lead
	return append(list, chunk{lead: c.text[start:]}), true
}
