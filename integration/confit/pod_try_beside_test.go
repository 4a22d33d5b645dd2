package confit

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// visitor is a try that somebody has started beside a confit, as by kubectl exec.
type visitor struct {
	*exec.Cmd
	t           *testing.T
	out, stderr bytes.Buffer
}

// beside starts a try of the directory try, or of a document, with another validator. PID 1's own lines stay as they are.
func (s *setup) beside(c *confit, document, validate string, flags ...string) *visitor {
	s.t.Helper()
	v := s.visitor(c, document, validate, flags...)
	v.begin()
	return v
}

// visitor is the same one before it begins.
func (s *setup) visitor(c *confit, document, validate string, flags ...string) *visitor {
	s.t.Helper()
	what := s.tries("web", keys{"text": "good"})
	if document != "" {
		what = "-"
	}
	argv := append(s.command("--try", what, "--validate", strings.TrimPrefix(validate, "validate ")), flags...)
	uid := strconv.Itoa(s.box.UID)
	argv = append([]string{"-p", "-m", "-S", uid, "-G", uid, "sh", "-c", `cd "$0" && exec "$@"`, s.dir}, argv...) // as with kubectl exec
	v := &visitor{Cmd: c.Visit(argv...), t: s.t}
	v.Env, v.Dir, v.Stdin, v.Stdout, v.Stderr = s.env, s.dir, strings.NewReader(document), &v.out, &v.stderr
	return v
}

func (v *visitor) begin() {
	v.t.Helper()
	if err := v.Start(); err != nil {
		v.t.Fatal(err)
	}
}

// wait returns the exit code, 128 and the number of a signal as nsenter has it.
func (v *visitor) wait() int {
	_ = v.Wait()
	if status, ok := v.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return v.ProcessState.ExitCode()
}

// visitorItself is the try beside the init.
func (c *confit) visitorItself() (found harness.Process) {
	c.t.Helper()
	c.Eventually("a try", func() bool {
		for _, p := range c.Processes() {
			if p.Inner != 1 && isConfit(p) && strings.Contains(p.Command, " --try ") {
				found = p
			}
		}
		return found.PID != 0
	})
	return found
}

// Beside a running app a try says what would come, and nobody notices it.
func TestTry_beside(t *testing.T) {
	eachUser(t, "", func(t *testing.T, s *setup) {
		if err := os.Chmod(s.mkdir("state"), 0o777); err != nil {
			t.Fatal(err)
		}
		s.inMemory("mode=0777")
		s.line("link web/text %s", s.target("text"))
		s.box.TerminationLog = s.write(s.path("termination-log"), "")
		web := s.volume("web")
		web.swap(keys{"text": "first"})
		c := s.start(s.printer()...)
		c.Says("read first", 1)
		c.accepts(1)
		c.tells(0, "the first", func(st report) bool { return st.Accepted.Hash == st.Mounted.Hash })
		c.Eventually("a note of how long the entrypoint took", func() bool { return strings.Contains(s.noteText(), `"entrypoint":`) })
		before := s.tree(s.state)
		check := "sh -c '! grep -q bad {candidate}/web/text'"
		for text, code := range map[string]int{"good": 0, "bad": 78} {
			v := s.beside(c, documentOf(map[string]keys{"web": {"text": text}}), check)
			if got := v.wait(); got != code {
				t.Errorf("%s: exit code %d, want %d\n%s%s", text, got, code, &v.out, &v.stderr)
			}
			if !strings.Contains(v.out.String(), "note: nothing bounds the memory of a hook") {
				t.Errorf("it has no limit, and doesn't say so: %s", &v.out)
			}
			if after := s.tree(s.state); after != before {
				t.Errorf("before\n%s\nafter\n%s", before, after)
			}
		}
		c.wantLogged("candidate rejected", 0)
		if log, _ := os.ReadFile(s.box.TerminationLog); len(log) > 0 {
			t.Errorf("a guest wrote why the container ended: %q", log)
		}
		web.swap(keys{"text": "second"})
		c.accepts(2)
		c.stops(0)
	})
}

// Tries and swaps at the same time, a third of each bad: each swap has its whole verdict by PID 1, each try its own, and nothing is
// left over.
// make check has sixty of both: TestTry_beside_swaps.
func TestTry_beside_a_few_swaps(t *testing.T) { tryBeside(t, 12) }

func tryBeside(t *testing.T, rounds int) {
	t.Parallel()
	s := newTry(t)
	s.inMemory("")
	s.lines[1] = `validate sh -c 'cat {candidate}/web/text; echo; ! grep -q bad {candidate}/web/text'`
	s.line("reload signal:HUP")
	web := s.volume("web")
	web.swap(keys{"text": "swap 0"})
	c := s.start(s.printer()...)
	c.Says("ready", 1)
	fate := func(what string, n int) (text string, good bool) {
		if n%3 == 2 {
			return fmt.Sprintf("%s %d bad", what, n), false
		}
		return fmt.Sprintf("%s %d", what, n), true
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range rounds {
			s.wantTried(c, fate, n)
		}
	}()
	rejected := 0
	for n := 1; n <= rounds; n++ {
		text, good := fate("swap", n)
		web.swap(keys{"text": text})
		if good {
			c.Says("read "+text, 1)
		} else {
			rejected++
			c.wantCountOf("candidate rejected", rejected)
		}
	}
	<-done
	c.wantLogged("candidate rejected", rejected)
	if exists(filepath.Join(s.state, "try")) {
		t.Errorf("left:\n%s", s.tree(s.state))
	}
	t.Logf("%d swaps, %d of them rejected, beside %d tries", rounds, rejected, rounds)
	c.stops(0)
}

// wantCountOf waits until a message was logged so often.
func (c *confit) wantCountOf(message string, n int) {
	c.t.Helper()
	c.Eventually(fmt.Sprintf("%d times %q", n, message), func() bool { return len(c.entries(message)) >= n })
}

// wantTried makes a try beside a confit, and checks that its verdict is about just what it was given.
func (s *setup) wantTried(c *confit, fate func(string, int) (string, bool), n int) {
	text, good := fate("try", n)
	v := s.beside(c, documentOf(map[string]keys{"web": {"text": text + "\n"}}), strings.TrimPrefix(s.lines[1], "validate "))
	code, lines := v.wait(), strings.Split(strings.TrimSpace(v.out.String()), "\n")
	verdict := lines[len(lines)-1]
	if good != (code == 0) || good != strings.HasPrefix(verdict, passed) || !good && (code != 78 || !strings.HasPrefix(verdict, "candidate rejected step=validate")) || !strings.Contains(v.out.String(), "\n"+text+"\n") {
		s.t.Errorf("try %q: exit code %d\n%s%s", text, code, &v.out, &v.stderr)
	}
}
