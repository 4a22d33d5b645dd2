package main

import (
	"errors"
	"strconv"
	"time"
)

// idleTime is how long a box must have done nothing before it counts as idle.
const idleTime = time.Second

// looks is how often confit has looked at the volumes without an event when it counts as old: a day has 8,640.
const looks = 500

// mebibyte, in the KiB of /proc.
const mebibyte = 1024

// sleeper is the app of those that are measured while nothing happens.
var sleeper = []string{"sleep", "infinity"}

// memory measures what an idle init keeps in memory: all of it, and the anonymous part, which no two containers of a node can
// share. A garbage collector's memory depends on moments, so each round is a new process. What Go itself takes shows beside it.
func (b *bench) memory(rounds int) ([]row, error) {
	var rss, anon, tiniRSS, tiniAnon, emptyRSS, emptyAnon samples
	for range rounds {
		ours, tini, err := b.startIdle()
		if err != nil {
			return nil, err
		}
		empty, err := b.startEmpty()
		if err != nil {
			return nil, err
		}
		if err := quiet(idleTime, ours, tini, empty); err != nil {
			return nil, err
		}
		err = errors.Join(weigh(ours, &rss, &anon), weigh(tini, &tiniRSS, &tiniAnon), weigh(empty, &emptyRSS, &emptyAnon))
		if err != nil {
			return nil, err
		}
		for _, x := range []*box{ours, tini, empty} {
			b.stop(x)
		}
	}
	wide, err := b.widen(rounds)
	if err != nil {
		return nil, err
	}
	old, err := b.age(rounds)
	if err != nil {
		return nil, err
	}
	const language = "an empty Go program"
	return []row{
		{"memory, idle, 10 links: VmRSS", kibibytes, rss.median(), tiniRSS.median(), "tini", budget{value, 6 * mebibyte}},
		{"memory, idle, 10 links: RssAnon", kibibytes, anon.median(), tiniAnon.median(), "tini", budget{value, 2 * mebibyte}},
		{"  the same", kibibytes, anon.median(), emptyAnon.median(), language, budget{ratio, 3.5}},
		{"  as if on 64 processors", kibibytes, wide.median(), anon.median(), "on this machine", budget{value, 3 * mebibyte}},
		{"  after " + strconv.Itoa(looks) + " looks", kibibytes, old.median(), anon.median(), "at the start", budget{value, 2.75 * mebibyte}},
	}, nil
}

// widen measures the anonymous memory of a confit whose runtime begins as on a machine with 64 processors. It takes some memory
// for each before main can say that it needs one.
func (b *bench) widen(rounds int) (anon samples, err error) {
	for range rounds {
		ours, err := b.startConfit(nil, "env", "GOMAXPROCS=64")
		if err != nil {
			return nil, err
		}
		if err := errors.Join(quiet(idleTime, ours), weigh(ours, new(samples), &anon)); err != nil {
			return nil, err
		}
		b.stop(ours)
	}
	return anon, nil
}

// age measures the anonymous memory after many looks. What they leave behind comes and goes, and each round is at another moment of it.
func (b *bench) age(rounds int) (anon samples, err error) {
	const pause = 20 * time.Millisecond
	for i := range rounds {
		ours, tini, err := b.startIdle("--rescan", pause.String())
		if err != nil {
			return nil, err
		}
		time.Sleep((looks + time.Duration(i)) * pause)
		if err := weigh(ours, new(samples), &anon); err != nil {
			return nil, err
		}
		b.stop(ours)
		b.stop(tini)
	}
	return anon, nil
}

// startEmpty starts a Go program that does nothing.
func (b *bench) startEmpty() (*box, error) {
	s, err := b.newSite(0)
	if err != nil {
		return nil, err
	}
	return b.start(s, b.program("empty"))
}

// startIdle starts confit and tini over an app that sleeps.
func (b *bench) startIdle(flags ...string) (ours, tini *box, err error) {
	if ours, err = b.startConfit(flags); err != nil {
		return nil, nil, err
	}
	s, err := b.newSite(0)
	if err != nil {
		return nil, nil, err
	}
	tini, err = b.start(s, append([]string{"tini", "--"}, sleeper...)...)
	return ours, tini, err
}

// startConfit starts it over an app that sleeps, by a program in front of it, which executes it.
func (b *bench) startConfit(flags []string, front ...string) (*box, error) {
	s, err := b.newSite(startLinks)
	if err != nil {
		return nil, err
	}
	if err := s.linkEach(); err != nil {
		return nil, err
	}
	return b.start(s, append(front, b.confitOn(s, flags, sleeper...)...)...)
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
