//go:build fleet

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

	"confit/integration/cluster"
)

// maxResident is what a gate that waits may need: it waits in every pod.
const maxResident = 25 << 20

// TestAPIServer plays a rollout against a real API server, with a role that
// first allows too little, and an outage in the middle.
func TestAPIServer(t *testing.T) {
	s := newSite(t)
	s.soon("gate", 1, `cannot get lease "web" in namespace "default": forbidden; allow "get" on resource "leases" of group "coordination.k8s.io"`)
	s.Allow("web", cluster.LeaseRule("web", "get"))
	s.soon("gate", 1, "there is none; the manifest has to make it")
	s.Must(http.MethodPost, cluster.Leases, `{"metadata": {"name": "web"}}`, http.StatusCreated)
	s.soon("gate", 1, `cannot update lease "web" in namespace "default": forbidden; allow "update" on`)
	s.Allow("web", cluster.LeaseRule("web", "get", "update"))
	s.rollOut()
	s.outage()
}

// rollOut: a canary; the others wait, one of them is stopped; then they go
// together.
func (s *site) rollOut() {
	s.soon("report", 0, "", "CONFIT_HASH=aaaa")
	s.expect(s.hook("gate", 0), 0, "")
	var waiting []hookProcess
	for i := range 8 {
		waiting = append(waiting, s.hook("gate", i+1))
	}
	for _, p := range waiting {
		s.eventually("it waits", func() bool {
			return strings.Contains(p.stderr.String(), "waiting: a canary is on its way\n")
		})
	}
	if n := resident(s.t, waiting[0]); n > maxResident {
		s.t.Errorf("a gate that waits has %d bytes resident", n)
	} else {
		s.t.Logf("a gate that waits has %d KiB resident", n>>10)
	}
	s.expect(s.hook("gate", 9, "CONFIT_STARTING=1"), 1, "the gate is closed: a canary is on its way")
	_ = waiting[0].Process.Signal(syscall.SIGTERM)
	s.expect(waiting[0], 143, "waiting")
	s.expect(s.hook("report", 0), 0, "")
	for _, p := range waiting[1:] {
		s.expect(p, 0, "")
	}
	var reports []hookProcess
	for i := range waiting[1:] {
		reports = append(reports, s.hook("report", i+2))
	}
	for _, p := range reports {
		s.expect(p, 0, "")
	}
	table, _ := exec.Command(s.program, "gate", "--lease", "web", "--kubeconfig", s.person, "--status").Output()
	if !strings.Contains(string(table), "bbbb  stable    8         0") {
		s.t.Errorf("got\n%s", table)
	}
}

// outage: who waits goes on to wait, who starts doesn't.
func (s *site) outage() {
	s.Down()
	p := s.hook("gate", 1)
	s.eventually("it says that the server is away", func() bool {
		return strings.Contains(p.stderr.String(), `waiting: cannot get lease "web" in namespace "default": `)
	})
	s.expect(s.hook("gate", 9, "CONFIT_STARTING=1"), 1, "cannot get lease")
	s.Up()
	s.expect(p, 0, "")
	s.expect(s.hook("report", 1, "CONFIT_OUTCOME=rolled-back", "CONFIT_STEP=probation"), 0, "")
	s.expect(s.hook("gate", 2), 1, "the gate is closed: bbbb was rejected by web-1 at step probation\n")
}

// expect waits for the end of a process.
func (s *site) expect(p hookProcess, code int, said string) {
	s.t.Helper()
	if got := p.end(); got != code || !strings.Contains(p.stderr.String(), said) {
		s.t.Fatalf("%s: exit %d, said %q; want %d, %q", p.Args[1], got, p.stderr.String(), code, said)
	}
}

// soon repeats a hook until the API server knows of the latest role.
func (s *site) soon(verb string, code int, said string, environ ...string) {
	s.t.Helper()
	s.eventually(verb+" ends with "+said, func() bool {
		p := s.hook(verb, 0, environ...)
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
