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
	bad      map[string]bool // hashes that no app survives
	verdicts map[string]bool // hashes that somebody found bad
	broken   string          // the invariant that was broken first
	log      strings.Builder
	overlaps int // replicas that were still in flight when their place had been given away
	commits  int
	uids     int
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
func (w *world) get(r *replica, done func(version int, record Record)) {
	w.message(r, func() {
		version, record := w.store.version, w.store.record
		w.message(r, func() { done(version, record) })
	})
}

// update replaces the record if nobody else was faster.
func (w *world) update(r *replica, version int, record Record, done func(ok bool)) {
	w.message(r, func() {
		ok := version == w.store.version
		if ok {
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
	w.commits++
	w.store = store{w.store.version + 1, back}
	w.snapshot.want(back.Snapshot)
}

// message crosses the network between r and the store, unless it is lost.
func (w *world) message(r *replica, arrives func()) {
	lost := r.rng.Float64() < w.scenario.loss || w.now < r.cutUntil
	delay := time.Duration(5+r.rng.IntN(195)) * time.Millisecond
	if lost {
		return
	}
	w.after(delay, func() {
		if w.now >= r.cutUntil {
			arrives()
		}
	})
}

// between is a random time.
func between(rng *rand.Rand, low, high time.Duration) time.Duration {
	return low + time.Duration(rng.Int64N(int64(high-low)+1))
}
