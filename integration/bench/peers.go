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
	name     string
	adds     float64
	took     samples
	ofSwap   float64 // milliseconds of a processor
	idle     weight
	afterAll weight
}

// peers measures confit beside what people would pick instead, and beside floors: a volume of ten keys, all of which change in each
// swap. Each app says when it was reloaded.
func (b *bench) peers(rounds int) ([]row, error) {
	ours := contender{"confit", false, func(b *bench) []string { return []string{b.confit} }, func(b *bench, s *site) ([]string, error) {
		return b.confitOn(s, []string{"--log-level", "warn"}, b.app()...), nil
	}}
	mine, err := b.score(ours, rounds)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, c := range contenders {
		theirs, err := b.score(c, rounds)
		if err != nil {
			return rows, fmt.Errorf("%s: %w", c.name, err)
		}
		rows = append(rows, mine.beside(theirs)...)
	}
	slices.SortStableFunc(rows, func(x, y row) int { return orderOf(x.Name) - orderOf(y.Name) })
	return rows, nil
}

// figures are the rows' names, in the order of the table.
var figures = []string{"swap → reload, 10 keys, median", "swap → reload, 10 keys, p99", "processor time of a swap", "memory, idle: VmRSS",
	"memory, idle: RssAnon", "memory after all swaps: RssAnon", "adds to the image"}

func orderOf(name string) int { return slices.Index(figures, name) }

func (s score) beside(o score) []row {
	var twice budget
	if o.name == contenders[1].name { // what a Go program needs at least
		twice = budget{ratio, 2}
	}
	values := [][2]float64{
		{s.took.median(), o.took.median()}, {s.took.percentile(99), o.took.percentile(99)}, {s.ofSwap, o.ofSwap},
		{s.idle.rss, o.idle.rss}, {s.idle.anon, o.idle.anon}, {s.afterAll.anon, o.afterAll.anon}, {s.adds, o.adds},
	}
	units := []unit{milliseconds, milliseconds, milliseconds, kibibytes, kibibytes, kibibytes, binaryBytes}
	var rows []row
	for i, v := range values {
		r := row{Name: figures[i], Unit: units[i], Ours: v[0], Yard: v[1], Yardstick: o.name}
		if i == 0 {
			r.Budget = twice
		}
		rows = append(rows, r)
	}
	return rows
}

// score runs one program to the end, so that nobody else runs beside it.
func (b *bench) score(c contender, rounds int) (s score, err error) {
	s.name = c.name
	if s.adds, err = c.adds(b); err != nil {
		return s, err
	}
	if c.slow {
		rounds = min(rounds, slowRounds)
	}
	x, err := b.newContender(c)
	if err != nil {
		return s, err
	}
	defer b.stop(x.box)
	time.Sleep(idleTime)
	if s.idle, err = x.weigh(b.self); err != nil {
		return s, err
	}
	for range rounds {
		if err := x.changeOnce(); err != nil {
			return s, err
		}
		time.Sleep(breath)
	}
	time.Sleep(idleTime)
	s.afterAll, err = x.weigh(b.self)
	s.ofSwap = (s.afterAll.ran - s.idle.ran).Seconds() * 1000 / float64(rounds)
	s.took = x.took
	return s, err
}

func (b *bench) newContender(c contender) (*timed, error) {
	s, err := b.newSite(swapKeys)
	if err != nil {
		return nil, err
	}
	if err := s.linkEach(); err != nil {
		return nil, err
	}
	argv, err := c.argv(b, s)
	if err != nil {
		return nil, err
	}
	x, err := b.start(s, argv...)
	if err != nil {
		return nil, err
	}
	return &timed{box: x, site: s}, x.expect(ready)
}

// changeOnce is change for who may reload more than once for a swap: what comes later doesn't count.
func (t *timed) changeOnce() error {
	t.drain()
	t.site.edit(swapKeys)
	at, err := t.site.swap()
	for err == nil && t.last < at {
		t.last, err = t.heard()
	}
	t.took.add(t.last - at)
	return err
}

// webapp is the app that reloads by HTTP. Its argument is where it listens.
func webapp(args []string) int {
	l, err := net.Listen("tcp", args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, "webapp:", err)
		return 125
	}
	fmt.Println(ready)
	err = http.Serve(l, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { fmt.Println(stamp()) })) //nolint:gosec // for this bench alone
	fmt.Fprintln(os.Stderr, "webapp:", err)
	return 125
}
