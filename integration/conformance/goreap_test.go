//go:build conformance

package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
	"confit/process"
)

// noise makes 1,000 orphans that die one after another, for about as long as the commands beside them take.
var noise = []string{"/usr/bin/perl", "-e", `for (1 .. 1000) { my $p = fork; if (!$p) { if (!fork) { select undef, undef, undef, rand 0.5; exit 3 } exit 0 } waitpid $p, 0 }`}

const (
	statuses = 2000
	atOnce   = 4
)

// family is a PID 1 which does the work of goreap/main.go as confit does it: one goroutine starts and reaps.
func family() int {
	deaths := make(chan os.Signal, 1)
	signal.Notify(deaths, syscall.SIGCHLD)
	f, waiting, right := process.NewFamily(), map[int]bool{}, 0
	if _, err := process.NewFamily().StartApp(process.Command{Args: noise}); err != nil {
		return 1
	}
	for started, done := 0, 0; done < statuses; {
		for ; len(waiting) < atOnce && started < statuses; started++ {
			h, err := f.StartHook(process.Command{Args: []string{"/bin/sh", "-c", "exit 7"}}, os.Stderr)
			if err != nil {
				return 1
			}
			waiting[int(h.Group())] = true
		}
		<-deaths
		f.Reap(func(int) {}, func(e process.Exit) {
			if !waiting[e.PID] {
				return // an orphan, or what made it
			}
			delete(waiting, e.PID)
			done++
			if e.Status.ExitCode() == 7 {
				right++
			}
		})
	}
	fmt.Printf("lost %d\n", statuses-right)
	return 0
}

// A reaper for any child takes the statuses of children that somebody else waits for. Confit's is the only one to wait, and
// loses none. go-reap without its lock, beside os/exec, loses some: it is a race, so it has a few tries.
func TestStatuses_beside_orphans(t *testing.T) {
	if n := lost(t, "/proc/self/exe", harness.RoleVariable+"=family", "GORACE=atexit_sleep_ms=0"); n != 0 {
		t.Errorf("confit/process lost %d of %d statuses", n, statuses)
	}
	const tries = 5
	for try := range tries {
		n := lost(t, programs.goReap, "PATH=/usr/bin:/bin")
		t.Logf("go-reap beside os/exec, try %d: %d of %d statuses lost", try+1, n, statuses)
		if n > 0 {
			return
		}
	}
	t.Errorf("go-reap lost none in %d tries: say so in docs/internals/conformance.md", tries)
}

// lost runs a program as PID 1 and reads how many statuses it lost.
func lost(t *testing.T, program string, env ...string) (n int) {
	t.Helper()
	cmd := exec.Command(program, noise...)
	cmd.Env, cmd.Stderr = env, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID, Pdeathsig: harness.ParentEnd}
	out, err := cmd.Output()
	mustDo(t, err)
	_, err = fmt.Sscanf(string(out), "lost %d\n", &n)
	mustDo(t, err)
	return n
}
