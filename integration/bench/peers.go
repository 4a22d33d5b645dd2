package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"time"
)

// slowRounds must do for who looks once a second.
const slowRounds = 15

// score is how one program did.
type score struct {
	adds     float64
	took     samples
	ofSwap   float64 // milliseconds of a processor
	idle     weight
	afterAll weight
}

// peers measures confit beside what people would pick instead, and beside floors: a volume of ten keys, all of which change in each
// swap. Each app says when it was reloaded.
func (b *bench) peers(rounds int) (rows []row, err error) {
	for _, c := range contenders {
		ours, theirs, err := b.match(c, rounds)
		b.clear()
		if err != nil {
			return rows, fmt.Errorf("%s: %w", c.name, err)
		}
		rows = append(rows, ours.beside(theirs, c.name)...)
	}
	slices.SortStableFunc(rows, func(x, y row) int { return orderOf(x.Name) - orderOf(y.Name) })
	return rows, nil
}

// figures are the rows' names, in the order of the table.
var figures = []string{"swap → reload, median", "swap → reload, p99", "processor time of a swap", "memory, idle: VmRSS",
	"memory, idle: RssAnon", "memory after all swaps: RssAnon", "adds to the image"}

func orderOf(name string) int { return slices.Index(figures, name) }

func (s score) beside(o score, name string) []row {
	values := [][2]float64{
		{s.took.median(), o.took.median()}, {s.took.percentile(99), o.took.percentile(99)}, {s.ofSwap, o.ofSwap},
		{s.idle.rss, o.idle.rss}, {s.idle.anon, o.idle.anon}, {s.afterAll.anon, o.afterAll.anon}, {s.adds, o.adds},
	}
	units := []unit{milliseconds, milliseconds, milliseconds, kibibytes, kibibytes, kibibytes, binaryBytes}
	var rows []row
	for i, v := range values {
		rows = append(rows, row{Name: figures[i], Unit: units[i], Ours: v[0], Yard: v[1], Yardstick: name})
	}
	return rows
}

// match runs confit and another program side by side.
func (b *bench) match(c contender, rounds int) (ours, theirs score, err error) {
	if ours.adds, err = sizeOf(b.confit); err != nil {
		return ours, theirs, err
	}
	if theirs.adds, err = sizeOf(c.files(b)...); err != nil {
		return ours, theirs, err
	}
	if c.slow {
		rounds = min(rounds, slowRounds)
	}
	p, err := b.beside(c, swapKeys)
	if err != nil {
		return ours, theirs, err
	}
	time.Sleep(idleTime)
	if ours.idle, theirs.idle, err = p.weigh(b.self); err != nil {
		return ours, theirs, err
	}
	took, err := p.swap(rounds, swapKeys, breath)
	if err != nil {
		return ours, theirs, err
	}
	time.Sleep(idleTime)
	ours.afterAll, theirs.afterAll, err = p.weigh(b.self)
	for i, s := range []*score{&ours, &theirs} {
		s.took, s.ofSwap = took[i], (s.afterAll.ran-s.idle.ran).Seconds()*1000/float64(rounds)
	}
	return ours, theirs, err
}

func (p pair) weigh(app string) (ours, theirs weight, err error) {
	if ours, err = p.ours.weigh(app); err != nil {
		return ours, theirs, err
	}
	theirs, err = p.theirs.weigh(app)
	return ours, theirs, err
}

// webapp is the app that reloads by HTTP. Its argument is where it listens.
func webapp(args []string) int {
	l, err := net.Listen("tcp", args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, "webapp:", err)
		return 125
	}
	fmt.Println(ready)
	go obey()
	err = http.Serve(l, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { fmt.Println(stamp()) })) //nolint:gosec // for this bench alone
	fmt.Fprintln(os.Stderr, "webapp:", err)
	return 125
}
