package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// trial is a shortage in which each program is tried. A figure that isn't its business is NaN.
type trial struct {
	figures []figure
	try     func(b *bench, e entrant, rounds int) (samples, error)
}

type figure struct {
	name   string
	unit   unit
	budget budget
}

var trials = []trial{littleMemory, littleProcessor, crowded, starved(0), starved(1), starved(2)}

// entrant is a contender, and what it does beside starting an app: forward signals, bring it swaps, copy their keys, and refuse a bad one.
type entrant struct {
	contender
	forwards, swaps, copies, checks bool
}

// entrants are confit, the inits, and those contenders that are built, as some take minutes. The C floor adds nothing here.
func (b *bench) entrants() (all []entrant) {
	all = append(all, entrant{contender{"confit", false, itself, (*bench).runItself}, true, true, true, true})
	for _, name := range inits {
		all = append(all, entrant{contender: contender{name, false, func(*bench) []string { return []string{name} },
			func(b *bench, _ *site) ([]string, error) { return append([]string{name, "--"}, b.app()...), nil }}, forwards: true})
	}
	for _, c := range contenders[1:] {
		all = append(all, entrant{contender: c, swaps: true, copies: c.name == floorGo.name})
	}
	return slices.DeleteFunc(all, func(e entrant) bool {
		_, err := sizeOf(e.files(b)...)
		if err != nil {
			fmt.Fprintf(os.Stderr, "  without %q, which isn't there\n", e.name)
		}
		return err != nil
	})
}

func itself(b *bench) []string { return []string{b.confit} }

// neededKey is one that has a link line of its own: a volume that lacks it is rejected.
const neededKey = "k00000"

func (b *bench) runItself(s *site) ([]string, error) {
	lines := fmt.Sprintf("link %s/ %s/\nlink %s/%s %s\n", volumeName, s.target(""), volumeName, neededKey, s.path("needed"))
	return b.quietConfit(s), os.WriteFile(s.path("links"), []byte(lines), 0o644)
}

// pressure measures what still holds where a container or its node is short of something: confit beside inits, and beside those that
// bring an app a volume's changes.
func (b *bench) pressure(rounds int) (rows []row, err error) {
	all := b.entrants()
	for _, t := range trials {
		var scores []samples
		for _, e := range all {
			score, err := t.try(b, e, rounds)
			b.clear()
			if err != nil {
				return rows, fmt.Errorf("%s: %w", e.name, err)
			}
			scores = append(scores, score)
		}
		for i, f := range t.figures {
			rows = append(rows, f.rows(i, all, scores)...)
		}
	}
	return rows, nil
}

// rows compares ours, which is the first, with all others for which the figure was measured.
func (f figure) rows(i int, all []entrant, scores []samples) (rows []row) {
	for n, score := range scores[1:] {
		if !math.IsNaN(score[i]) {
			rows = append(rows, row{f.name, f.unit, scores[0][i], score[i], all[n+1].name, f.budget})
		}
	}
	if rows == nil {
		rows = []row{{f.name, f.unit, scores[0][i], alone, "", f.budget}}
	}
	return rows
}

// settle is what others have to begin to watch, which they may do after the app's start. Who is slow has more.
const settle, slowSettle = 500 * time.Millisecond, 3 * time.Second

// launch starts an entrant over an app on a new site, and returns how long it took until that was ready. ok is false if it never was.
func (b *bench) launch(under strain, e entrant) (t *timed, took time.Duration, ok bool, err error) {
	s, err := b.newSite(swapKeys)
	if err != nil {
		return nil, 0, false, err
	}
	argv, err := e.argv(b, s)
	if err != nil {
		return nil, 0, false, err
	}
	x, err := b.startUnder(under, s, argv...)
	if err != nil {
		return nil, 0, false, err
	}
	x.name = e.name + " under " + under.name
	ok = x.expect(ready) == nil
	took = now() - x.begun
	if !ok {
		fmt.Fprintf(os.Stderr, "  %s: the app never was ready: %s\n", x.name, x.fate())
	}
	switch {
	case e.slow:
		time.Sleep(slowSettle)
	case e.swaps && !e.checks:
		time.Sleep(settle)
	}
	return &timed{box: x, site: s}, took, ok, nil
}

// inTime is when the app must have been told. Who looks at the volumes from time to time does so each second or two, and confit each
// ten where it has no inotify.
const inTime = 15 * time.Second

// reach does n times something of which the app is told by a signal, and returns how often that was lost: once, and then also all
// that follows.
func (t *timed) reach(n int, pause time.Duration, do func() (time.Duration, error)) (lost float64, err error) {
	for i := range n {
		time.Sleep(pause)
		t.drain()
		at, err := do()
		if err != nil || !t.told(at) {
			fmt.Fprintf(os.Stderr, "  %s: %d of %d reach the app: %s\n", t.name, i, n, t.fate())
			return float64(n - i), err
		}
	}
	return 0, nil
}

// fate tells how a box ended.
func (x *box) fate() string {
	select {
	case <-x.Ended():
		return "PID 1 ended with " + x.State().String()
	case <-time.After(time.Second):
		return "PID 1 lives"
	}
}

// told waits until the app says that it was told since then, and adds the time that it took.
func (t *timed) told(since time.Duration) bool {
	for late := time.After(inTime); ; {
		select {
		case line, alive := <-t.lines:
			if !alive {
				return false
			}
			if heard, err := parseStamp(line); err == nil && heard >= since {
				t.took.add(heard - since)
				return true
			}
		case <-late:
			return false
		}
	}
}

func (t *timed) tenKeys() (time.Duration, error) {
	t.site.edit(swapKeys)
	return t.site.swap()
}

func (t *timed) hup() (time.Duration, error) {
	at := now()
	return at, t.Send(unix.SIGHUP)
}
