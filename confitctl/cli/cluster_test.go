//go:build fleet

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"confit/integration/cluster"
)

// site is a cluster with an account that rollouts use, and kubeconfigs for it and for the administrator.
type site struct {
	*cluster.Cluster
	t           *testing.T
	program     string // confitctl
	web, person string
}

// newSite needs the programs that cluster.Variable names.
func newSite(t *testing.T) *site {
	s := &site{Cluster: cluster.Start(t), t: t, program: filepath.Join(t.TempDir(), "confitctl")}
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", s.program, "confit/confitctl")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.Account("web")
	s.web, s.person = s.Kubeconfig("web", s.Token("web", "")), s.Kubeconfig("admin", "")
	return s
}

// eventually polls, with a bound.
func (s *site) eventually(what string, ok func() bool) {
	s.t.Helper()
	for end := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("waited two minutes until %s", what)
		}
	}
}

// hookProcess is confitctl as confit runs it.
type hookProcess struct {
	*exec.Cmd
	stderr *locked
}

// hook starts a hook of a replica, as the user web.
func (s *site) hook(verb string, replica int, environ ...string) hookProcess {
	s.t.Helper()
	p := hookProcess{exec.Command(s.program, verb, "--lease", "web", "--kubeconfig", s.web, "--parallel", "10"), &locked{}}
	if verb == "report" {
		p.Args = p.Args[:len(p.Args)-2]
	}
	p.Env = append([]string{
		fmt.Sprintf("CONFITCTL_POD_UID=uid-%d", replica), fmt.Sprintf("CONFITCTL_POD=web-%d", replica), "CONFITCTL_REVISION=r1",
		"CONFIT_ACCEPTED=aaaa", "CONFIT_HASH=bbbb", "CONFIT_BOUND=60", "CONFIT_OUTCOME=accepted", "CONFIT_SOURCE=mounted",
	}, environ...)
	p.Stderr = p.stderr
	if err := p.Start(); err != nil {
		s.t.Fatal(err)
	}
	return p
}

// end waits for the exit code.
func (p hookProcess) end() int {
	_ = p.Wait()
	return p.ProcessState.ExitCode()
}

// locked is a buffer that is read while a process writes.
type locked struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
