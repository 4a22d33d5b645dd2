package config

import (
	"fmt"
	"io"
	"strings"
)

// linesText joins the values of --lines, or that of CONFIT_LINES, to one text. A text of
// blanks is none. A path in its place is one of a links file.
func (p *parser) linesText(values []given) (text string) {
	var from given
	for _, g := range values {
		if strings.TrimSpace(g.value) != "" {
			from, text = g, text+g.value+"\n"
		}
	}
	p.config.LinesFrom = from.where
	if path := strings.TrimSpace(text); strings.Contains(path, "/") && !strings.ContainsAny(path, " \t\n") {
		p.errorf("%s: %q is no line: for the path of a links file, write %s", from.where, path, from.sibling("links"))
		return ""
	}
	for i, line := range strings.Split(text, "\n") {
		if strings.Contains(strings.ReplaceAll(line, "$$", ""), "$(") {
			p.config.expanded = append(p.config.expanded, fmt.Sprintf("%s:%d", from.where, i+1))
		}
	}
	return text
}

// noteExpanded names what the kubelet would expand in a manifest. In a pod it has done so.
func (c *Config) noteExpanded(w io.Writer) {
	for _, where := range c.expanded {
		if !c.Pod {
			fmt.Fprintf(w, "note: %s: the kubelet expands $(NAME) in a manifest: write $$(NAME) there to have it as it stands\n", where)
		}
	}
}
