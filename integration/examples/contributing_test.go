//go:build check

package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

// byHand starts what the first argument says, in directories of its own, and does what the second one says
// once the app has started. It ends when the app has taken that, and with it all that was started.
const byHand = `
within() { for i in $(seq 600); do if grep -q "$1" "$out"; then return; fi; sleep 0.1; done; cat "$out"; exit 1; }
mkdir -p /tmp/c && mount -t tmpfs tmpfs /tmp/c
out=$(pwd)/out && touch "$out"
sh -euc "$1" >"$out" 2>&1 &
within 'started: one'
sh -euc "$2"
within 'reloaded: two' && within 'app reloaded' && within 'generation accepted'
cat "$out"
`

// TestContributing follows the page for a first change as far as it is shell: confit runs by hand, and takes a swap. The tests that
// it names are there.
func TestContributing(t *testing.T) {
	t.Parallel()
	top, err := harness.Root()
	must(t, err)
	blocks := blocksOf(readFile(t, filepath.Join(top, "CONTRIBUTING.md")))
	const heading = "Build it, and see it work "
	if len(blocks) != 3 {
		t.Errorf("this test knows three blocks, the page has %d", len(blocks))
	}

	for line := range strings.Lines(blocks[heading+"1"]) {
		if packages, isTest := strings.CutPrefix(line, "go test "); isTest {
			list := exec.Command("go", append([]string{"list"}, strings.Fields(packages)...)...)
			list.Dir = top
			if out, err := list.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", line, err, out)
			}
		} else if command, _, _ := strings.Cut(line, " #"); strings.TrimSpace(command) != "make build" {
			t.Errorf("this test doesn't know %q", line)
		}
	}

	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "bin"), 0o755))
	must(t, harness.WriteProgram(filepath.Join(dir, "bin/confit"), []byte(readFile(t, confitPath))))
	cmd := exec.Command("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
		"sh", "-euc", byHand, "sh", blocks[heading+"2"], blocks[heading+"3"])
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("by hand: %v\n%s", err, out)
	}
}
