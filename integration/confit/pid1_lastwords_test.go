package confit

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// full gives confit a standard error that takes nothing more and that nobody reads.
func (s *setup) full(argv ...string) *confit {
	s.t.Helper()
	fill := "mkfifo %[1]s; sleep 7654321 <%[1]s & exec 2>%[1]s; dd if=/dev/zero of=/proc/self/fd/2 bs=4096 oflag=nonblock status=none 2>&1 >/dev/null; exec '%[2]s'"
	return s.startCommand("/bin/sh", "-c", fmt.Sprintf(fill, s.path("log"), strings.Join(argv, "' '")))
}

// However confit ends, it waits for no reader of its log, and Kubernetes gets the reason.
func TestPID1_last_words_on_a_full_log(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		code   int
		set    func(s *setup) []string // the command line
		reason string
	}{
		"usage": {64, func(s *setup) []string { return append(s.command("--no-such-flag"), "--", "true") }, "no-such-flag"},
		"system": {71, func(s *setup) []string {
			s.state = "/dev/null/state"
			return append(s.command(), "--", "true")
		}, "/dev/null/state"},
		"rejected": {78, func(s *setup) []string {
			s.line("validate sh -c 'echo reason; exit 1'")
			return append(s.command(), "--", "true")
		}, "reason"},
		"not_executable": {126, func(s *setup) []string { return append(s.command(), "--", s.dir) }, "cannot start"},
		"not_found":      {127, func(s *setup) []string { return append(s.command(), "--", "/no/such") }, "cannot start"},
		"not_executable_script": {126, func(s *setup) []string {
			return append(s.command(), "--", s.write(s.path("barred"), "#!/etc/passwd\n"))
		}, "cannot start"},
		"not_found_script": {127, func(s *setup) []string {
			return append(s.command(), "--", s.write(s.path("orphaned"), "#!/nowhere/sh\n"))
		}, "cannot start"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newExit(t)
			s.box.TerminationLog = s.write(s.path("termination"), "")
			s.full(tt.set(s)...).Ends(tt.code)
			if got, err := os.ReadFile(s.box.TerminationLog); err != nil || !strings.Contains(string(got), tt.reason) {
				t.Errorf("the termination log says %q, %v, want %q in it", got, err, tt.reason)
			}
		})
	}
}

// What keeps a hook from starting isn't the reason of a container's end.
func TestPID1_last_words_are_not_a_hooks(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.program = programs.shipped
	web := s.volume("web")
	s.line("link web/a %s", s.target("a"))
	s.line("reload exec:%s", s.write(s.path("orphaned"), "#!/nowhere/sh\n"))
	s.box.TerminationLog = s.write(s.path("termination"), "")
	web.swap(keys{"a": "swap 0"})
	c := s.start(app("-print", s.target("a"), "-exit", "TERM=7")...)
	c.Says("ready", 1)
	web.swap(keys{"a": "swap 1"})
	c.logs("candidate rejected", 1)
	c.wantMention("cannot start")
	c.stops(7)
	if got, err := os.ReadFile(s.box.TerminationLog); err != nil || len(got) > 0 {
		t.Errorf("the termination log says %q, %v", got, err)
	}
}

// What somebody runs in a container by kubectl exec isn't the reason of its end either, whatever it fails of.
func TestPID1_last_words_are_not_a_visitors(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/a %s", s.target("a"))
	s.volume("web").swap(keys{"a": "swap 0"})
	s.box.TerminationLog = s.write(s.path("termination"), "")
	c := s.start(app()...)
	c.Says("ready", 1)
	s.line("link web/b %s", s.target("b"))
	for code, visit := range map[int][]string{64: {"--stauts"}, 71: {"--", "true"}, 78: {"--check"}} {
		cmd := c.Visit(append([]string{"-m", "-p"}, s.command(visit...)...)...)
		cmd.Env = s.env
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != code {
			t.Errorf("%q: %v, want %d\n%s", visit, cmd.ProcessState, code, out)
		}
	}
	c.stops(0)
	if got, err := os.ReadFile(s.box.TerminationLog); err != nil || len(got) > 0 {
		t.Errorf("the termination log says %q, %v", got, err)
	}
}
