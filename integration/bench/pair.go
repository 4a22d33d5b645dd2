package main

import "time"

// pair is confit and another program, each over an app on a site of its own. Their swaps alternate, so that a machine that becomes
// slower does so for both.
type pair struct{ ours, theirs *timed }

// beside starts confit and a contender. A few keys have a line each; many share one.
func (b *bench) beside(c contender, keys int) (p pair, err error) {
	link := (*site).linkAll
	if keys <= swapKeys {
		link = (*site).linkEach
	}
	if p.ours, err = b.newTimed(keys, link, b.quietConfit); err != nil {
		return p, err
	}
	s, err := b.newSite(keys)
	if err != nil {
		return p, err
	}
	argv, err := c.argv(b, s)
	if err != nil {
		return p, err
	}
	p.theirs, err = b.startTimed(s, argv)
	return p, err
}

func (b *bench) quietConfit(s *site) []string {
	return b.confitOn(s, []string{"--log-level", "warn"}, b.app()...)
}

// swap changes all keys in both, round by round, and returns how long each took. After a pause both must be at rest.
func (p pair) swap(rounds, keys int, pause time.Duration) (took [2]samples, err error) {
	p.ours.took, p.theirs.took = nil, nil
	for range rounds {
		for _, x := range []*timed{p.ours, p.theirs} {
			if err := x.changeOnce(keys); err != nil {
				return took, err
			}
			time.Sleep(pause)
			if pause >= rest {
				err = quiet(rest, p.ours.box)
			}
		}
	}
	return [2]samples{p.ours.took, p.theirs.took}, err
}

// changeOnce is change for who may reload more than once for a swap: what comes later doesn't count.
func (t *timed) changeOnce(keys int) error {
	t.drain()
	t.site.edit(keys)
	at, err := t.site.swap()
	for err == nil && t.last < at {
		t.last, err = t.heard()
	}
	t.took.add(t.last - at)
	return err
}
