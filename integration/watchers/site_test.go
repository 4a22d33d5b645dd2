//go:build check

package watchers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

const (
	address       = "127.0.0.1:8080"
	configuration = "/srv/etc/app.yaml"
)

// site is the directory of one test: volume, targets and state. In the box it is /srv, but for the state, which is /run/confit.
type site struct {
	t      *testing.T
	dir    string
	lines  []string // of the links file
	mounts []harness.Mount
	writer *harness.Companion // the kubelet's AtomicWriter on the volume
}

func newSite(t *testing.T, lines ...string) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), lines: append(lines, "link web/app.yaml "+configuration)}
	for _, path := range []string{"volumes/web", "etc", "state", "programs", "testdata"} {
		must(t, os.MkdirAll(s.path(path), 0o755))
	}
	testdata, err := filepath.Abs("testdata")
	must(t, err)
	s.mounts = []harness.Mount{
		harness.Tmpfs("/run", "mode=0755"), harness.Bind(s.path("state"), "/run/confit"),
		harness.Bind(programs.dir, "/srv/programs"), harness.Bind(testdata, "/srv/testdata"),
	}
	s.writer, err = harness.Accompany(exec.Command(programs.kubelet, "--stdin", s.path("volumes/web")))
	must(t, err)
	t.Cleanup(func() { must(t, s.writer.End()) })
	return s
}

func (s *site) path(elements ...string) string {
	return filepath.Join(append([]string{s.dir}, elements...)...)
}

// swap makes the text the only key of the volume.
func (s *site) swap(text string) {
	s.t.Helper()
	payload, err := json.Marshal(map[string]any{"keys": map[string]any{"app.yaml": map[string]any{"data": text}}})
	must(s.t, err)
	must(s.t, s.writer.Tell(payload))
	must(s.t, s.writer.Expect("ok"))
}

// named is a configuration by whose name an answer is known.
func named(name string) string { return "name: " + name + "\n" }

// confit is a started one with its app.
type confit struct {
	*site
	*harness.Run
}

func (s *site) start(app ...string) *confit {
	s.t.Helper()
	mounts := append([]harness.Mount{harness.Bind(s.dir, "/srv"), harness.Tmpfs("/root", "mode=0700")}, s.mounts...)
	must(s.t, os.WriteFile(s.path("links"), []byte(strings.Join(s.lines, "\n")+"\n"), 0o644))
	argv := []string{programs.confit, "--links", "/srv/links", "--volumes", "/srv/volumes", "--rescan", "1h", "--"}
	return &confit{s, harness.Start(s.t, harness.Command{
		Argv: append(argv, app...), Dir: "/", Box: harness.Box{Net: true, Mounts: mounts},
		Env: []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root"},
	})}
}

func (s *site) run(app service) *confit {
	s.t.Helper()
	if app.prepare != nil {
		app.prepare(s.t)
	}
	return s.start(slices.Concat(app.app, []string{configuration, address}, app.arguments)...)
}

// ask is what the app answers; "" when it doesn't.
func (c *confit) ask() string {
	ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
	defer cancel()
	connection, err := c.Dial(ctx, "tcp", address)
	if err != nil {
		return ""
	}
	defer connection.Close()
	deadline, _ := ctx.Deadline()
	_ = connection.SetDeadline(deadline)
	fmt.Fprint(connection, "GET / HTTP/1.0\r\n\r\n")
	text, _ := io.ReadAll(connection)
	return string(text)
}

// serves waits for an answer with this name.
func (c *confit) serves(name string) {
	c.t.Helper()
	c.Eventually("an answer of "+name, func() bool { return strings.Contains(c.ask(), name) })
}

// logs waits for so many lines of the log that hold all of these, and fails if there are more.
func (c *confit) logs(want int, parts ...string) {
	c.t.Helper()
	c.Eventually(fmt.Sprintf("%d log lines with %q", want, parts), func() bool { return len(c.Lines(parts...)) >= want })
	if got := len(c.Lines(parts...)); got != want {
		c.t.Errorf("%d log lines with %q, want %d", got, parts, want)
	}
}

// read is what the status says about whether the app has opened what changed.
func (c *confit) read() *bool {
	var status struct{ App struct{ Read *bool } }
	if text, err := os.ReadFile(c.path("state/status.json")); err == nil {
		must(c.t, json.Unmarshal(text, &status))
	}
	return status.App.Read
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
