package confit

import (
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

const (
	aloneTimes    = 10 // of each signal
	togetherTimes = 50 // of all, so that one in fifty that is lost is seen
	floods        = 10
	floodTerms    = 5  // in each flood
	ends          = 20 // of an app, each with a TERM beside it
)

// Each signal that is promised reaches the app once, where it comes alone and where all come together.
func TestPID1_net_alone(t *testing.T) {
	keepBusy(t)
	c := newTally(t)
	for range aloneTimes {
		for _, sig := range promised(each) {
			c.arrive(sig)
		}
		for _, sig := range promised(withheld) {
			c.Signal(sig)
		}
	}
	together := withoutCONT(promised(each))
	for range togetherTimes {
		c.arrive(together...)
		c.arrive(unix.SIGCONT)
	}
	for range aloneTimes {
		c.arrive(unix.SIGTERM)
	}
	for range togetherTimes {
		c.arrive(append([]syscall.Signal{unix.SIGTERM}, together...)...) // the others stand behind it
	}
	c.wantTally()
}

// withoutCONT leaves out what can't be sent together with the others: the kernel drops TSTP, TTIN and TTOU when CONT comes, signal(7).
func withoutCONT(list []syscall.Signal) []syscall.Signal {
	return slices.DeleteFunc(list, func(sig syscall.Signal) bool { return sig == unix.SIGCONT })
}

// In a flood of USR1 each other signal reaches the app once, TERM included, and the app hears of the last USR1.
func TestPID1_net_flood(t *testing.T) {
	keepBusy(t)
	c := newTally(t)
	others := slices.DeleteFunc(withoutCONT(promised(each)), func(sig syscall.Signal) bool { return sig == unix.SIGUSR1 })
	for range floods {
		c.inFlood(func() {
			rand.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
			c.arrive(others...)
			c.arrive(unix.SIGCONT)
		})
	}
	for range floods {
		c.inFlood(func() {
			for range floodTerms {
				c.arrive(unix.SIGTERM)
			}
		})
	}
	c.wantTally()
	t.Logf("the app got %d of %d USR1", c.counts.got[unix.SIGUSR1].Load(), c.sent[unix.SIGUSR1])
}

// inFlood sends USR1 as fast as it can while something else is done. With each it tells the app a number, and the app must come to see
// the last one: whoever rings a bell after a change is heard after the change.
func (c *tally) inFlood(do func()) {
	c.t.Helper()
	over := make(chan struct{})
	var flood sync.WaitGroup
	flood.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
				c.counts.told.Add(1)
				c.sent[unix.SIGUSR1]++
				_ = c.Send(unix.SIGUSR1)
			}
		}
	})
	func() {
		defer flood.Wait()
		defer close(over)
		do()
	}()
	c.Eventually("the last of the flood reaches the app", func() bool { return c.counts.seen.Load() == c.counts.told.Load() })
}

// A TERM beside the app's own end takes nothing from the app's exit code, and confit ends. Every other time the app ends first, and every
// other time confit is stopped meanwhile, so that it learns of both at once.
func TestPID1_net_end(t *testing.T) {
	keepBusy(t)
	for i := range ends {
		c := newTally(t)
		c.endsBeside(i%2 == 0, i/2%2 == 0)
	}
}

const ownEnd, endAtTerm = 7, 9 // exit codes

func (c *tally) endsBeside(first, stopped bool) {
	c.t.Helper()
	c.counts.ends[unix.SIGUSR2].Store(ownEnd)
	c.counts.ends[unix.SIGTERM].Store(endAtTerm)
	app, err := os.FindProcess(c.Processes()[1].PID) // the second one that was born; a pidfd, as the pid may be another's soon
	if err != nil {
		c.t.Fatal(err)
	}
	endApp := func() { _ = app.Signal(unix.SIGUSR2) } // it may have ended at TERM
	if stopped {
		c.Signal(unix.SIGSTOP)
	}
	if first {
		endApp()
		_ = c.Send(unix.SIGTERM) // confit may have ended, too
	} else {
		c.Signal(unix.SIGTERM)
		endApp()
	}
	if stopped {
		c.Eventually("the app is a zombie", c.zombie)
		c.Signal(unix.SIGCONT)
	}
	harness.Eventually(c.t, "the end of confit", func() bool { return !c.Alive() })
	if code := c.State().ExitCode(); code != ownEnd && code != endAtTerm {
		c.t.Fatalf("confit ended with %v, want the app's own %d or %d", c.State(), ownEnd, endAtTerm)
	}
	c.wantLogged("app started", 1)
}
