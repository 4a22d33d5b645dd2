package main

import (
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// inits are what people pick as PID 1 where nothing is to be reloaded.
var inits = []string{"tini", "dumb-init", "catatonit"}

// manyOthers is how many processes a busy pod without a PID namespace of its own shows to PID 1.
const manyOthers = 1000

// inits measures what an init does in each container, beside every other: the way to the app's first act, the end, the end beside
// many processes of others, and the way of a signal.
func (b *bench) inits(rounds int) ([]row, error) {
	alone, err := b.liveWithEach(rounds)
	if err != nil {
		return nil, err
	}
	stop, err := startOthers(manyOthers)
	if err != nil {
		return nil, err
	}
	crowded, err := b.liveWithEach(rounds)
	stop()
	if err != nil {
		return nil, err
	}
	const same = 1.5
	rows := []row{{"to the end of all beside 1,000 other processes", milliseconds, crowded[""].end.median(), alone[""].end.median(), "without them", budget{ratio, same}}}
	for _, name := range inits {
		first := row{"start-up to the app's first act", milliseconds, alone[""].first.median(), alone[name].first.median(), name, budget{}}
		end := row{"from there to the end of all", milliseconds, alone[""].end.median(), alone[name].end.median(), name, budget{}}
		among := row{"  the same beside 1,000 other processes", milliseconds, crowded[""].end.median(), crowded[name].end.median(), name, budget{}}
		rows = append(rows, first, end, among)
	}
	forwarded, err := b.forward(rounds)
	return append(rows, forwarded...), err
}

// liveWithEach runs a short life below each init in turn. confit's name is "".
func (b *bench) liveWithEach(rounds int) (map[string]*life, error) {
	lives := map[string]*life{"": {}}
	for _, name := range inits {
		lives[name] = &life{}
	}
	for range rounds {
		if err := b.liveUnderConfit(lives[""]); err != nil {
			return nil, err
		}
		for _, name := range inits {
			if err := lives[name].live(name, "--", b.self, "role:first"); err != nil {
				return nil, err
			}
		}
	}
	return lives, nil
}

// startOthers starts processes that sleep.
func startOthers(n int) (stop func(), err error) {
	var others []*exec.Cmd
	stop = func() {
		for _, cmd := range others {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	for range n {
		cmd := exec.Command(sleeper[0], sleeper[1:]...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL}
		if err := cmd.Start(); err != nil {
			stop()
			return nil, err
		}
		others = append(others, cmd)
	}
	return stop, nil
}

// forward measures the way of a signal that somebody sends to PID 1, until the app's handler has it.
func (b *bench) forward(rounds int) ([]row, error) {
	ours, err := b.newStorm(func(s *site) []string { return b.confitOn(s, nil, b.app()...) })
	if err != nil {
		return nil, err
	}
	boxes := []*timed{ours}
	for _, name := range inits {
		x, err := b.newStorm(func(*site) []string { return append([]string{name, "--"}, b.app()...) })
		if err != nil {
			return nil, err
		}
		boxes = append(boxes, x)
	}
	for range rounds {
		for _, x := range boxes {
			if err := x.forward(); err != nil {
				return nil, err
			}
		}
	}
	var rows []row
	for i, name := range inits {
		rows = append(rows, row{"a signal's way through PID 1", microseconds, 1000 * ours.took.median(), 1000 * boxes[i+1].took.median(), name, budget{}})
	}
	return rows, nil
}

func (t *timed) forward() error {
	sent := now()
	if err := t.Send(unix.SIGHUP); err != nil {
		return err
	}
	heard, err := t.heard()
	t.took.add(heard - sent)
	time.Sleep(time.Millisecond)
	return err
}
