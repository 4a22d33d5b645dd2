package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// rest is how long a program must do nothing before the next big swap: the removal of 10,000 files is over by then.
const rest = 50 * time.Millisecond

// keys measures swap → SIGHUP for volumes of 10, 1,000 and 10,000 keys, each of which has a link: once with one key changed, once
// with all of them. The time per key shows whether it is linear: of 10,000 each must not cost more than of 1,000, but for noise
// and a larger directory.
func (b *bench) keys(rounds int) ([]row, error) {
	sizes := []int{10, 1000, 10000}
	var boxes []*timed
	for _, n := range sizes {
		x, err := b.newTimed(n, (*site).linkAll, func(s *site) []string { return b.confitOn(s, nil, b.self, "role:app") })
		if err != nil {
			return nil, err
		}
		boxes = append(boxes, x)
	}
	one, err := changeAll(boxes, rounds, func(int) int { return 1 })
	if err != nil {
		return nil, err
	}
	all, err := changeAll(boxes, rounds, func(i int) int { return sizes[i] })
	if err != nil {
		return nil, err
	}
	perKey := func(took []samples, i int) float64 { return took[i].median() * 1000 / float64(sizes[i]) }
	const linear = 1.5
	return []row{
		{"swap → SIGHUP, 10,000 keys, one changed", milliseconds, one[2].median(), one[0].median(), "10 keys", budget{value, 1000}},
		{"swap → SIGHUP, 10,000 keys, all changed", milliseconds, all[2].median(), all[0].median(), "10 keys", budget{value, 1000}},
		{"  per key, one changed", microseconds, perKey(one, 2), perKey(one, 1), "1,000 keys", budget{ratio, linear}},
		{"  per key, all changed", microseconds, perKey(all, 2), perKey(all, 1), "1,000 keys", budget{ratio, linear}},
	}, nil
}

// changeAll makes rounds of swaps in all boxes in turn and returns the times of each box.
func changeAll(boxes []*timed, rounds int, keys func(box int) int) ([]samples, error) {
	took := make([]samples, len(boxes))
	for range rounds {
		for i, x := range boxes {
			if err := quiet(rest, x.box); err != nil {
				return nil, err
			}
			if err := x.change(keys(i)); err != nil {
				return nil, err
			}
		}
	}
	for i, x := range boxes {
		took[i], x.took = x.took, nil
	}
	return took, nil
}

// publish measures publishing and reloading alone. One rename moves all keys, but first confit looks at each file, which the
// validator may have changed, and at what stands at each target: some microseconds a key. From outside, this begins at the end of
// a validator that reads the candidate: its last act is to write down the time. The rest of the validator's own end is in both
// figures.
func (b *bench) publish(rounds int) ([]row, error) {
	few, err := b.newHooked(10)
	if err != nil {
		return nil, err
	}
	many, err := b.newHooked(10000)
	if err != nil {
		return nil, err
	}
	var fewTook, manyTook samples
	for range rounds {
		if err := few.changeHooked(&fewTook); err != nil {
			return nil, err
		}
		if err := many.changeHooked(&manyTook); err != nil {
			return nil, err
		}
	}
	return []row{{"check, publish and reload, 10,000 keys", milliseconds, manyTook.median(), fewTook.median(), "10 keys", budget{value, 250}}}, nil
}

// stampFile is where the validator writes the time.
const stampFile = "validated"

func (b *bench) newHooked(keys int) (*timed, error) {
	return b.newTimed(keys, (*site).linkAll, func(s *site) []string {
		validate := fmt.Sprintf("%s role:hook %s {candidate}", b.self, s.path(stampFile))
		return b.confitOn(s, []string{"--validate", validate}, b.self, "role:app")
	})
}

// changeHooked changes one key and adds the time from the validator's end to the signal.
func (t *timed) changeHooked(took *samples) error {
	if err := quiet(rest, t.box); err != nil {
		return err
	}
	if err := t.change(1); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(t.site.dir, stampFile))
	if err != nil {
		return err
	}
	validated, err := parseStamp(string(text))
	if err != nil {
		return err
	}
	took.add(t.last - validated)
	return nil
}
