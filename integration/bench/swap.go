package main

import (
	"math"
	"time"
)

// swapKeys is the size of a common volume.
const swapKeys = 10

// breath is the pause between two swaps. The rest of one, such as removing the generation before, must not fall into the next
// one's time; and a kubelet's swaps find an idle machine, not a warm one.
const breath = 5 * time.Millisecond

// timed is a box whose app says when it was signalled.
type timed struct {
	*box
	site *site
	last time.Duration // when the app was signalled
	took samples
}

// swap measures the main path: from the kubelet's rename to the signal in the app. The app is a Go program on both sides,
// so some of each figure is the runtime's own delivery of a signal. All keys change in each swap, which is the most that
// there is to copy.
func (b *bench) swap(rounds int) ([]row, error) {
	ours, err := b.newTimed(swapKeys, (*site).linkEach, func(s *site) []string {
		return b.confitOn(s, nil, b.self, "role:app")
	})
	if err != nil {
		return nil, err
	}
	bare, err := b.newTimed(swapKeys, (*site).linkEach, func(s *site) []string {
		return []string{b.self, "role:loop", s.volume(), b.self, "role:app"}
	})
	if err != nil {
		return nil, err
	}
	for range rounds {
		for _, x := range []*timed{ours, bare} {
			if err := x.change(swapKeys); err != nil {
				return nil, err
			}
			time.Sleep(breath)
		}
	}
	const yardstick = "inotify, readlink, kill"
	return []row{
		{"swap → SIGHUP, 10 keys, median", milliseconds, ours.took.median(), bare.took.median(), yardstick, budget{value, 1}},
		{"swap → SIGHUP, 10 keys, p99", milliseconds, ours.took.percentile(99), bare.took.percentile(99), yardstick, budget{value, 5}},
	}, nil
}

// newTimed starts a program over an app on a new site and waits for the app.
func (b *bench) newTimed(keys int, link func(*site) error, argv func(*site) []string) (*timed, error) {
	s, err := b.newSite(keys)
	if err != nil {
		return nil, err
	}
	if err := link(s); err != nil {
		return nil, err
	}
	x, err := b.start(s, argv(s)...)
	if err != nil {
		return nil, err
	}
	return &timed{box: x, site: s}, x.expect(ready)
}

// change edits n keys, swaps, and adds the time until the app was signalled.
func (t *timed) change(keys int) error {
	t.site.edit(keys)
	at, err := t.site.swap()
	if err != nil {
		return err
	}
	if t.last, err = t.heard(); err != nil {
		return err
	}
	if t.last < at {
		return t.fault("reloaded the app twice for a swap")
	}
	t.took.add(t.last - at)
	return nil
}

// heard is when the app got its next signal.
func (t *timed) heard() (time.Duration, error) {
	line, err := t.line()
	if err != nil {
		return 0, err
	}
	return parseStamp(line)
}

// alone stands where a row has no yardstick.
var alone = math.NaN()
