// Command screenshot draws the lines that it reads as a terminal shows them, as an SVG picture:
//
//	screenshot light|dark <LINES >PICTURE
//
// It guarantees the same bytes for the same lines. The colours of a line are those of make demo on a terminal: a command is bold, what an
// edit takes away and what refuses it is red, what an edit adds is green.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "screenshot:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) != 1 || themes[args[0]] == (theme{}) {
		return errors.New("write a theme: screenshot light|dark <LINES >PICTURE")
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("cannot read the lines: %w", err)
	}
	_, err = out.Write(draw(themes[args[0]], string(text)))
	return err
}

// theme has a colour for each kind of line.
type theme struct {
	ground, plain, dim, red, green string
}

// themes are by the names that a page asks for. The colours are GitHub's own, so that a picture looks like the page around it.
var themes = map[string]theme{
	"light": {ground: "#f6f8fa", plain: "#1f2328", dim: "#59636e", red: "#cf222e", green: "#1a7f37"},
	"dark":  {ground: "#151b23", plain: "#f0f6fc", dim: "#9198a1", red: "#ff7b72", green: "#3fb950"},
}

// The measures of a picture, in pixels. A letter of these fonts is six tenths of their size wide.
const (
	size   = 13
	letter = size * 6 / 10.0
	row    = 18
	margin = 16
)

// draw writes each line at its place. The blanks of a line count.
func draw(t theme, text string) []byte {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	columns := 0
	for _, line := range lines {
		columns = max(columns, utf8.RuneCountInString(line))
	}
	width, height := int(float64(columns)*letter)+2*margin, len(lines)*row+2*margin
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" `, width, height)
	fmt.Fprintf(&b, `font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="%d">`+"\n", size)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="6" fill="%s"/>`+"\n", width, height, t.ground)
	colour := t.plain
	for i, line := range lines {
		colour = t.colourOf(line, colour)
		weight := ""
		if strings.HasPrefix(line, "$ ") {
			weight = ` font-weight="bold"`
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" fill="%s"%s xml:space="preserve" style="white-space: pre">%s</text>`+"\n",
			margin, margin+i*row+size, colour, weight, escaper.Replace(line))
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// colourOf is a line's colour. A line of the log that goes on has the colour of its beginning.
func (t theme) colourOf(line, before string) string {
	switch {
	case strings.HasPrefix(line, "       | "):
		return before
	case strings.HasPrefix(line, "- "), strings.Contains(line, "[emerg]"), strings.Contains(line, "level=ERROR"):
		return t.red
	case strings.HasPrefix(line, "+ "):
		return t.green
	case strings.HasPrefix(line, "confit | "):
		return t.dim
	}
	return t.plain
}
