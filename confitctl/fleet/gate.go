// Package fleet asks and tells the roll-out over all replicas: it polls the
// Lease that holds the record, decides with package rollout, and stores what
// was decided.
//
// It guarantees that a gate passes only once the record says so in the store,
// that it never gives up while the API server is away, and that it keeps its
// distance: five to fifteen seconds between two looks, longer if the server
// asks for it. There is no watch: a thousand watchers of one busy object are a
// million events.
package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"confit/confitctl/kube"
	"confit/confitctl/lease"
	"confit/confitctl/rollout"
)

// Gate is one replica's question whether it may go on.
type Gate struct {
	Store  *lease.Store
	Me     rollout.Replica
	Policy rollout.Policy
	Out    io.Writer // where it says why it waits, whenever that changes

	poll     time.Duration // shortest time between two looks, 5 s if 0; the longest is three times that
	born     time.Time
	uid      string
	observer rollout.Observer
	said     string
}

const defaultPoll = 5 * time.Second

// ErrRefused is that the replica must not go on with this hash now.
var ErrRefused = errors.New("the gate is closed")

// Run returns nil when the replica may go on. It waits as long as that takes,
// or until the context ends; but a replica that starts doesn't wait.
func (g *Gate) Run(ctx context.Context) error {
	g.born = time.Now()
	for tries := 0; ; {
		answer, err := g.ask(ctx)
		pause := jitter(cmp.Or(g.poll, defaultPoll))
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && kube.KindOf(err) == kube.Conflict:
			tries++
			pause = backOff(tries)
		case err != nil && (g.Me.Starting || kube.KindOf(err) == kube.Final):
			return err
		case err != nil:
			g.say(err.Error())
			pause = max(pause, kube.After(err))
		case answer.Verdict == rollout.Go:
			return nil
		case answer.Verdict == rollout.Refuse || g.Me.Starting:
			return fmt.Errorf("%w: %s", ErrRefused, answer.Reason)
		default:
			tries = 0
			g.say(answer.Reason)
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// ask looks once. The answer counts, as the record that comes with it is stored.
func (g *Gate) ask(ctx context.Context) (rollout.Answer, error) {
	record, version, err := g.Store.Load(ctx)
	if err != nil {
		return rollout.Answer{}, err
	}
	if g.uid != version.UID() {
		g.uid, g.observer = version.UID(), nil // its serials begin anew
	}
	now := time.Since(g.born)
	g.observer = g.observer.Look(record, now)
	answer, next := record.Gate(g.Me, g.Policy, g.observer, now)
	if same(record, next) {
		return answer, nil
	}
	if err := g.Store.Save(ctx, version, next); err != nil {
		return rollout.Answer{}, err
	}
	g.observer = g.observer.Look(next, now)
	return answer, nil
}

// say prints a reason to wait, unless it was the last one, too.
func (g *Gate) say(reason string) {
	if reason != g.said {
		g.said = reason
		fmt.Fprintln(g.Out, "waiting:", reason)
	}
}

// same reports that there is nothing to store.
func same(a, b rollout.Record) bool {
	before, err1 := a.Encode()
	after, err2 := b.Encode()
	return before == after && err1 == nil && err2 == nil
}

// jitter is a random time from d to three times d, so that those who began to
// wait together don't ask together.
func jitter(d time.Duration) time.Duration {
	return d + rand.N(2*d)
}

// backOff is how long a writer waits after so many conflicts: up to 100 ms,
// doubling up to 3 s, at random.
func backOff(tries int) time.Duration {
	return rand.N(min(3*time.Second, 100*time.Millisecond<<min(tries-1, 5)))
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
