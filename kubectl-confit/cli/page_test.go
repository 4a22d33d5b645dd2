package cli

import (
	"flag"
	"os"
	"strings"
	"testing"

	"confit/internal/markdown"
)

var update = flag.Bool("update", false, "write anew what the page shows of a run")

const page = "../../docs/kubectl.md"

// TestPage: what kubectl.md shows is what a run of its command makes of its manifest.
func TestPage(t *testing.T) {
	text := readFile(t, page)
	blocks := markdown.Blocks(text)
	if len(blocks) != 4 {
		t.Fatalf("the page has %d blocks, want a manifest, a command, stderr and stdout", len(blocks))
	}
	path, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	manifest, command, stderr, stdout := blocks[0].Text, blocks[1].Text, blocks[2].Text, blocks[3].Text
	args, _, _ := strings.Cut(strings.TrimPrefix(command, "kubectl confit "), " >")
	r := run(t, manifest, strings.Fields(args)...)
	const head = "    spec:\n"
	_, shown, _ := strings.Cut(r.stdout, head)
	if r.code != 0 || r.stderr != stderr || stdout != head+shown {
		t.Errorf("the page shows\n%s%s\nand a run makes\n%+v", stderr, stdout, r)
	}
	if *update {
		text = strings.Replace(text, "\n```\n"+stderr, "\n```\n"+r.stderr, 1)
		text = strings.Replace(text, "\n\n```yaml\n"+stdout+"```", "\n\n```yaml\n"+head+shown+"```", 1)
		if err := os.WriteFile(path+"/"+page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
