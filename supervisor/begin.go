package supervisor

import (
	"cmp"

	"confit/config"
	"confit/linker"
	"confit/supervisor/app"
)

// look begins a transaction. It ends at once when nothing has changed, or when the mounted
// configuration was rejected before and isn't due to be tried again. None begins while the app may
// be about to stop.
func (t *transition) look() {
	t.pending = false
	t.renew(transaction{splayBy: t.splayBy})
	if t.onApp().StopMarked() || t.held != nil {
		t.pending = true
		t.enterUntil(running, later(t.app.StopBy, t.heldBy()))
		return
	}
	t.confirm()
	t.ask()
	t.isRetry = t.isDue(t.rejected.TryBy())
	t.tryNow()
	t.stage()
}

// stage looks at the mounted configuration, or at the fallback. What was rejected before counts as
// not seen.
func (t *transition) stage() {
	if t.isRetry {
		t.forgetLook()
	}
	known := linker.Known{Fingerprint: t.fingerprint, Accepted: t.accepted().Number}
	if t.killed.IsIn(linker.StepHooks) {
		known.Except = t.killed.Inputs
	}
	t.order(staging, stage{known, t.candidate.Fallback})
}

// stageMounted begins a transaction about the mounted configuration, although that was rejected.
func (t *transition) stageMounted() {
	t.pending = false
	t.renew(transaction{isRetry: true})
	t.stage()
}

// fallBack begins a transaction about the fallback. It is tried once. The app doesn't run.
func (t *transition) fallBack() {
	t.Warn("trying the fallback: what is mounted can't be used")
	t.ladder.Fallback = false
	t.renew(transaction{failed: t.failed})
	t.candidate.Fallback = true
	t.stage()
}

// publish shows the candidate, unless the app would have to be signalled and can't be: then nothing
// is visible that it doesn't read.
func (t *transition) publish() {
	if t.tries() {
		t.order(publishing, publish{number: t.candidate.Number, shown: true}) // which only looks what hooks did to it
		return
	}
	if t.killed.IsIn(linker.StepHooks) && t.kills() > 0 { // it has come past them
		t.forgetKills()
	}
	t.enterTrial(linker.StepPublish)
	t.recordTrial() // before that
	job := publish{number: t.candidate.Number, watch: t.toBeRead(), hooked: t.suspectsIn(linker.StepHooks) != "" ||
		t.isGated() || !t.waits.IsZero()}
	if kind := t.reloadAction.Kind; !t.asks && (kind == config.Signal || kind == config.Restart) {
		job.app = t.app.PID
	}
	t.order(publishing, job)
}

// withdraw takes back what can't stay in force. It is tried until it works, and nothing else is
// done meanwhile.
func (t *transition) withdraw() {
	t.order(withdrawing, assign{goBack{cmp.Or(t.accepted().Number, t.wentFrom),
		cmp.Or(t.wentFrom, t.accepted().Number)}})
}

// touch gives the changed targets new links, for an app that watches the directory of its
// configuration: behind a link that stays it sees nothing. Then the app has the time of a probation
// to open what has changed. Else it is restarted, which is never wrong, only slower.
func (t *transition) touch() {
	t.hasRead, t.readBy = nil, t.now.Add(readWait)
	t.interruptReport()
	t.order(touching, assign{touch{t.inForce().Number, t.candidate.Changes}})
}

// serve leaves the next step to the app's half: it makes the app read the generation in force. It
// is all that is left where the configuration side broke down.
func (t *transition) serve() {
	t.enterUntil(serving, noDeadline)
}

// restart stops the app, and starts it on the generation in force.
func (t *transition) restart(why, todo string) {
	t.serve()
	t.onApp().Restart(why, todo)
}

// drain ends what is left of an app that is gone.
func (t *transition) drain(before app.Then) {
	if before == app.EndConfit {
		t.beginToEnd()
	} else {
		t.interruptReport()
	}
	t.serve()
	t.onApp().Drain(before)
}

// start starts the app where nothing is left of another.
func (t *transition) start() {
	t.started = true
	t.serve()
	t.onApp().Start()
}

// endNow ends confit, when nobody waits for the report hook. No hook outlives it. What the app or
// its entrypoint did to the accepted generation is put right: something else may be mounted when
// the next confit comes.
func (t *transition) endNow(how exit) {
	t.endHook()
	if t.tell(how) {
		return
	}
	t.passVerdict()
	if t.showsAccepted() {
		t.assign(unwatchOpens{}) // which keeps files from being looked at
		t.assign(repair{number: t.accepted().Number})
	}
	t.endTrial()
	t.interruptReport()
	t.exit = how
	t.enterUntil(done, noDeadline)
}

// endTelling ends confit when there is nothing to wait for any more.
func (t *transition) endTelling() {
	if t.phase == telling {
		t.endNow(t.exit)
	}
}

// endWith ends confit. Something of the app may be left, if it ever ran.
func (t *transition) endWith(how exit) {
	if t.neverStarted() {
		t.endNow(how)
		return
	}
	t.endHook()
	t.exit = how
	t.drain(app.EndConfit)
}

// settle waits for quiet before the next look, and anew at each hint.
func (t *transition) settle() {
	wait := t.settleTime(t.config)
	if wait == 0 {
		t.look()
		return
	}
	if t.phase != settling {
		t.quietBy = t.now.Add(settleFactor * wait)
	}
	t.enterUntil(settling, earliest(t.now.Add(wait), t.quietBy))
}

// expectRead waits for somebody to open what has changed: to many programs a signal, HUP above all,
// means something else than a reload.
func (t *transition) expectRead() {
	t.forgetRead()
	if t.exposure.published() && t.watched {
		t.readBy = t.now.Add(readWait)
	}
}

// toBeRead is what the app should open at its reload. It is watched from the publish on. For an app
// that is touched the touch begins it: a hook that validates the published candidate opens that,
// too.
func (t *transition) toBeRead() []linker.Change {
	if t.app.Runs() && (t.reloadAction.Kind == config.Signal || t.reloadAction.Kind == config.Exec) {
		return t.candidate.Changes
	}
	return nil
}
