//go:build check

// Package diagrams has real Mermaid draw every picture of the pages, in a real browser, as GitHub does: a slip of the pen would show
// readers an error instead. It holds that each can be read at the width of a page, too.
//
// To see them: go test ./integration/diagrams -png /tmp/pictures.png
package diagrams

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"confit/integration/internal/harness"
	"confit/integration/markdown"
)

var png = flag.String("png", "", "a file to write what the browser shows to")

// patience is for a machine that is busy with other tests. The browser needs a second.
const patience = 2 * time.Minute

// maxWidth is how wide a picture may be, in pixels. A page of GitHub has 830: what is wider is shrunk, and so are its letters.
const maxWidth = 1200

// mistake can't be drawn. It comes after the pictures, to see that one is found.
const mistake = "flowchart LR\n  a -->\n"

func TestDiagrams(t *testing.T) {
	places, sources := pictures(t)
	if len(sources) == 0 {
		t.Fatal("no page has a picture")
	}
	drawn := draw(t, append(sources, mistake))
	for i, place := range places {
		switch p := drawn[i]; {
		case p.Error != "":
			t.Errorf("%s: %s in\n%s", place, p.Error, sources[i])
		case p.Labels == 0:
			t.Errorf("%s: nothing is written in the picture", place)
		case p.Width > maxWidth:
			t.Errorf("%s: %.0f pixels are too wide to be read: %d are enough", place, p.Width, maxWidth)
		default:
			t.Logf("%s: %.0f × %.0f pixels, %d labels", place, p.Width, p.Height, p.Labels)
		}
	}
	if drawn[len(places)].Error == "" {
		t.Errorf("a mistake is drawn as %+v", drawn[len(places)])
	}
}

// pictures lists those of all pages, and where they stand.
func pictures(t *testing.T) (places, sources []string) {
	t.Helper()
	top, err := harness.Root()
	must(t, err)
	pages, err := markdown.Pages(top)
	must(t, err)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		must(t, err)
		for _, b := range markdown.Blocks(string(text)) {
			if b.Language == "mermaid" {
				places = append(places, fmt.Sprintf("%s:%d", page, b.Line))
				sources = append(sources, b.Text)
			}
		}
	}
	return places, sources
}

// picture is what became of one.
type picture struct {
	Error         string
	Width, Height float64
	Labels        int
}

var results = regexp.MustCompile(`<pre id="results"[^>]*>([^<]*)</pre>`)

func draw(t *testing.T, sources []string) []picture {
	t.Helper()
	dir := t.TempDir()
	install(t, dir)
	array, err := json.Marshal(sources)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "sources.js"), append([]byte("const sources = "), array...), 0o644))
	page := "file://" + filepath.Join(dir, "page.html")
	dom := browse(t, dir, "--dump-dom", page)
	found := results.FindSubmatch(dom)
	if found == nil {
		t.Fatalf("the browser shows no results, but\n%s", dom)
	}
	var list []picture
	if err := json.Unmarshal([]byte(html.UnescapeString(string(found[1]))), &list); err != nil || len(list) != len(sources) {
		t.Fatalf("%d of %d pictures were drawn: %v", len(list), len(sources), err)
	}
	if *png != "" {
		browse(t, dir, "--screenshot="+*png, page)
	}
	return list
}

// install has npm install the Mermaid that testdata names. It is the one without the kinds of picture that need large libraries.
func install(t *testing.T, dir string) {
	t.Helper()
	must(t, os.CopyFS(dir, os.DirFS("testdata/mermaid")))
	cmd := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("cannot install Mermaid: %v\n%s", err, out)
	}
	must(t, os.Symlink("node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js", filepath.Join(dir, "mermaid.js")))
}

// browse has the browser open a page and returns what it prints. Time is virtual: it goes on when the page has nothing left to do. root
// has no sandbox, and a container's /dev/shm is small.
func browse(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	args = append([]string{
		"--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars", "--window-size=830,1200",
		"--virtual-time-budget=60000", "--user-data-dir=" + filepath.Join(dir, "browser"),
	}, args...)
	var log strings.Builder
	cmd := exec.CommandContext(ctx, "chromium-headless-shell", args...)
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("cannot run the browser: %v\n%s", err, log.String())
	}
	return out
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
