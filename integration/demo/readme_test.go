package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

var update = flag.Bool("update", false, "write what the demo prints into the README")

// excerpt says which lines of the demo the README has: each is the first one with these words below the one before.
var excerpt = []string{
	"$ kubectl edit", `- return 200 "The first`, `+ return 200 "The second`, `msg="app reloaded"`,
	"$ kubectl edit", `- return 200 "The second`, `+ retrun 200 "The third`, "[emerg]", "| /run/confit/generations/",
	`msg="candidate rejected"`, "ended with exit 1", "live=", "the next change is tried",
	"$ curl", "The second edition.",
}

// varying is what is another at each run, or on another machine, and what the README has instead.
var varying = []struct {
	words *regexp.Regexp
	as    string
}{
	{regexp.MustCompile(`\bpid=\d+`), "pid=17"},
	{regexp.MustCompile(`\d{4}/\d\d/\d\d \d\d:\d\d:\d\d (\[\w+\]) \d+#\d+:`), "$1"},
}

// block is where the README has the lines.
var block = regexp.MustCompile("(?s)```text\n(.*?)```")

// TestReadmeShowsTheDemo runs the demo, and holds that the README has its lines. -update writes them.
func TestReadmeShowsTheDemo(t *testing.T) {
	dir := t.TempDir()
	confit, demo := filepath.Join(dir, "confit"), filepath.Join(dir, "demo")
	if err := harness.BuildConfit(confit); err != nil {
		t.Fatal(err)
	}
	if err := harness.GoBuild(".", demo, nil); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(demo, confit).CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	want := "```text\n" + picked(t, string(out)) + "```"
	const readme = "../../README.md"
	page, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		page = block.ReplaceAllLiteral(page, []byte(want))
		if err := os.WriteFile(readme, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := string(block.Find(page)); got != want {
		t.Errorf("the README shows\n%s\nand the demo prints\n%s\ngo test ./integration/demo -update writes that", got, want)
	}
}

// picked are the lines of the excerpt.
func picked(t *testing.T, output string) (text string) {
	t.Helper()
	rest := strings.Split(output, "\n")
	for _, words := range excerpt {
		for len(rest) > 0 && !strings.Contains(rest[0], words) {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			t.Fatalf("the demo prints no line with %q any more:\n%s", words, output)
		}
		line := strings.TrimPrefix(rest[0], "  ")
		for _, v := range varying {
			line = v.words.ReplaceAllString(line, v.as)
		}
		text, rest = text+line+"\n", rest[1:]
	}
	return text
}
