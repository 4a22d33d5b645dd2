//go:build check

package daemons

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
	"confit/integration/volume"
)

// site is the directory of one test: volumes, targets and state. It outlives the confits started on it.
type site struct {
	t   *testing.T
	dir string
	daemon
	front []string // what starts confit; nil: nothing
}

func newSite(t *testing.T, d daemon) *site {
	t.Helper()
	program := strings.Fields(d.app)[0]
	if _, err := exec.LookPath(program); err != nil {
		t.Fatalf("install what make check installs: %v", err)
	}
	s := &site{t, t.TempDir(), d, nil}
	must(t, os.Chmod(filepath.Dir(s.dir), 0o755))
	must(t, os.Chmod(s.dir, 0o755))
	for _, path := range []string{"volumes/web", "etc", "state"} {
		must(t, os.MkdirAll(filepath.Join(s.dir, path), 0o755))
	}
	for path, content := range d.image {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(s.dir, path)), 0o755))
		s.write(path, content)
	}
	return s
}

func (s *site) write(path, content string) {
	s.t.Helper()
	must(s.t, os.WriteFile(filepath.Join(s.dir, path), []byte(content), 0o644))
}

// swap makes the configuration the only key of the volume, as the kubelet does.
func (s *site) swap(configuration string) {
	s.t.Helper()
	must(s.t, volume.Write(filepath.Join(s.dir, "volumes/web"), volume.Payload{s.key: {Data: []byte(configuration), Mode: s.mode}}))
}

// What a daemon finds in its box besides Debian's files:
//
//	/srv/volumes  the volumes
//	/srv/etc      what the links point from
//	/srv          files of the image, such as an application
//	/run          empty at first
//	/run/confit   outlives a box, as an emptyDir does a container; pid files in /run must not
//	/dev/shm      of its own, which squid needs
//	/root         of its own, which is $HOME as in a container
const root = "/srv"

// confit is a running one with its daemon, and what both wrote. Each has its own ports and pid files.
type confit struct {
	*site
	*harness.Run
}

// start runs confit with the daemon, with these flags besides the lines of the links file.
func (s *site) start(flags ...string) *confit {
	s.t.Helper()
	s.write("links", s.links())
	argv := append(slices.Clip(s.front), confitPath, "--links", root+"/links", "--volumes", root+"/volumes", "--rescan", "1h")
	c := &confit{s, harness.Start(s.t, harness.Command{
		Argv: append(append(append(argv, flags...), "--"), words(s.app)...),
		Env:  []string{"PATH=" + filepath.Dir(confitPath) + ":/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root"},
		Dir:  "/",
		Box: harness.Box{Net: true, Mounts: []harness.Mount{
			harness.Tmpfs("/run", "mode=0755"), harness.Bind(filepath.Join(s.dir, "state"), "/run/confit"),
			harness.Bind(s.dir, root), harness.Tmpfs("/dev/shm", ""), harness.Tmpfs("/root", "mode=0700"),
		}},
	})}
	c.AtEnd = c.atEnd
	return c
}

// words are those of a command line. What is in quotes is one.
func words(command string) (list []string) {
	for i, part := range strings.Split(command, "'") {
		if quoted := i%2 == 1; quoted {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}

// atEnd also checks what must hold in every test, whatever it is about.
func (c *confit) atEnd() {
	if c.logged("goroutine ") > 0 {
		c.t.Error("confit crashed")
	}
	if c.t.Failed() {
		c.t.Logf("links file:\n%s", c.links())
	}
}

// logs waits for a line of the log that holds all of these.
func (c *confit) logs(parts ...string) {
	c.t.Helper()
	c.Eventually(fmt.Sprintf("a log line with %q", parts), func() bool { return c.logged(parts...) > 0 })
}

// wantLogged checks how many lines of the log hold all of these. It waits for them, as they may come in late; it doesn't wait for
// a line that must not be there.
func (c *confit) wantLogged(want int, parts ...string) {
	c.t.Helper()
	if want > 0 {
		c.Eventually(fmt.Sprintf("%d log lines with %q", want, parts), func() bool { return c.logged(parts...) >= want })
	}
	if got := c.logged(parts...); got != want {
		c.t.Errorf("%d log lines with %q, want %d", got, parts, want)
	}
}

// stops asks confit to stop, as a container runtime does, and checks the exit code.
func (c *confit) stops(code int) {
	c.t.Helper()
	c.Signal(syscall.SIGTERM)
	c.Ends(code)
}

// logged counts the lines that hold all of these.
func (c *confit) logged(parts ...string) int { return len(c.Lines(parts...)) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
