package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// showKubelet edits two keys again and again, and kills the kubelet in the midst of that. The last edit before it comes back is made
// while there is none.
func showKubelet(s *stage) error {
	if err := errors.Join(s.applyFile("kubelet.yaml"), s.tells("pair", "0 0")); err != nil {
		return err
	}
	p, err := s.awaitReady("pair")
	if err != nil {
		return err
	}
	app, err := processOf(p, "sh\x00/etc/confit/app")
	if err != nil {
		return err
	}
	last := 0
	for range 6 {
		if last, err = s.killAmidst(last); err != nil {
			return err
		}
		if err := errors.Join(app.same(), s.kubelet.start(), s.tells("pair", fmt.Sprintf("%[1]d %[1]d", last))); err != nil {
			return err
		}
	}
	_, err = s.status("pair", "confit", 0)
	return errors.Join(err, app.same(), s.untouched(p), s.unmixed())
}

// killAmidst returns the number of the last edit, which the kubelet that was killed can't know.
func (s *stage) killAmidst(last int) (int, error) {
	stop, stopped := make(chan struct{}), make(chan error)
	go func() {
		for tick := time.NewTicker(50 * time.Millisecond); ; {
			select {
			case <-stop:
				stopped <- nil
				return
			case <-tick.C:
			}
			last++
			if err := s.pair(last); err != nil {
				stopped <- err
				return
			}
		}
	}()
	begin := last
	arrived := until(s.ctx, "edits arrive", func() error {
		told, err := s.told("pair")
		if err == nil && number(told) <= begin+1 {
			err = errors.New("none yet")
		}
		return err
	})
	s.kubelet.kill()
	close(stop)
	if err := errors.Join(<-stopped, arrived); err != nil {
		return last, err
	}
	last++
	s.show("the kubelet is killed; edit %d is made without one", last)
	return last, s.pair(last)
}

func (s *stage) pair(i int) error {
	return s.edit("pair", object{"a": strconv.Itoa(i), "b": strconv.Itoa(i)})
}

// number is the edit that was told last.
func number(told []string) int {
	if len(told) == 0 {
		return -1
	}
	first, _, _ := strings.Cut(told[len(told)-1], " ")
	n, _ := strconv.Atoi(first)
	return n
}

// unmixed holds that the app never saw half an edit or an older one again, and that confit never saw half of one either.
func (s *stage) unmixed() error {
	told, err := s.told("pair")
	if err != nil {
		return err
	}
	for i := range told {
		a, b, _ := strings.Cut(told[i], " ")
		if a != b || i > 0 && number(told[:i]) > number(told[:i+1]) {
			return fmt.Errorf("edits were mixed, or came back: %q", told)
		}
	}
	lines, err := s.log("pair")
	if err == nil && strings.Contains(strings.Join(lines, "\n"), `msg="candidate rejected"`) {
		err = errors.New("a candidate was rejected")
	}
	s.show("of %d edits the app saw %d, each whole", number(told), len(told)-1)
	return err
}
