package main

import (
	"fmt"
	"math"
	"time"
)

// swapKeys is the size of a common volume.
const swapKeys = 10

// breath is the pause between two swaps. The rest of one, such as removing the generation before, must not fall into the next
// one's time.
const breath = 5 * time.Millisecond

// alone stands where a row has no yardstick.
var alone = math.NaN()

// swap measures the main path: from the kubelet's rename to the signal in the app, beside the least that a Go program needs for the
// same. The app is a Go program on both sides, so some of each figure is the runtime's own delivery of a signal. All keys change in
// each swap, which is the most that there is to copy.
func (b *bench) swap(rounds int) ([]row, error) {
	p, err := b.beside(floorGo, swapKeys)
	if err != nil {
		return nil, err
	}
	warm, err := p.swap(rounds, swapKeys, breath)
	if err != nil {
		return nil, err
	}
	cold, err := p.swap(fewer(rounds, 50), swapKeys, time.Second)
	if err != nil {
		return nil, err
	}
	rows := []row{
		{"swap → SIGHUP, 10 keys, median", milliseconds, warm[0].median(), warm[1].median(), floorGo.name, twice},
		{"swap → SIGHUP, 10 keys, p99", milliseconds, warm[0].percentile(99), warm[1].percentile(99), floorGo.name, budget{ratio, 3}},
		{"  after a second of quiet, median", milliseconds, cold[0].median(), cold[1].median(), floorGo.name, twice},
	}
	b.clear()
	thousand, err := b.slope(1000, fewer(rounds, 50))
	if err != nil {
		return rows, err
	}
	tenThousand, err := b.slope(10000, fewer(rounds, 150))
	return append(rows, thousand, tenThousand), err
}

// fewer rounds must do for what takes that much longer.
func fewer(rounds, factor int) int { return max(1, rounds/factor) }

// twice is what a swap may cost against one that checks nothing and takes nothing back.
var twice = budget{ratio, 2}

// slope measures swaps of large volumes.
func (b *bench) slope(keys, rounds int) (row, error) {
	defer b.clear()
	p, err := b.beside(floorGo, keys)
	if err != nil {
		return row{}, err
	}
	took, err := p.swap(rounds, keys, rest)
	return row{fmt.Sprintf("swap → SIGHUP, %d keys, median", keys), milliseconds, took[0].median(), took[1].median(), floorGo.name, twice}, err
}

// timed is a box whose app says when it was signalled.
type timed struct {
	*box
	site *site
	last time.Duration // when the app was signalled
	took samples
	ran  samples // how long PID 1 was on a processor
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
	return b.startTimed(s, argv(s))
}

// startTimed starts a program over an app on a site and waits for the app.
func (b *bench) startTimed(s *site, argv []string) (*timed, error) {
	x, err := b.start(s, argv...)
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
