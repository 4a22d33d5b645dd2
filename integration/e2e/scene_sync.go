package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ofSync are the volumes of sync.yaml that are edited.
var ofSync = []string{"a", "b", "c", "d", "e"}

// showSync edits five ConfigMaps of a pod at once, and shows how far apart the kubelet swaps their volumes: what confit waits for when
// it settles. An edit that comes in the midst of the kubelet's look is swapped one look later.
func showSync(s *stage) error {
	if err := errors.Join(s.applyFile("sync.yaml"), s.tells("sync", ofEach("0"))); err != nil {
		return err
	}
	p, err := s.awaitReady("sync")
	if err != nil {
		return err
	}
	var gaps []time.Duration
	for i := range s.Rounds {
		all, err := s.editAtOnce(p, strconv.Itoa(i+1))
		if err != nil {
			return err
		}
		gaps = append(gaps, all...)
	}
	looks := s.Rounds + len(slices.DeleteFunc(slices.Clone(gaps), func(d time.Duration) bool { return d < sameLook }))
	within := slices.DeleteFunc(gaps, func(d time.Duration) bool { return d >= sameLook })
	reloads, err := s.times("sync", `msg="app reloaded"`)
	if err != nil {
		return err
	}
	s.show("the kubelet took %d looks for %d edits; between two swaps of one look: %s; %d reloads", looks, s.Rounds, spread(within), len(reloads))
	return s.untouched(p)
}

// sameLook is less than the time between two looks of the kubelet's reconciler.
const sameLook = 100 * time.Millisecond

// ofEach is what the app tells when all volumes hold this.
func ofEach(text string) string {
	return strings.TrimSpace(strings.Repeat(text+" ", len(ofSync)))
}

// editAtOnce returns the gaps between the swaps, in their order.
func (s *stage) editAtOnce(p pod, text string) (gaps []time.Duration, err error) {
	for _, name := range ofSync {
		if err := s.edit(name, object{"text": text}); err != nil {
			return nil, err
		}
	}
	if err := s.tells("sync", ofEach(text)); err != nil {
		return nil, err
	}
	var at []time.Time
	for _, name := range ofSync {
		when, err := s.swapped(p, name)
		if err != nil {
			return nil, err
		}
		at = append(at, when)
	}
	slices.SortFunc(at, time.Time.Compare)
	for i := range at[1:] {
		gaps = append(gaps, at[i+1].Sub(at[i]))
	}
	return gaps, s.acceptedAll("sync")
}

// acceptedAll waits until nothing is left to prove.
func (s *stage) acceptedAll(pod string) error {
	return until(s.ctx, "the last edit is accepted", func() error {
		published, err1 := s.times(pod, `msg="generation published"`)
		accepted, err2 := s.times(pod, `msg="generation accepted"`)
		if len(published) != len(accepted) {
			return fmt.Errorf("%d of %d generations are", len(accepted), len(published))
		}
		return errors.Join(err1, err2)
	})
}
