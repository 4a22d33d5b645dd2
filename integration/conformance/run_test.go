//go:build conformance

package conformance

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"confit/integration/internal/harness"
)

const nobody = 65534

// subject is one init on which one case is tried.
type subject struct {
	program
	t *testing.T
}

// setup is how an init is started, beyond its own command line and the app's.
type setup struct {
	harness.Command
	options []option
	raw     []string // the init's arguments, where they are not "--" and the app
}

// in is a setup that has only a box.
func in(box harness.Box) setup { return setup{Command: harness.Command{Box: box}} }

// errLacks is the answer of an init that has no such option.
var errLacks = errors.New("no such option")

// started is a running init with its app. Unlike a Run it doesn't fail the test: what an init can't do is an answer, too.
type started struct {
	*harness.Init
	harness.Transcript
	t *testing.T
}

func (s subject) start(how setup, app ...string) *started {
	s.t.Helper()
	argv := append(s.commandLine(s.t, how.UID, how.options), "--")
	if how.raw != nil {
		argv = argv[:len(argv)-1]
	}
	how.Argv = append(append(argv, how.raw...), app...)
	if how.Env == nil {
		how.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}
	}
	p := &started{t: s.t}
	if how.Stdout = p.Stream("stdout"); how.Stderr == nil {
		how.Stderr = p.Stream("stderr")
	}
	var err error
	p.Init, err = how.Start()
	mustDo(s.t, err)
	s.t.Cleanup(func() {
		p.Close()
		if s.t.Failed() {
			s.t.Logf("%q\n%s", how.Argv, &p.Transcript)
		}
	})
	return p
}

func (p *started) send(sig syscall.Signal) { _ = p.Send(sig) }

// says waits for a text on standard output.
func (p *started) says(text string) error {
	return p.Until(fmt.Sprintf("the app says %q", text), func() bool { return strings.Contains(p.Text("stdout"), text) })
}

// exits waits for the end of the init.
func (p *started) exits(code int) error {
	select {
	case <-p.Ended():
	case <-time.After(harness.Patience):
		return errors.New("does not end")
	}
	if got := p.State().ExitCode(); got != code {
		return fmt.Errorf("exit code %d instead of %d", got, code)
	}
	return nil
}

// count is how often the app wrote a line.
func (p *started) count(line string) (n int) {
	for _, text := range p.Texts("stdout", line) {
		if text == line {
			n++
		}
	}
	return n
}

// anyIs reports whether a process of the box is in a state, such as "Z".
func (p *started) anyIs(state string) bool {
	return slices.ContainsFunc(p.Processes(), func(process harness.Process) bool { return process.State == state })
}
