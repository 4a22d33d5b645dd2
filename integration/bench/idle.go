package main

import "time"

// idleWindow is how long wake-ups are counted.
const idleWindow = 10 * time.Second

// idle counts the wake-ups of an init that has nothing to do: each one keeps a core of the node from sleeping deeply. With
// --rescan an hour there must be none.
func (b *bench) idle(rounds int) ([]row, error) {
	var ours, tini samples
	for range rounds {
		x, y, err := b.startIdle("--rescan", "1h")
		if err != nil {
			return nil, err
		}
		if err := quiet(idleTime, x); err != nil { // tini never comes to rest: it looks for zombies each second
			return nil, err
		}
		before, tiniBefore, err := wakeUps(x, y)
		if err != nil {
			return nil, err
		}
		time.Sleep(idleWindow)
		after, tiniAfter, err := wakeUps(x, y)
		if err != nil {
			return nil, err
		}
		ours = append(ours, float64(after-before))
		tini = append(tini, float64(tiniAfter-tiniBefore))
		b.stop(x)
		b.stop(y)
	}
	return []row{{"wake-ups in 10 s, idle, --rescan 1h", count, ours.median(), tini.median(), "tini", budget{value, 0}}}, nil
}

func wakeUps(x, y *box) (ours, theirs int, err error) {
	if ours, err = x.Switches(); err != nil {
		return 0, 0, err
	}
	theirs, err = y.Switches()
	return ours, theirs, err
}
