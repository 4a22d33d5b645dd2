//go:build conformance

package conformance

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"time"

	"confit/integration/internal/harness"
)

var sturdy = []behaviour{
	{name: "a signal that may not be sent doesn't end the init", try: notPermitted,
		does: "an init that is nobody, an app that has become root: TERM can't be forwarded (EPERM), and the app still ends when it likes, with 5"},
	{name: "a log that nobody holds open", try: closedLog,
		does: "standard error is a pipe without a reader, the init is as talkative as it can be: HUP is forwarded, the code comes through"},
	{name: "no standard error at all", try: noStderr,
		does: "descriptor 2 isn't open"},
	{name: "no wake-ups when idle", try: idle,
		does: "context switches of all threads of the init, counted in windows of 2.5 s: one of four has none"},
}

func notPermitted(s subject) error {
	r, w, err := os.Pipe()
	mustDo(s.t, err)
	defer r.Close()
	defer w.Close()
	asRoot, err := harness.AsRoot(publicDir(s.t), nobody)
	mustDo(s.t, err)
	how := setup{Command: harness.Command{Box: harness.Box{UID: nobody}, Stdin: r}}
	p := s.start(how, append(asRoot, "perl", "-e", `$| = 1; print "user $<\n"; <STDIN>; exit 5`)...)
	if err := p.says("user 0\n"); err != nil {
		return err
	}
	// The kernel hands TERM out before the CHLD of the app's end.
	p.send(syscall.SIGTERM)
	_, err = w.WriteString("end\n")
	mustDo(s.t, err)
	return p.exits(5)
}

const endsAtHup = `trap 'exit 6' HUP; echo ready; while :; do sleep 0.02; done`

func closedLog(s subject) error {
	r, w, err := os.Pipe()
	mustDo(s.t, err, r.Close())
	defer w.Close()
	return hangsUp(s, setup{Command: harness.Command{Stderr: w}, options: []option{verbose}})
}

func noStderr(s subject) error {
	return hangsUp(s, setup{Command: harness.Command{Box: harness.Box{NoStderr: true}}, options: []option{verbose}})
}

// hangsUp gives up on an init that is busy with itself: it may log each PIPE, which its own write to the pipe brings.
func hangsUp(s subject, how setup) error {
	p := s.start(how, "sh", "-c", endsAtHup)
	var spins bool
	busy := func() bool { spins = p.seconds() > 1; return spins }
	err := p.Until("the app is ready", func() bool { return strings.Contains(p.Text("stdout"), "ready\n") || busy() })
	if err != nil {
		return err
	}
	p.send(syscall.SIGHUP)
	_ = p.Until("the init ends", func() bool { return !p.Alive() || busy() })
	if spins {
		return errors.New("it spins, and takes no more signals")
	}
	return p.exits(6)
}

// seconds is how long the init's threads have run.
func (p *started) seconds() float64 {
	ticks, _ := p.Ticks() // it may be gone
	return float64(ticks) / 100
}

func idle(s subject) error {
	const window, windows = 2500 * time.Millisecond, 4
	p := s.start(setup{}, "sh", "-c", "echo ready; exec sleep 7654321")
	if err := p.says("ready\n"); err != nil {
		return err
	}
	for range windows {
		before, err1 := p.Switches()
		<-time.After(window) // what is counted is what happens in it
		after, err2 := p.Switches()
		mustDo(s.t, err1, err2)
		woken := after - before
		s.t.Logf("%s: %d context switches in %v", s.name, woken, window)
		if woken == 0 {
			return nil
		}
	}
	return errors.New("it wakes up in each window")
}
