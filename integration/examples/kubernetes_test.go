//go:build check

package examples

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/volume"
)

// kubernetesPage are the blocks of docs/kubernetes.md: make e2e runs those with a scene of their own.
var kubernetesPage = map[string]runner{
	"Images with an entrypoint script 1": inScene, "Images that aren't rebuilt 1": inScene, "Locked-down pods 1": inScene,
	"Locked-down pods 2": inScene, "Locked-down pods 3": inScene, "How long a change takes 1": inScene,

	"Helm 1":                              manifestOf("kubernetes.md"),
	"The app gives up root 1":             givesUpRoot,
	"An image without a shell 1":          withoutShell,
	"An image without a shell 2":          builtWithoutShell,
	"Workloads other than a Deployment 1": jobKeepsItsFile,
	"Workloads other than a Deployment 2": manifestOf("kubernetes.md"),
}

// inScene is for what the real node runs. A test there holds that each section has a scene.
var inScene = heldBy("integration/e2e/page.go", "docs/kubernetes.md")

// givesUpRoot runs each ENTRYPOINT with an app that says who reloads.
func givesUpRoot(t *testing.T, block string) {
	for line := range strings.Lines(block) {
		var entrypoint []string
		must(t, json.Unmarshal([]byte(strings.TrimPrefix(line, "ENTRYPOINT ")), &entrypoint))
		c := pod{
			configMaps: map[string]volume.Payload{"web": volume.Strings("text", first)},
			app: append(entrypoint[2:], "sh", "-c",
				`trap 'echo "$(id -un) reads $(cat /etc/web/text)"' HUP; trap 'exit 5' TERM; while :; do sleep 0.2; done`),
		}.start(t, "link web/text /etc/web/text\n"+forLife)
		c.edit("text", first, second)
		c.logs(1, "nobody reads "+second)
		c.logs(2, `msg="generation accepted"`)
		c.Signal(unix.SIGTERM)
		c.Ends(5)
	}
}

// shellless is an app that checks its own file, and reads it at HUP.
const shellless = `package main

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	if len(os.Args) > 1 {
		if text, err := os.ReadFile(os.Args[2]); err != nil || !strings.HasPrefix(string(text), "{") {
			fmt.Println("not JSON")
			os.Exit(1)
		}
		return
	}
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	for range hup {
		text, _ := os.ReadFile("/etc/app.json")
		fmt.Printf("read %s\n", text)
	}
}
`

// withoutShell has nothing in its file system but confit, the app and the links file.
func withoutShell(t *testing.T, links string) {
	c := newShellless(t, links)
	c.dockerfile = dockerfile{stopSignal: unix.SIGTERM, entrypoint: []string{"confit", "--", "/app"}}
	c.copy("confit", "/usr/local/bin/confit")
	c.copy("links", "/etc/confit/links")
	c.start("CONFIT_PROBATION=1s")
	c.readsSecond()
	c.edit("app.json", "{2}", "2}")
	c.logs(1, `msg="candidate rejected"`, "step=validate")
	c.logs(1, "not JSON")
}

// builtWithoutShell makes the links when the image is built, so nobody need write to it.
func builtWithoutShell(t *testing.T, text string) {
	c := newShellless(t, pageBlocks(t, "kubernetes.md")["An image without a shell 1"])
	file := filepath.Join(c.source, "Dockerfile")
	text = "FROM example.com/app\nCOPY confit /usr/local/bin/confit\nCOPY links /etc/confit/links\n" + text +
		"USER 65532\nENTRYPOINT [\"confit\", \"--\"]\nCMD [\"/app\"]\n"
	must(t, os.WriteFile(file, []byte(text), 0o644))
	c.dockerfile, c.readOnly = readDockerfile(t, file), true
	c.build()
	c.start("CONFIT_PROBATION=1s")
	c.readsSecond()
}

// newShellless has the app in its file system, and a volume with its file. The links file is to be copied.
func newShellless(t *testing.T, links string) *container {
	t.Helper()
	c := emptyContainer(t)
	c.source = t.TempDir()
	c.mount(c.root, "", "", unix.MS_BIND, "") // a root is a mount
	must(t, os.WriteFile(filepath.Join(c.source, "links"), []byte(links), 0o644))
	must(t, os.WriteFile(filepath.Join(c.source, "main.go"), []byte(shellless), 0o644))
	build := exec.Command("go", "build", "-o", filepath.Join(c.root, "app"), filepath.Join(c.source, "main.go"))
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s (%v)", out, err)
	}
	c.manifest = manifest{
		configMaps: map[string]volume.Payload{"web": volume.Strings("app.json", "{1}")},
		sources:    map[string]string{"state": "", "web": "web"}, mounts: map[string]string{"/run/confit": "state", "/confit/web": "web"},
	}
	for _, dir := range []string{"proc", "dev"} { // which each container has
		must(t, os.Mkdir(filepath.Join(c.root, dir), 0o755))
	}
	c.mount("/dev", "dev", "", unix.MS_BIND|unix.MS_REC, "")
	c.mountVolumes()
	return c
}

// readsSecond edits the app's file, which it reads at HUP.
func (c *container) readsSecond() {
	c.t.Helper()
	c.logs(1, `msg="generation accepted"`)
	c.edit("app.json", "{1}", "{2}")
	c.logs(1, "read {2}")
	c.logs(2, `msg="generation accepted"`)
}

// jobKeepsItsFile is a Job whose configuration is edited: its app isn't disturbed, and its exit code is the container's.
func jobKeepsItsFile(t *testing.T, links string) {
	c := pod{
		configMaps: map[string]volume.Payload{"batch": volume.Strings("job.json", first)},
		app:        []string{"sh", "-c", `trap 'echo disturbed' HUP TERM; while test "$(cat /etc/job.json)" = "` + first + `"; do sleep 0.1; done; exit 7`},
	}.start(t, links)
	c.edit("job.json", first, second)
	c.Ends(7)
	if lines := c.Lines("disturbed"); len(lines) > 0 {
		t.Errorf("the app was %q", lines)
	}
}
