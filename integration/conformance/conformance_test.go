//go:build conformance

package conformance

import (
	"errors"
	"flag"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "write the table anew")

// behaviour is one row of the table.
type behaviour struct {
	name string
	does string // what is tried
	try  func(subject) error
	// needs are the options that the case is about: an init that lacks one isn't asked.
	needs []option
}

// gaps are the behaviours that confit is known to lack. docs/internals/conformance.md says why, and what would help.
var gaps = map[string]bool{
	// What was sent can't be told from the Go runtime's URG, or from what the kernel raises for confit. PROF is the runtime's, RTMIN musl's.
	"URG, PIPE, PROF, XCPU, XFSZ and RTMIN reach the app": true,
	// The Go runtime catches all but HUP and INT, and what is caught has its default action in a child.
	"other signals stay ignored": true,
	// os/signal has one place for each signal.
	"a burst of real-time signals arrives whole": true,
	// The Go runtime catches TERM before main begins, and ends the program.
	"a TERM in its first milliseconds doesn't end the init": true,
	// The Go runtime unblocks TERM, HUP, faults and the like, before main begins.
	"the signal mask is passed on": true,
	// A word before a later -- is taken for the value of a switch: --adopt true -- app.
	"options end at the app's name": true,
	// The app may have to be started again, and needs it then, too.
	"the init lets go of the extra descriptor": true,
}

func behaviours() []behaviour {
	var all []behaviour
	for _, some := range [][]behaviour{exits, signalled, entrypoints, leftovers, orphans, inherited, sturdy, terminals} {
		all = append(all, some...)
	}
	return all
}

// TestConformance asks every init for every behaviour, and compares the answers with the table.
func TestConformance(t *testing.T) {
	results := newTable()
	t.Run("case", func(t *testing.T) {
		for _, b := range behaviours() {
			for _, p := range programsUnderTest() {
				t.Run(b.name+"/"+p.name, func(t *testing.T) {
					t.Parallel()
					results.ask(b, subject{p, t})
				})
			}
		}
	})
	if t.Failed() || !results.complete() {
		return // a part of the suite was run, or it is out of order
	}
	if *update {
		mustDo(t, results.write())
	}
	results.compare(t)
}

// table collects the answers, by behaviour and init. An empty answer is a pass.
type table struct {
	mu      sync.Mutex
	answers map[[2]string]error
}

func newTable() *table { return &table{answers: map[[2]string]error{}} }

func (tb *table) ask(b behaviour, s subject) {
	answer := errLacks
	if !s.lacks(b.needs) {
		answer = b.try(s)
	}
	if answer != nil {
		s.t.Log(answer)
	}
	if s.name == "confit" && (answer != nil) != gaps[b.name] {
		s.t.Errorf("confit: %v; known gap: %v", answer, gaps[b.name])
	}
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.answers[[2]string{b.name, s.name}] = answer
}

func (tb *table) complete() bool {
	return len(tb.answers) == len(behaviours())*len(programsUnderTest())
}

// verdict is a cell of the table.
func (tb *table) verdict(b behaviour, p program) string {
	switch answer := tb.answers[[2]string{b.name, p.name}]; {
	case answer == nil:
		return "pass"
	case errors.Is(answer, errLacks):
		return "–"
	default:
		return "FAIL"
	}
}
