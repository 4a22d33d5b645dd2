package entrypoint

import (
	"testing"
	"time"
)

// What looks find.
var (
	script   = Look{PID: 5, Program: "bash", Shell: true, Meaning: Meaning{Executes: true}}
	wrapper  = Look{PID: 5, Program: "gosu"}
	daemon   = Look{PID: 5, Program: "nginx"}
	forLife  = Look{PID: 5, Program: "dash", Shell: true, Cmdline: Cmdline{1}}
	another  = Look{PID: 5, Program: "dash", Shell: true, Cmdline: Cmdline{2}}
	noChild  = Look{PID: 5, Program: "tini", Waiting: true}
	child    = Look{PID: 6, Program: "nginx"}
	titled   = Look{PID: 5, Program: "nginx", Cmdline: Cmdline{3}}
	nobody   = Look{PID: 5}
	atFirst  = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	after    = func(ms int) time.Time { return atFirst.Add(time.Duration(ms) * time.Millisecond) }
	notBegun = -1
)

// seen is a look, and when it is, in milliseconds.
type seen struct {
	at   int
	look Look
}

// TestWatch tells when an app has begun, and whether it had if it ended after the last look.
func TestWatch(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]struct {
		looks        []seen
		begun, ended int // when
	}{
		"no look":                  {nil, notBegun, notBegun},
		"a daemon":                 {[]seen{{3, daemon}, {53, daemon}, {103, daemon}, {202, daemon}}, notBegun, 3},
		"a daemon for long enough": {[]seen{{3, daemon}, {203, daemon}}, 3, 3},
		"the beginning stays":      {[]seen{{3, daemon}, {203, daemon}, {300, script}, {900, wrapper}}, 3, 3},
		"a script":                 {[]seen{{0, script}, {500, script}, {99999, script}}, notBegun, notBegun},
		"a script that executes":   {[]seen{{0, script}, {500, daemon}, {700, daemon}}, 500, 500},
		"what is seen for moments": {[]seen{{0, wrapper}, {50, script}, {90, wrapper}, {250, daemon}}, notBegun, 250},
		"a script in between":      {[]seen{{0, daemon}, {50, script}, {250, daemon}}, notBegun, 250},
		"a daemon with a title":    {[]seen{{0, daemon}, {250, titled}}, 0, 0},
		"another process":          {[]seen{{0, daemon}, {250, child}}, notBegun, 250},
		"a shell for life":         {[]seen{{7, forLife}, {207, forLife}}, 7, 7},
		"a shell that ended":       {[]seen{{7, forLife}, {100, forLife}}, notBegun, notBegun},
		"another script":           {[]seen{{0, forLife}, {200, another}, {300, another}}, notBegun, notBegun},
		"an init without a child":  {[]seen{{0, noChild}, {5000, noChild}}, notBegun, notBegun},
		"a child, and none":        {[]seen{{0, child}, {100, noChild}, {200, child}}, notBegun, 200},
		"nothing is known":         {[]seen{{0, nobody}, {200, nobody}}, 0, 0},
		"nothing is known once":    {[]seen{{0, nobody}}, notBegun, notBegun},
	} {
		w := Since(atFirst)
		for _, s := range at.looks {
			w = w.See(s.look, after(s.at))
		}
		check := func(what string, want int, when time.Time, is bool) {
			if is != (want != notBegun) || is && !when.Equal(after(want)) {
				t.Errorf("%s: %s %v, at %v, want %d", name, what, is, when, want)
			}
		}
		when, is := w.Begun()
		check("begun", at.begun, when, is)
		when, is = w.Ended()
		check("begun before the end", at.ended, when, is)
	}
}

// TestWatch_next looks often, and later seldom.
func TestWatch_next(t *testing.T) {
	t.Parallel()
	w := Since(atFirst)
	for at, want := range map[int]int{0: 50, 123: 173, 9999: 10_049, 10_000: 10_500, 60_000: 60_500} {
		if got := w.Next(after(at)); !got.Equal(after(want)) {
			t.Errorf("after %d: %v, want %d", at, got.Sub(atFirst), want)
		}
	}
}
