package main

import (
	"errors"
	"fmt"
	"slices"
)

// An app that dies of an edit eight seconds after each start: the second container goes back, and lives; the third doesn't try again.

func showLate(s *stage) error {
	if err := errors.Join(s.applyFile("late.yaml"), s.tells("late", "good")); err != nil {
		return err
	}
	if err := errors.Join(s.edit("page", object{"text": "bad"}), s.restarted(1, 3)); err != nil {
		return err
	}
	if err := s.logged("late", "going down the ladder", `msg="candidate rejected" step=soak`); err != nil {
		return err
	}
	if err := errors.Join(s.tells("late", "good"), s.rejected("late", "confit", "soak")); err != nil {
		return err
	}
	if _, err := s.kubectl("exec", "late", "--", "sh", "-c", "kill -TERM 1"); err != nil {
		return err
	}
	if err := errors.Join(s.restarted(2, 7), s.logged("late", `msg="candidate rejected" step=soak`), s.tells("late", "good")); err != nil {
		return err
	}
	if told, err := s.told("late"); err != nil || slices.Contains(told, "bad") {
		return errors.Join(fmt.Errorf("the third container told %q", told), err)
	}
	return errors.Join(s.edit("page", object{"text": "better"}), s.tells("late", "better"))
}

// restarted waits until the container of the pod was restarted so often, and holds that it ended with the app's code.
func (s *stage) restarted(times, code int) error {
	p, err := s.await("late", fmt.Sprintf("was restarted %d times", times), func(p pod) bool {
		c := p.container("app")
		return c.RestartCount == times && c.LastState.Terminated != nil
	})
	if err != nil {
		return err
	}
	delete(s.seen, "late")
	if got := p.container("app").LastState.Terminated.ExitCode; got != code {
		return fmt.Errorf("the container ended with %d, want the app's %d", got, code)
	}
	s.show("the container ended with the app's exit code, %d, and was restarted", code)
	return nil
}
