package status

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// The page about the status shows what a terminal shows, as text and as a
// picture.
const (
	document = "../docs/status.md"
	picture  = "../docs/status.svg"
	command  = "$ kubectl exec -it deploy/web -- confit --status\n"
)

// screenshot is what stands on the terminal: testdata/rejected.txt below the
// command.
func screenshot() string {
	s := rejected()
	return command + string(s.Text(noon))
}

// TestPageShowsText: the page has that text. -update puts it there.
func TestPageShowsText(t *testing.T) {
	content, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```text\n" + regexp.QuoteMeta(command) + ".*?```")
	want := "```text\n" + screenshot() + "```"
	if *update {
		content = block.ReplaceAllLiteral(content, []byte(want))
		if err := os.WriteFile(document, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := string(block.Find(content)); got != want {
		t.Errorf("%s shows\n%s\nwant\n%s", document, got, want)
	}
}

// TestPicture: the picture is made of the same text. -update makes it.
func TestPicture(t *testing.T) {
	want := draw(screenshot())
	if *update {
		if err := os.WriteFile(picture, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(picture); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s isn't what the text is drawn as (%v): run go test ./status -update", picture, err)
	}
	if err := xml.Unmarshal(want, new(struct{ XMLName xml.Name })); err != nil {
		t.Error(err)
	}
}

// Measures of the picture, in pixels.
const (
	advance = 8  // of a character
	leading = 19 // of a line
	margin  = 18
	bar     = 30 // of the window's title
)

// draw makes a picture of a terminal with a text. Each line says how long it is,
// so that its columns stand, whatever font there is: SVG 1.1, 10.5.
func draw(text string) []byte {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	width, height := columns*advance+2*margin, len(lines)*leading+2*margin+bar
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img">
<title>confit --status on a terminal</title>
<rect width="%[1]d" height="%[2]d" rx="8" fill="#1b1f27"/>
<g fill="#3d4552"><circle cx="20" cy="17" r="5.5"/><circle cx="38" cy="17" r="5.5"/><circle cx="56" cy="17" r="5.5"/></g>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13.3" fill="#d7dce4">
`, width, height)
	for i, line := range lines {
		indented := strings.TrimLeft(line, " ")
		x, y, n := margin+(len(line)-len(indented))*advance, bar+margin+leading*(i+1)-8, utf8.RuneCountInString(indented)
		if n == 0 {
			continue
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" textLength="%d">`, x, y, n*advance)
		unbroken := strings.ReplaceAll(indented, " ", "\u00a0") // browsers make one of several blanks
		_ = xml.EscapeText(&b, []byte(unbroken))                // memory doesn't fail
		b.WriteString("</text>\n")
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

// TestHeadlinesDocumented: the page explains each first line that there is.
func TestHeadlinesDocumented(t *testing.T) {
	content, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range texts() {
		line, _, _ := strings.Cut(s.headline(noon), "; confit is ")
		if word, rest, _ := strings.Cut(line, ": "); word == "REJECTED" {
			line = rest
		}
		if !bytes.Contains(content, []byte(line)) {
			t.Errorf("%s doesn't explain %q of %s", document, line, name)
		}
	}
}
