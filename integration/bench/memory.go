package main

import "time"

// idleTime is how long a box must have done nothing before it counts as idle.
const idleTime = time.Second

// mebibyte, in the KiB of /proc.
const mebibyte = 1024

// sleeper is the app of those that are measured while nothing happens.
var sleeper = []string{"sleep", "infinity"}

// memory measures what an idle init keeps in memory: all of it, and the anonymous part, which no two containers of a node can
// share. A garbage collector's memory depends on moments, so each round is a new process.
func (b *bench) memory(rounds int) ([]row, error) {
	var rss, anon, tiniRSS, tiniAnon samples
	for range rounds {
		ours, tini, err := b.startIdle()
		if err != nil {
			return nil, err
		}
		if err := quiet(idleTime, ours, tini); err != nil {
			return nil, err
		}
		if err := weigh(ours, &rss, &anon); err != nil {
			return nil, err
		}
		if err := weigh(tini, &tiniRSS, &tiniAnon); err != nil {
			return nil, err
		}
		b.stop(ours)
		b.stop(tini)
	}
	return []row{
		{"memory, idle, 10 links: VmRSS", kibibytes, rss.median(), tiniRSS.median(), "tini", budget{value, 6 * mebibyte}},
		{"memory, idle, 10 links: RssAnon", kibibytes, anon.median(), tiniAnon.median(), "tini", budget{value, 1.5 * mebibyte}},
	}, nil
}

// startIdle starts confit and tini over an app that sleeps.
func (b *bench) startIdle(flags ...string) (ours, tini *box, err error) {
	s, err := b.newSite(startLinks)
	if err != nil {
		return nil, nil, err
	}
	if err := s.linkEach(); err != nil {
		return nil, nil, err
	}
	if ours, err = b.start(s, b.confitOn(s, flags, sleeper...)...); err != nil {
		return nil, nil, err
	}
	if s, err = b.newSite(0); err != nil {
		return nil, nil, err
	}
	tini, err = b.start(s, append([]string{"tini", "--"}, sleeper...)...)
	return ours, tini, err
}

func weigh(x *box, rss, anon *samples) error {
	kib, err := ofProcess(x.PID, "VmRSS", "RssAnon")
	if err != nil {
		return err
	}
	*rss = append(*rss, float64(kib[0]))
	*anon = append(*anon, float64(kib[1]))
	return nil
}
