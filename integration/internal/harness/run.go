package harness

import (
	"fmt"
	"strings"
	"syscall"
)

// T is what the harness needs of a test.
type T interface {
	Helper()
	Name() string
	Failed() bool
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Run is a box that belongs to a test: it fails the test when something doesn't come true, and ends with it.
type Run struct {
	*Init
	Transcript
	// AtEnd is called when the box has ended with the test, before a failed test shows the transcript.
	AtEnd func()

	t T
}

// Start starts a command, whose output is in the transcript unless it goes elsewhere.
func Start(t T, c Command) *Run {
	t.Helper()
	r := &Run{t: t, AtEnd: func() {}}
	if c.Stdout == nil {
		c.Stdout = r.Stream("stdout")
	}
	if c.Stderr == nil {
		c.Stderr = r.Stream("stderr")
	}
	var err error
	if r.Init, err = c.Start(); err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(r.cleanUp)
	return r
}

// cleanUp also checks what must hold in every test, whatever it is about.
func (r *Run) cleanUp() {
	if r.t.Failed() {
		r.t.Logf("processes of %q:\n%s", r.t.Name(), r.describe())
	}
	r.Kill()
	if left := r.Processes(); len(left) != 0 {
		r.t.Errorf("processes are left after the end of PID 1: %v", left)
	}
	r.AtEnd()
	if r.t.Failed() {
		r.t.Logf("transcript:\n%s", &r.Transcript)
	}
	r.Close()
}

func (r *Run) describe() string {
	var b strings.Builder
	for _, p := range r.Processes() {
		fmt.Fprintf(&b, "  %v\n", p)
	}
	return b.String()
}

// Eventually polls like the function of this name, and gives up at once when the box has ended.
func (r *Run) Eventually(what string, ok func() bool) {
	r.t.Helper()
	if err := r.Until(what, ok); err != nil {
		r.t.Fatalf("%v", err)
	}
}

// Ends waits for the end of the box and checks the program's exit code.
func (r *Run) Ends(code int) {
	r.t.Helper()
	Eventually(r.t, "the end of PID 1", func() bool { return !r.Alive() })
	if got := r.State().ExitCode(); got != code {
		r.t.Fatalf("PID 1 ended with %v, want exit code %d", r.State(), code)
	}
}

// Signal sends a signal from outside, as a container runtime does.
func (r *Run) Signal(sig syscall.Signal) {
	r.t.Helper()
	if err := r.Send(sig); err != nil {
		r.t.Fatalf("cannot send %v: %v", sig, err)
	}
}

// Says waits for the nth line on standard output that starts with a prefix.
func (r *Run) Says(prefix string, n int) string {
	r.t.Helper()
	var found []string
	r.Eventually(fmt.Sprintf("line %d of standard output that starts with %q", n, prefix), func() bool {
		found = r.Texts("stdout", prefix)
		return len(found) >= n
	})
	return found[n-1]
}
