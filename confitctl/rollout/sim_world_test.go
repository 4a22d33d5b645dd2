package rollout

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// world is a simulated fleet: a store with compare-and-swap, a network that
// delays and loses messages, and replicas that crash, freeze and are cut off.
// Everything happens in one goroutine, in an order that the seed decides.
type world struct {
	scenario scenario
	now      time.Duration
	events   queue
	order    int
	store    store
	snapshot snapshot
	replicas []*replica
	verdicts map[string]bool // hashes that somebody found bad
	promises promises
	telling  *outcome // what the update is about that is stored; nil: a gate's
	pod      string   // who sent it
	name     string
	broken   string // the invariant that was broken first
	log      strings.Builder
	overlaps int // replicas that were still in flight when their place had been given away
	commits  int
	uids     int
	born     int  // replicas, also those that are gone
	down     bool // no app can start, as what it needs is away
}

// store is the one object. version goes up with each update.
type store struct {
	version int
	record  Record
}

type event struct {
	at    time.Duration
	order int
	do    func()
}

type queue []event

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].order < q[j].order
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(event)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// after does something later.
func (w *world) after(d time.Duration, do func()) {
	w.order++
	heap.Push(&w.events, event{w.now + d, w.order, do})
}

// run goes on until everybody is done, a promise is broken, or the time is over.
func (w *world) run(until time.Duration) {
	for w.broken == "" && len(w.events) > 0 {
		e := heap.Pop(&w.events).(event)
		if e.at > until {
			return
		}
		w.now = e.at
		e.do()
	}
}

func (w *world) say(format string, args ...any) {
	if w.scenario.transcript {
		fmt.Fprintf(&w.log, "%10s  %s\n", w.now.Round(time.Millisecond), fmt.Sprintf(format, args...))
	}
}

// fail notes a broken promise.
func (w *world) fail(format string, args ...any) {
	if w.broken == "" {
		w.broken = fmt.Sprintf(format, args...)
		w.say("BROKEN: %s", w.broken)
	}
}

// get reads the store over r's network. Either may be lost: the question or
// the answer.
func (w *world) get(r *replica, done func(version int, record Record, date int64)) {
	w.message(r, func() {
		version, record, date := w.store.version, w.store.record, w.date(r)
		w.message(r, func() { done(version, record, date) })
	})
}

// date is what a server's clock says. There are two servers, and either may answer.
func (w *world) date(r *replica) int64 {
	off := time.Duration(0)
	if r.rng.IntN(2) == 1 {
		off = w.scenario.skew
	}
	if j := w.scenario.jump; j.at > 0 && w.now >= j.at {
		off += j.by
	}
	return 1_000_000_000 + int64((w.now+off)/time.Second)
}

// away reports that no server answers.
func (w *world) away() bool {
	for _, o := range w.scenario.outages {
		if w.now >= o.at && w.now < o.at+o.long {
			return true
		}
	}
	return false
}

// update replaces the record if nobody else was faster. It is about an outcome, or a
// gate's.
func (w *world) update(r *replica, version int, record Record, about *outcome, done func(ok bool)) {
	pod, name := r.pod, r.name // it may be another one when this arrives
	w.message(r, func() {
		ok := version == w.store.version
		if ok {
			w.telling, w.pod, w.name = about, pod, name
			w.commit(r, record)
		}
		w.message(r, func() { done(ok) })
	})
}

// commit checks what the new record promises, and stores it. It goes through
// JSON, as the real one does.
func (w *world) commit(r *replica, record Record) {
	text, err := record.Encode()
	if err != nil {
		w.fail("%s stored a record that can't be encoded: %v", r.name, err)
	}
	back, err := Decode(text)
	if err != nil {
		w.fail("%s stored a record that can't be decoded: %v", r.name, err)
	}
	w.checkCommit(r, w.store.record, back)
	w.checkPromises(r, w.store.record, back)
	w.commits++
	w.store = store{w.store.version + 1, back}
	w.snapshot.want(back.Snapshot)
}

// message crosses the network between r and the store, unless it is lost.
func (w *world) message(r *replica, arrives func()) {
	lost := r.rng.Float64() < w.scenario.loss || w.now < r.cutUntil || w.away()
	delay := time.Duration(5+r.rng.IntN(195)) * time.Millisecond
	if lost {
		return
	}
	w.after(delay, func() {
		if w.now >= r.cutUntil && !w.away() {
			arrives()
		}
	})
}

// between is a random time.
func between(rng *rand.Rand, low, high time.Duration) time.Duration {
	return low + time.Duration(rng.Int64N(int64(high-low)+1))
}
