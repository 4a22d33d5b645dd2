// Package fleet asks and tells the rollout over all replicas: it polls the
// Lease that holds the record, decides with package rollout, and stores what
// was decided.
//
// It guarantees that a gate passes only once the record says so in the store,
// that it never gives up while the API server is away, and that it keeps its
// distance: five to fifteen seconds between two looks, longer if the server is
// slow or asks for it. There is no watch: a thousand watchers of one busy object are a
// million events.
package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"confit/confitctl/kube"
	"confit/confitctl/lease"
	"confit/confitctl/life"
	"confit/confitctl/memory"
	"confit/confitctl/patience"
	"confit/confitctl/rollout"
	"confit/status"
)

// Gate is one replica's question whether it may go on.
type Gate struct {
	Store  *lease.Store
	Me     rollout.Replica
	Policy rollout.Policy
	Memory memory.Dir // what the container's gates have seen
	Out    io.Writer  // where it says why it waits, whenever that changes

	poll   time.Duration // shortest time between two looks, 5 s if 0; the longest is three times that
	seen   memory.Seen
	said   string
	looked bool // the server has let it look once
	denied int  // and has denied it so often in a row since
}

const defaultPoll = 5 * time.Second

// ErrRefused is that the replica must not go on with this hash now.
var ErrRefused = errors.New("the gate is closed")

// Run returns nil when the replica may go on. It waits as long as that takes,
// or until the context ends; but a replica that starts doesn't wait.
func (g *Gate) Run(ctx context.Context) error {
	g.seen = g.Memory.Load()
	for conflicts := 0; ; {
		begin := time.Now()
		answer, err := g.ask(ctx)
		took := time.Since(begin)
		if err == nil {
			g.looked, g.denied = true, 0
		} else if kube.KindOf(err) != kube.Conflict {
			g.seen.Observer = g.seen.Observer.Missed()
		}
		g.Memory.Save(g.seen)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && kube.KindOf(err) == kube.Conflict:
			conflicts++
		case err != nil && (g.Me.Starting || g.isFinal(err)):
			return err
		case err != nil:
			g.say(err.Error())
		case answer.Verdict == rollout.Go:
			return nil
		case answer.Verdict == rollout.Refuse || g.Me.Starting:
			return fmt.Errorf("%w: %s", ErrRefused, status.Clean(answer.Reason))
		default:
			conflicts = 0
			g.say(answer.Reason)
		}
		if err := patience.Sleep(ctx, g.pause(err, conflicts, took)); err != nil {
			return err
		}
	}
}

// maxDenied is how often in a row a gate that was allowed to look is denied that,
// before it believes it.
const maxDenied = 5

// isFinal reports that waiting doesn't help. A server that was started again
// forbids everything until it has read the roles, and may know no token for some
// seconds (https://github.com/kubernetes/kubernetes/issues/65785). A token that
// expired while the server was away is read anew after the first 401. So whoever
// was allowed before looks again some times.
func (g *Gate) isFinal(err error) bool {
	if !kube.IsDenied(err) {
		g.denied = 0
		return kube.KindOf(err) == kube.Final
	}
	g.denied++
	return !g.looked || g.denied > maxDenied
}

// A waiting gate looks again after so many times what the last look took, so that
// a thousand of them never keep more than fifty requests before a slow server.
// But nobody waits longer than three times the last of these.
const (
	distance    = 20
	maxDistance = 30 * time.Second
)

// pause is the time until the next look. Who loses one race looks again soon.
// Who loses the next, too, waits as all others do: where many gates want one
// place, each try that is in vain makes the server slower, and a race that lasts
// longer is lost by more of them. A replica that starts has no time for that.
func (g *Gate) pause(err error, conflicts int, took time.Duration) time.Duration {
	if err != nil && kube.KindOf(err) == kube.Conflict && (conflicts == 1 || g.Me.Starting) {
		return patience.BackOff(conflicts, took)
	}
	base := max(cmp.Or(g.poll, defaultPoll), min(distance*took, maxDistance))
	return max(wait.Jitter(base, 2), kube.After(err))
}

// ask looks once. The answer counts, as the record that comes with it is stored.
func (g *Gate) ask(ctx context.Context) (rollout.Answer, error) {
	record, version, err := g.Store.Load(ctx)
	if err != nil {
		return rollout.Answer{}, err
	}
	if g.seen.Lease != version.UID() {
		g.seen.Lease, g.seen.Observer = version.UID(), rollout.Observer{} // its serials begin anew
	}
	now := rollout.Moment{Own: life.Clock(), Date: version.Date()}
	g.seen.Observer = g.seen.Observer.Look(record, now)
	answer, next := record.Gate(g.Me, g.Policy, g.seen.Observer)
	if record.Same(next) {
		return answer, nil
	}
	if err := g.Store.Save(ctx, version, next); err != nil {
		return rollout.Answer{}, err
	}
	g.seen.Observer = g.seen.Observer.Look(next, now)
	return answer, nil
}

// say prints a reason to wait, unless it was the last one, too.
func (g *Gate) say(reason string) {
	if reason != g.said {
		g.said = reason
		fmt.Fprintln(g.Out, "waiting:", status.Clean(reason))
	}
}
