package manifest

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// widen moves those lists of a text to the right that stood there before they were encoded. The text has none there.
func widen(n *yaml.Node, s style, text string) (string, error) {
	now := &yaml.Node{}
	if err := yaml.Unmarshal([]byte(text), now); err != nil {
		return "", err
	}
	lines := strings.SplitAfter(text, "\n")
	by := make([]int, len(lines))
	s.widths(n, now, func(list *yaml.Node, width int) {
		for i := range extent(lines, list) {
			by[list.Line-1+i] += width
		}
	})
	var out strings.Builder
	for i, line := range lines {
		if strings.TrimSpace(line) != "" {
			out.WriteString(strings.Repeat(" ", by[i]))
		}
		out.WriteString(line)
	}
	return out.String(), nil
}

// widths calls do for each list that is to move, as it was encoded, and by how much.
func (s style) widths(was, now *yaml.Node, do func(list *yaml.Node, width int)) {
	if len(was.Content) != len(now.Content) {
		return
	}
	for i, child := range was.Content {
		written := now.Content[i]
		if was.Kind == yaml.MappingNode && i%2 == 1 && written.Kind == yaml.SequenceNode && written.Style&yaml.FlowStyle == 0 && len(written.Content) > 0 {
			width := child.Column - was.Content[i-1].Column
			if child.Line <= was.Content[i-1].Line { // it is new, or was on a line
				width = map[bool]int{true: 2}[s.wide]
			}
			if width > 0 {
				do(written, width)
			}
		}
		s.widths(child, written, do)
	}
}

// extent is how many lines a list has that begins with the dash of its first item: those further to the right, its other dashes, and what is
// said of these.
func extent(lines []string, list *yaml.Node) (n int) {
	for i, line := range lines[list.Line-1:] {
		text := strings.TrimLeft(line, " ")
		column := len(line) - len(text) + 1
		switch {
		case strings.TrimSpace(text) == "", column == list.Column && strings.HasPrefix(text, "#"): // as what follows
		case column > list.Column, column == list.Column && (strings.HasPrefix(text, "- ") || text == "-\n"):
			n = i + 1
		default:
			return n
		}
	}
	return n
}
