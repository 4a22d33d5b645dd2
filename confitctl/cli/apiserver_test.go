package cli

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// maxResident is what a gate that waits may need: it waits in every pod.
const maxResident = 25 << 20

// TestAPIServer plays a roll-out against a real API server, with a role that
// first allows too little, and an outage in the middle.
func TestAPIServer(t *testing.T) {
	c := newCluster(t)
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", c.file("confitctl"), "confit/confitctl")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c.soon("gate", 1, `cannot get lease "web" in namespace "default": forbidden; allow "get" on resource "leases" of group "coordination.k8s.io"`)
	c.allow(`"get"`)
	c.soon("gate", 1, "there is none; the manifest has to make it")
	if code := c.call("POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases", `{"metadata": {"name": "web"}}`); code != http.StatusCreated {
		t.Fatalf("lease: status %d", code)
	}
	c.soon("gate", 1, `cannot update lease "web" in namespace "default": forbidden; allow "update" on`)
	c.allow(`"get", "update"`)
	c.rollOut()
	c.outage()
}

// rollOut: a canary; the others wait, one of them is stopped; then they go
// together.
func (c *cluster) rollOut() {
	c.soon("report", 0, "", "CONFIT_HASH=aaaa")
	c.expect(c.hook("gate", 0), 0, "")
	var waiting []hookProcess
	for i := range 8 {
		waiting = append(waiting, c.hook("gate", i+1))
	}
	for _, p := range waiting {
		c.eventually("it waits", func() bool {
			return strings.Contains(p.stderr.String(), "waiting: a canary is on its way\n")
		})
	}
	if n := resident(c.t, waiting[0]); n > maxResident {
		c.t.Errorf("a gate that waits has %d bytes resident", n)
	} else {
		c.t.Logf("a gate that waits has %d KiB resident", n>>10)
	}
	c.expect(c.hook("gate", 9, "CONFIT_STARTING=1"), 1, "the gate is closed: a canary is on its way")
	_ = waiting[0].Process.Signal(syscall.SIGTERM)
	c.expect(waiting[0], 143, "waiting")
	c.expect(c.hook("report", 0), 0, "")
	for _, p := range waiting[1:] {
		c.expect(p, 0, "")
	}
	var reports []hookProcess
	for i := range waiting[1:] {
		reports = append(reports, c.hook("report", i+2))
	}
	for _, p := range reports {
		c.expect(p, 0, "")
	}
	table, _ := exec.Command(c.file("confitctl"), "gate", "--lease", "web", "--kubeconfig", c.file("admin"), "--status").Output()
	if !strings.Contains(string(table), "bbbb  stable    8         0") {
		c.t.Errorf("got\n%s", table)
	}
}

// outage: who waits goes on to wait, who starts doesn't.
func (c *cluster) outage() {
	c.down()
	p := c.hook("gate", 1)
	c.eventually("it says that the server is away", func() bool {
		return strings.Contains(p.stderr.String(), `waiting: cannot get lease "web" in namespace "default": `)
	})
	c.expect(c.hook("gate", 9, "CONFIT_STARTING=1"), 1, "cannot get lease")
	c.up()
	c.expect(p, 0, "")
	c.expect(c.hook("report", 1, "CONFIT_OUTCOME=rolled-back", "CONFIT_STEP=probation"), 0, "")
	c.expect(c.hook("gate", 2), 1, "the gate is closed: bbbb was rejected by web-1 at step probation\n")
}

// expect waits for the end of a process.
func (c *cluster) expect(p hookProcess, code int, said string) {
	c.t.Helper()
	if got := p.end(); got != code || !strings.Contains(p.stderr.String(), said) {
		c.t.Fatalf("%s: exit %d, said %q; want %d, %q", p.Args[1], got, p.stderr.String(), code, said)
	}
}

// soon repeats a hook until the API server knows of the latest role.
func (c *cluster) soon(verb string, code int, said string, environ ...string) {
	c.t.Helper()
	c.eventually(verb+" ends with "+said, func() bool {
		p := c.hook(verb, 0, environ...)
		return p.end() == code && strings.Contains(p.stderr.String(), said)
	})
}

// resident is a process's memory: statm of proc(5), whose second number is in
// pages.
func resident(t *testing.T, p hookProcess) int {
	statm, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.Process.Pid), "statm"))
	fields := bytes.Fields(statm)
	if err != nil || len(fields) < 2 {
		t.Fatalf("%q, %v", statm, err)
	}
	pages, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}
