package main

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// sees waits until it has printed a text so often.
func (s *verdicts) sees(b *begun, times int, text string) error {
	return until(s.ctx, b.line+" prints "+text, func() error {
		if n := len(b.Lines(text)); n < times {
			return fmt.Errorf("%d times, not %d:\n%s", n, times, &b.Transcript)
		}
		return nil
	})
}

// serverAway has the API server go away when each verb is in the middle.
func (s *verdicts) serverAway() error {
	err := errors.Join(s.settle("fourth", troubled...), s.writeText("page", "fifth"), s.writeText("applied", "fifth"), s.writeText("undone", "sick"))
	if err != nil {
		return err
	}
	watch, err := s.begin("kubectl confit status configmap/page --watch")
	if err := errors.Join(err, s.sees(watch, 5, " accepted ")); err != nil {
		return err
	}
	if _, err := s.ends(0, "kubectl apply -f page.yaml"); err != nil {
		return err
	}
	var verbs []*begun
	for _, line := range []string{"wait configmap/page", "sync configmap/page", "apply -f applied.yaml --no-check"} {
		b, err := s.begin("kubectl confit " + line)
		if err != nil {
			return err
		}
		verbs = append(verbs, b)
	}
	for i, text := range []string{"2 of 5 accepted", "a quarter at a time", "a quarter at a time"} {
		if err := s.sees(verbs[i], 1, text); err != nil {
			return err
		}
	}
	undo, err := s.begin("kubectl confit apply -f undone.yaml --no-check --undo") // it takes the shortest time of all
	if err := errors.Join(err, s.sees(undo, 1, "Syncing ")); err != nil {
		return err
	}
	return s.survives(watch, append(verbs, undo))
}

// survives kills the API server, starts it again five seconds later, and holds that each verb ends as if nothing had been.
func (s *verdicts) survives(watch *begun, verbs []*begun) error {
	s.server.kill()
	for _, b := range verbs {
		if len(b.code) > 0 {
			return fmt.Errorf("%s has ended before:\n%s", b.line, &b.Transcript)
		}
	}
	s.show("the API server is killed")
	<-time.After(5 * time.Second)
	if err := errors.Join(s.server.start(), s.awaitServer(s.ctx)); err != nil {
		return err
	}
	s.show("the API server is there again")
	wrong := []error{s.sees(watch, 10, " accepted "), watch.cmd.Process.Signal(os.Interrupt), s.endsSo(watch, 130)}
	for i, code := range []int{0, 0, 0, 3} {
		wrong = append(wrong, s.endsSo(verbs[i], code))
	}
	return errors.Join(append(wrong, s.holdsText("page", "fifth"), s.holdsText("applied", "fifth"), s.holdsText("undone", "fourth"))...)
}
