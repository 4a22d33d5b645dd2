package people

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"confit/confitctl/kube"
	"confit/confitctl/lease"
	"confit/confitctl/patience"
	"confit/confitctl/rollout"
	"confit/confitctl/screen"
	"confit/status"
)

// How a wait may fail: the rollout was rejected, or there was none.
var (
	ErrRejected = errors.New("the rollout has failed")
	ErrNothing  = errors.New("nothing is rolled out")
	ErrLate     = errors.New("the rollout isn't over")
)

// Exit codes of a wait, of every program.
const (
	ExitRejected = 3
	ExitNothing  = 4
)

// DefaultBegin is as long as kubelets may take to bring an edit.
const DefaultBegin = 2 * time.Minute

// quiet is as long as two looks of a gate: so long nothing may happen before the rollout of a hash is over.
const quiet = 30 * time.Second

// look is the time between two looks of somebody who waits.
const look = 5 * time.Second

// Mount is what a pod has mounted.
type Mount struct {
	Pod, Hash string
	Rejected  string // why its confit has rejected that for good; "": it hasn't
}

// Waiter waits for the end of a rollout.
type Waiter struct {
	Store   *lease.Store
	Hash    string                        // its first digits; "": whatever has begun since Begin before the wait
	Begin   time.Duration                 // until something has to begin, and how long nothing may happen then if the hash isn't known
	Timeout time.Duration                 // 0: none
	Out     io.Writer                     // where it says how far that has come, as package screen does
	Mounted func(context.Context) []Mount // what pods have mounted, as far as they can be asked; nil: none can

	poll  time.Duration        // between two looks; look if 0
	quiet time.Duration        // instead of the above, if not 0
	clock func() time.Duration // instead of its own, if not nil
}

// Run returns nil when the hash is stable and nobody is in flight for a while,
// ErrRejected when it is rejected, ErrNothing when nothing begins, ErrLate when its time is over, and else why it isn't
// known. It waits while the server is away, or until the context ends.
func (w *Waiter) Run(ctx context.Context) error {
	out := screen.On(w.Out)
	defer out.Keep()
	w.Out = out
	if w.Timeout > 0 {
		timed, cancel := context.WithTimeout(ctx, w.Timeout)
		defer cancel()
		ctx = timed
	}
	return w.wait(ctx)
}

func (w *Waiter) wait(ctx context.Context) error {
	clock, begin, seen := w.clock, time.Now(), rollout.Observer{}
	if clock == nil {
		clock = func() time.Duration { return time.Since(begin) }
	}
	said, last, since := "", rollout.Record{}, time.Now()
	var news *news
	for {
		record, version, err := w.Store.Load(ctx)
		switch {
		case err != nil && patience.IsOver(ctx):
			return w.late(ctx, news != nil, said)
		case err != nil && kube.KindOf(err) == kube.Final:
			return err
		case err != nil:
			since, seen = time.Now(), seen.Missed()
			w.say(&said, err.Error())
		default:
			seen = seen.Look(record, rollout.Moment{Own: clock(), Date: version.Date()})
			now := record.Sweep(seen) // a gate would note that something is over, but maybe none looks any more
			if news == nil {
				news = newNews(now, version.Date()-int64(w.Begin/time.Second))
			}
			w.ask(ctx, news, now)
			if isBusy(now, w.Hash) || !record.Same(last) {
				last, since = record, time.Now()
			}
			if ended, err := w.verdict(ctx, news, now, time.Since(since)); ended {
				return err
			}
			w.say(&said, status.Clean(now.Progress(w.Hash).Waits))
		}
		if patience.Sleep(ctx, cmp.Or(w.poll, look)) != nil {
			return w.late(ctx, news != nil, said)
		}
	}
}

// late is the error of a wait whose time is over, or which a signal ends: with what was said last. A look that this cuts off is none.
func (w *Waiter) late(ctx context.Context, looked bool, said string) error {
	if said == "" {
		said = map[bool]string{true: "nobody is in flight", false: "the API server has not answered yet"}[looked]
	}
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w; last: %s", err, said)
	}
	return fmt.Errorf("%w after %s; last: %s", ErrLate, w.Timeout, said)
}

// isBusy reports that something is still to come for a hash, or has to come before one that nobody has tried.
func isBusy(r rollout.Record, hash string) bool {
	p := r.Progress(hash)
	if p.Unknown {
		return r.Paused || r.Progress("").Waits != ""
	}
	return p.Waits != ""
}

// ask takes over the hash that a pod has mounted, if the record has known nothing of it for long.
func (w *Waiter) ask(ctx context.Context, news *news, now rollout.Record) {
	if w.Hash != "" || w.Mounted == nil || len(news.of(now)) > 0 {
		return
	}
	for _, m := range w.Mounted(ctx) {
		if m.Hash != "" && !news.old(m.Hash) {
			w.Hash = m.Hash
			fmt.Fprintf(w.Out, "waiting: %s has mounted %s\n", status.Clean(m.Pod), status.Clean(rollout.Short(m.Hash)))
			return
		}
	}
}

// verdict says whether the wait is over when nothing has happened for so long, and how it ends.
func (w *Waiter) verdict(ctx context.Context, news *news, now rollout.Record, still time.Duration) (ended bool, err error) {
	p, long := now.Progress(w.Hash), still >= cmp.Or(w.quiet, w.Begin)
	if w.Hash == "" {
		rejected, fresh := news.rejected(now)
		switch {
		case rejected != "" && (fresh || long):
			return true, w.failed(rejected)
		case long && len(news.of(now)) == 0:
			return true, w.nothing("what every pod's validator refuses never begins")
		}
		return long, nil
	}
	switch {
	case p.Rejected != "":
		return true, w.failed(p.Rejected)
	case !p.Unknown:
		return still >= cmp.Or(w.quiet, quiet), nil
	case !long:
		return false, nil
	}
	if w.Mounted != nil {
		for _, m := range w.Mounted(ctx) {
			if m.Hash == w.Hash && m.Rejected != "" {
				return true, w.failed(m.Pod + " has rejected it before its gate: " + m.Rejected)
			}
		}
	}
	return true, w.nothing("nobody has tried " + rollout.Short(w.Hash))
}

func (w *Waiter) failed(why string) error {
	return fmt.Errorf("%w: %s", ErrRejected, status.Clean(why))
}

func (w *Waiter) nothing(why string) error {
	return fmt.Errorf("%w: nothing has begun for %s: %s; kubectl confit status says what the pods have", ErrNothing, w.Begin, status.Clean(why))
}

// say shows how far it has come.
func (w *Waiter) say(said *string, text string) {
	if text != "" {
		*said = text
		screen.On(w.Out).Show("waiting: "+text, step(text))
	}
}

// step is what a log has a new line for: another text, or twice as many of whatever the text begins with.
func step(text string) string {
	first, rest, _ := strings.Cut(text, " ")
	if n, err := strconv.ParseUint(first, 10, 64); err == nil {
		return fmt.Sprint(bits.Len64(n), rest)
	}
	return text
}
