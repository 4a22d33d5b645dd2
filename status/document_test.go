package status

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The page about the status shows what a terminal shows.
const (
	document = "../docs/status.md"
	command  = "$ kubectl exec deploy/web -- confit --status\n"
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
