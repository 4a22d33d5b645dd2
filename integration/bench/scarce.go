package main

import (
	"fmt"
	"time"
)

// refill is a period of a limit of the processor: who has used up its share gets it again.
const refill = 100 * time.Millisecond

// littleProcessor is a container with 5 ms of a processor in each 100. Who needs more in one go waits for the next period.
var littleProcessor = trial{[]figure{
	{"5 % of a processor: start-up to the app's first act", milliseconds, budget{ratio, 10}},
	{"  from the app's end to the end of all", milliseconds, budget{ratio, 15}},
	{"  a signal's way through PID 1", milliseconds, budget{ratio, 4}},
	{"  swap → reload, 10 keys", milliseconds, budget{}},
	{"  swaps lost of ten", count, budget{value, 0}},
}, (*bench).throttle}

func (b *bench) throttle(e entrant, rounds int) (samples, error) {
	score := samples{alone, alone, alone, alone, alone}
	under, err := b.within(processorLimit(5))
	if err != nil {
		return nil, err
	}
	t, _, _, err := b.launch(under, e)
	if err != nil {
		return nil, err
	}
	if e.slow {
		time.Sleep(inTime / 2) // until it watches
	}
	if e.swaps {
		if score[4], err = t.reach(10, refill, t.tenKeys); err != nil {
			return nil, err
		}
		score[3], t.took = t.took.median(), nil
	}
	if e.forwards {
		if _, err := t.reach(10, refill, t.hup); err != nil {
			return nil, err
		}
		score[2] = t.took.median()
		score[0], score[1], err = b.throttleLives(e, fewer(rounds, 10))
	}
	return score, err
}

// throttleLives returns the medians of some starts and ends. A new cgroup has a whole share.
func (b *bench) throttleLives(e entrant, rounds int) (first, end float64, err error) {
	var firsts, ends samples
	for range rounds {
		under, err := b.within(processorLimit(5))
		if err != nil {
			return 0, 0, err
		}
		t, took, _, err := b.launch(under, e)
		if err != nil {
			return 0, 0, err
		}
		begin := now()
		b.end(t.box)
		firsts.add(took)
		ends.add(now() - begin)
	}
	return firsts.median(), ends.median(), nil
}

// crowdPids is a limit such as podPidsLimit of a kubelet.
const crowdPids, crowdSize = 256, 200

// crowded is a container in which 200 processes end at once: are all reaped, and how long is a signal's way meanwhile? Then the app uses
// up all pids: does a swap still reach it?
var crowded = trial{[]figure{
	{"200 of 256 processes end at once: zombies", count, budget{value, 0}},
	{"  a signal's way meanwhile", milliseconds, budget{}},
	{"all 256 used up: swaps lost of ten", count, budget{value, 0}},
}, (*bench).crowd}

func (b *bench) crowd(e entrant, rounds int) (samples, error) {
	score := samples{0, alone, alone}
	under, err := b.within(pidsLimit(crowdPids))
	if err != nil {
		return nil, err
	}
	t, _, _, err := b.launch(under, e)
	if err != nil {
		return nil, err
	}
	before := len(t.Processes())
	for range fewer(rounds, 10) {
		if err := t.ask(endMany); err != nil {
			return nil, err
		}
		if e.forwards {
			if _, err := t.reach(1, 0, t.hup); err != nil {
				return nil, err
			}
		}
		if score[0] = t.left(before); score[0] > 0 {
			break
		}
	}
	score[1], t.took = t.took.median(), nil
	if e.swaps {
		if score[2] = 10; t.ask(useUp) == nil {
			score[2], err = t.reach(10, breath, t.tenKeys)
		}
	}
	return score, err
}

// ask has the app do something.
func (t *timed) ask(what string) error {
	t.drain()
	if _, err := fmt.Fprintln(t.stdin, what); err != nil {
		return err
	}
	return t.expect(what)
}

// left counts the processes beyond so many that are there after two seconds.
func (t *timed) left(before int) (left float64) {
	for end := now() + 2*time.Second; now() < end; time.Sleep(10 * time.Millisecond) {
		if left = float64(len(t.Processes()) - before); left <= 0 {
			return 0
		}
	}
	return left
}

// starved is a node on which others have used up the instances of inotify, all but so many. After none, there are enough again.
func starved(instances int) trial {
	t := trial{[]figure{{fmt.Sprintf("%d instances of inotify left: swaps lost of three", instances), count, budget{value, 0}}},
		func(b *bench, e entrant, rounds int) (samples, error) { return b.starve(e, instances, min(rounds, 3)) }}
	if instances == 0 {
		t.figures = append(t.figures,
			figure{"  swap → reload, at most", milliseconds, budget{value, 11000}},
			figure{"  once there are enough again", milliseconds, budget{}})
	}
	return t
}

func (b *bench) starve(e entrant, instances, swaps int) (samples, error) {
	score := samples{alone, alone, alone}
	if !e.swaps {
		return score, nil
	}
	t, _, _, err := b.launch(withInstances(instances), e)
	if err != nil {
		return nil, err
	}
	score[0], err = t.reach(swaps, breath, t.tenKeys)
	if err != nil || score[0] > 0 || instances > 0 {
		return score, err
	}
	score[1] = t.took.percentile(100)
	if err := allowInstances(t.PID, 128); err != nil {
		return nil, err
	}
	if _, err := t.reach(1, 0, t.tenKeys); err != nil { // by a rescan, which finds that inotify works
		return nil, err
	}
	t.took = nil
	_, err = t.reach(swaps, breath, t.tenKeys)
	score[2] = t.took.median()
	return score, err
}
