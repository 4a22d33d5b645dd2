package rollout

import (
	"reflect"
	"slices"
	"time"
)

// ask is the gate: it polls until it may go, is refused, or, at a start, has to
// wait.
func (r *replica) ask() {
	r.asking = r.mounted
	r.disk.list = append(r.disk.list, &outcome{r.mounted, Outcome{Kind: Stopped}, true}) // what is true if it is killed from here on
	r.observer = r.disk.seen
	if r.starting {
		life := r.life
		r.w.after(5*time.Second, func() {
			r.alive(life, func() {
				if r.asking != "" {
					r.endGate()
					r.finish(Rejected, stepGate)
				}
			})
		})
	}
	r.poll(r.starting)
}

// endGate ends its hooks. The app lives on.
func (r *replica) endGate() {
	r.life++
	r.told = nil
	if !r.starting {
		r.arm()
	}
}

func (r *replica) poll(starting bool) {
	r.request(func(done func(func())) {
		r.w.get(r, func(version int, record Record, date int64) {
			done(func() { r.decide(starting, version, record, date) })
		})
	}, func() { r.again(starting) })
}

// again is after a look that nobody answered.
func (r *replica) again(starting bool) {
	r.observer = r.observer.Missed()
	r.disk.seen = r.observer
	r.poll(starting)
}

func (r *replica) decide(starting bool, version int, record Record, date int64) {
	me := r.me(r.asking)
	me.Starting = starting
	r.observer = r.observer.Look(record, Moment{r.clock(), date})
	r.disk.seen = r.observer
	r.w.checkLook(r, record)
	answer, next := record.Gate(me, r.w.scenario.policy, r.observer)
	r.free = !next.revision(me.Revision).hasHold(me)
	if answer.Verdict == Go {
		r.w.checkPass(r, record)
	}
	if reflect.DeepEqual(record, next) {
		r.answered(starting, answer)
		return
	}
	r.request(func(done func(func())) {
		r.w.update(r, version, next, nil, func(ok bool) {
			done(func() {
				if ok {
					r.answered(starting, answer)
				} else {
					r.later(between(r.rng, 50*time.Millisecond, time.Second), func() { r.poll(starting) })
				}
			})
		})
	}, func() { r.again(starting) })
}

func (v *Revision) hasHold(me Replica) bool {
	return slices.ContainsFunc(v.holds(), func(h Hold) bool { return h.Pod == me.Pod })
}

func (r *replica) answered(starting bool, answer Answer) {
	switch {
	case r.ending: // too late: it was stopped, and says so when it is there again
	case answer.Verdict == Go:
		r.try()
	case answer.Verdict == Refuse || starting:
		r.finish(Rejected, stepGate)
	default:
		r.later(between(r.rng, 5*time.Second, 15*time.Second), func() { r.poll(starting) })
	}
}

// try gives the hash to the app, which shows within its bound what it thinks.
func (r *replica) try() {
	r.flying, r.asking = r.asking, ""
	r.turn++
	r.w.say("%s tries %s", r.name, r.flying)
	r.w.checkFlight(r)
	r.later(between(r.rng, time.Second, simBound), func() {
		hash := r.flying
		r.w.checkFlight(r)
		r.flying = ""
		if isBad(hash, r.revision) {
			r.disk.barred = hash
			r.w.verdicts[hash] = true
			if r.disk.top() == "" {
				r.disk.accept(r.fallback, false, true, r.w.now)
			}
			r.live(r.restarts || r.starting)
			r.settle(hash, Outcome{Kind: RolledBack, Step: "probation", Source: "stored"})
			return
		}
		r.rejectAbove()
		r.disk.accept(hash, true, r.restarts || r.starting, r.w.now)
		r.live(r.restarts || r.starting)
		r.settle(hash, Outcome{Kind: Accepted, Source: sourceMounted})
	})
}

// finish ends a gate that the app hears nothing of.
func (r *replica) finish(kind Kind, step string) {
	hash := r.asking
	r.asking = ""
	r.decided(hash, Outcome{Kind: kind, Step: step})
	switch {
	case r.starting && r.disk.top() == "" && !r.resort():
		return
	case r.starting:
		r.begin()
	}
	r.consider()
}

// settle is the end of a try.
func (r *replica) settle(hash string, o Outcome) {
	r.starting = false
	r.decided(hash, o)
	r.consider()
}

// decided puts an outcome into the place of its question.
func (r *replica) decided(hash string, o Outcome) {
	r.w.say("%s: %s of %s %s", r.name, o.Kind, hash, o.Step)
	i := slices.IndexFunc(r.disk.list, func(o *outcome) bool { return o.open })
	r.disk.list[i] = &outcome{hash, o, false}
}

// put puts an outcome that nobody has asked about behind the others.
func (r *replica) put(hash string, o Outcome) {
	r.w.say("%s: %s of %s", r.name, o.Kind, hash)
	if r.w.scenario.innocent && o.Kind != Relapsed {
		r.w.fail("taken back: %s takes %s back, of which nobody dies", r.name, hash)
	}
	r.disk.list = append(r.disk.list, &outcome{hash, o, false})
}

// due is what has to be told next; nil: nothing.
func (r *replica) due() *outcome {
	if i := slices.IndexFunc(r.disk.list, func(o *outcome) bool { return !o.open }); i >= 0 {
		return r.disk.list[i]
	}
	return nil
}

// deliver repeats the report that is due until it is stored. After a refusal
// the next try comes later.
func (r *replica) deliver() {
	due := r.due()
	if r.told == due {
		return
	}
	r.told = due
	r.say(due.Outcome, due.hash, func() {
		r.disk.list = slices.DeleteFunc(r.disk.list, func(o *outcome) bool { return o == due }) // not before the snapshot is there
		pause := time.Duration(0)
		if due.Step == stepGate {
			pause = between(r.rng, 10*time.Second, 5*time.Minute)
		}
		r.later(pause, r.consider)
	})
}

// say is the report: it ends when nothing is left to store.
func (r *replica) say(o Outcome, hash string, done func()) {
	again := func() {
		r.later(between(r.rng, 50*time.Millisecond, 2*time.Second), func() { r.say(o, hash, done) })
	}
	r.request(func(answered func(func())) {
		r.w.get(r, func(version int, record Record, date int64) {
			answered(func() {
				me := r.me(hash)
				if o.Kind == Relapsed {
					me.Bound = relapseBound
				}
				next := record.Report(me, o, date)
				done := func() { r.keep(next, o, done) }
				if reflect.DeepEqual(record, next) {
					done()
					return
				}
				r.request(func(stored func(func())) {
					r.w.update(r, version, next, &outcome{hash, o, false}, func(ok bool) {
						stored(func() {
							if ok {
								done()
							} else {
								again()
							}
						})
					})
				}, again)
			})
		})
	}, again)
}
