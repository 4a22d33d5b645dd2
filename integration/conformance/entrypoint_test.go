//go:build conformance

package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"confit/integration/internal/harness"
)

var entrypoints = []behaviour{
	{name: "a TERM lets a script finish its work", try: stoppedAtWork(syscall.SIGTERM),
		does: "TERM while a script works that executes its app then: the work is done, and the app ends of the TERM"},
	{name: "an INT lets a script finish its work, and isn't lost", try: stoppedAtWork(syscall.SIGINT),
		does: "the same with INT, which bash drops while a command of its runs"},
	{name: "a second TERM ends a script", try: stoppedTwice,
		does: "two TERM while a script works"},
}

// atWork starts a bash that works until a file is there, and becomes the app.
func atWork(s subject) (p *started, done string, err error) {
	done = filepath.Join(publicDir(s.t), "done")
	p = s.start(setup{}, "bash", "-c", fmt.Sprintf("echo ready; sh -c 'until [ -e %s ]; do sleep 0.02; done'; echo done; exec sleep 7654321", done))
	return p, done, p.says("ready\n")
}

func stoppedAtWork(sig syscall.Signal) func(subject) error {
	return func(s subject) error {
		p, done, err := atWork(s)
		if err != nil {
			return err
		}
		p.send(sig)
		sent := time.Now()
		if err := p.Until("the end, or time for it", func() bool { return !p.Alive() || time.Since(sent) > 300*time.Millisecond }); err != nil {
			return err
		}
		mustDo(s.t, os.WriteFile(done, nil, 0o644))
		if err := p.says("done\n"); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if !harness.Poll(ctx, func() bool { return !p.Alive() }) {
			return errors.New("the signal is lost")
		}
		return p.exits(128 + int(sig))
	}
}

func stoppedTwice(s subject) error {
	p, _, err := atWork(s)
	if err != nil {
		return err
	}
	p.send(syscall.SIGTERM)
	if err := p.Until("the end, or a stop that waits", func() bool { return !p.Alive() || len(p.Lines("stop waits")) > 0 }); err != nil {
		return err
	}
	p.send(syscall.SIGTERM)
	return p.exits(143)
}
