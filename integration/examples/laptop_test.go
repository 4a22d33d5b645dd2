//go:build check

package examples

import (
	"os"
	"path/filepath"
	"testing"

	"confit/integration/internal/harness"
	"confit/integration/volume"
)

// tryItPage are the blocks of docs/try-it.md. Both ways to start come after the first block, and before all others.
var tryItPage = map[string]runner{
	"The files 1": besideStart, "Edit it 1": besideStart, "Edit it 2": besideStart,
	"Start it 1":                     startedAs("Start it 1"),
	"Start it 2":                     startedAs("Start it 2"),
	"Compose, Nomad, plain podman 1": manifestOf("try-it.md"),
}

// besideStart is for what the runner of another block runs, too.
func besideStart(*testing.T, string) {}

// laptop stands for what a laptop has: confit is built, docker runs an image that is this machine, and the user may be root.
const laptop = `
within() { for i in $(seq 600); do if grep -q "$1" /tmp/log; then return; fi; sleep 0.1; done; cat /tmp/log; exit 1; }
make() { :; }
sudo() { "$@"; }
docker() {
	while [ "$1" != nginx:1.29 ]; do [ "$1" != --entrypoint ] || entry=$2; shift; done; shift
	unshare --pid --fork --mount-proc --kill-child "$entry" "$@"
}
serves() { [ "$(curl -s http://127.0.0.1:8080/)" = "$1" ]; }
cd /repository
eval "$1"
eval "$2" >/tmp/log 2>&1 &
within 'generation accepted'
serves one
eval "$3"
within 'app reloaded' && within 'generation accepted.*generation=2'
serves two
eval "$4" || :
within 'candidate rejected.*step=validate'
serves two
code=0 && eval "$(printf %s "$4" | tail -n 1)" || code=$?
[ "$code" = 3 ]
`

// startedAs follows the page, with one of its ways to start.
func startedAs(way string) runner {
	return func(t *testing.T, _ string) {
		page := pageBlocks(t, "try-it.md")
		c := emptyContainer(t)
		c.mountImage()
		c.copy("confit", "/repository/bin/confit")
		c.env = []string{pathVariable, "HOME=/root"}
		c.command(0, nil, "/bin/sh", "-euc", laptop, "sh", page["The files 1"], page[way], page["Edit it 1"], page["Edit it 2"]).Ends(0)
	}
}

// ownAppPage are the blocks of docs/own-app.md.
var ownAppPage = map[string]runner{
	" 1":   goApp,
	"Go 1": goApp,
	"Python 1": func(t *testing.T, _ string) {
		ownApp(t, ownLinks(t), "Python 1", "app.py", "/usr/bin/python3", "/app/app.py")
	},
	"Node.js 1": func(t *testing.T, _ string) { ownApp(t, ownLinks(t), "Node.js 1", "app.js", "node", "/app/app.js") },
	"Java 1":    besideStart,
	"Java 2":    javaApp,
}

func ownLinks(t *testing.T) string { return pageBlocks(t, "own-app.md")[" 1"] }

func goApp(t *testing.T, _ string) {
	dir, text := t.TempDir(), pageBlocks(t, "own-app.md")["Go 1"]
	must(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module app\n"), 0o644))
	must(t, harness.GoBuild(dir, filepath.Join(dir, "app"), []string{"CGO_ENABLED=0"}))
	rereads(t, ownLinks(t), func(c *container) { c.write("/app/app", readFile(t, filepath.Join(dir, "app"))) }, "/app/app")
}

func javaApp(t *testing.T, _ string) {
	ownApp(t, pageBlocks(t, "own-app.md")["Java 1"], "Java 2", "App.java", "/usr/lib/jvm/default-java/bin/java", "/app/App.java")
}

// ownApp runs the source of a block.
func ownApp(t *testing.T, links, block, file string, app ...string) {
	rereads(t, links, func(c *container) { c.write("/app/"+file, pageBlocks(t, "own-app.md")[block]) }, app...)
}

// rereads makes a good edit, which the app takes as the same process, and a bad one, of which it dies.
func rereads(t *testing.T, links string, base func(*container), app ...string) {
	c := pod{configMaps: map[string]volume.Payload{"app": volume.Strings("workers", "4\n")}, app: app, base: base}.start(t, links)
	c.logs(1, "4 workers")
	c.edit("workers", "4", "8")
	c.logs(1, "8 workers")
	c.logs(1, reloaded, "signal=HUP")
	c.logs(2, `msg="generation accepted"`)
	if started := c.Lines(`msg="app started"`); len(started) != 1 {
		t.Errorf("the app was started %d times", len(started))
	}
	c.edit("workers", "8", "many")
	c.logs(1, `msg="candidate rejected"`, "step=probation")
	c.logs(2, "8 workers")
}
