package main

import "time"

// idleWindow is how long wake-ups are counted.
const idleWindow = time.Minute

// idle counts the wake-ups of an init that has nothing to do: each one keeps a core of the node from sleeping deeply. Most of confit's
// are the looks that it takes at the volumes without an event. With --rescan an hour only those of Go's runtime are left: a thread
// wakes once a minute and looks whether it is time for a collection (sysmon of runtime/proc.go). The first time it takes some thirty
// short sleeps until it rests again, so the first minute doesn't count.
func (b *bench) idle(rounds int) ([]row, error) {
	boxes, err := b.startThree()
	if err != nil {
		return nil, err
	}
	if err := quiet(idleTime, boxes[0]); err != nil { // tini never comes to rest: it looks for zombies each second
		return nil, err
	}
	time.Sleep(idleWindow)
	before, err := rested(boxes)
	if err != nil {
		return nil, err
	}
	var counted, ran [3]samples
	for range rounds {
		time.Sleep(idleWindow)
		after, err := rested(boxes)
		if err != nil {
			return nil, err
		}
		for i := range boxes {
			counted[i] = append(counted[i], after[i].wakeUps-before[i].wakeUps)
			ran[i].add(after[i].ran - before[i].ran)
		}
		before = after
	}
	const runtimeOwn = 4
	return []row{
		{"wake-ups a minute, idle", count, counted[1].median(), counted[2].median(), "tini", budget{ratio, 0.75}},
		{"  processor time a minute", milliseconds, ran[1].median(), ran[2].median(), "tini", budget{ratio, 2.5}},
		{"  wake-ups with --rescan 1h", count, counted[0].median(), counted[2].median(), "tini", budget{value, runtimeOwn}},
	}, nil
}

// startThree starts confit twice, the first time with a rescan so rare that there is none, and tini.
func (b *bench) startThree() ([]*box, error) {
	rare, tini, err := b.startIdle("--rescan", "1h")
	if err != nil {
		return nil, err
	}
	usual, other, err := b.startIdle()
	if err != nil {
		return nil, err
	}
	b.stop(other)
	return []*box{rare, usual, tini}, nil
}

// activity is what a process has done so far.
type activity struct {
	wakeUps float64
	ran     time.Duration
}

func rested(boxes []*box) (all []activity, err error) {
	for _, x := range boxes {
		n, err := x.Switches()
		if err != nil {
			return nil, err
		}
		all = append(all, activity{float64(n), ran(x.PID)})
	}
	return all, nil
}
