package supervisor

import (
	"log/slog"
	"time"

	"confit/config"
	"confit/linker"
	"confit/supervisor/app"
)

// What the app's entrypoint means for a change: a proof waits for the app to begin, and so does an
// edit that would end the entrypoint's work.

// looked is what a look at the app has found.
func (e looked) take(t *transition) {
	wasThere := t.app.IsAtEntrypoint()
	t.onApp().Saw(e.Sight)
	switch {
	case wasThere && !t.app.IsAtEntrypoint():
		t.goOnWithApp()
	case t.phase == waiting:
		t.goOnOrWait()
	case t.phase == beginning && t.app.IsAtWork():
		t.goOnTrial(linker.StepEntry)
	}
}

func (e began) take(t *transition) {
	if t.app.IsAtEntrypoint() {
		// else it had begun before, and seemed to be there again
		if took := e.at.Sub(t.app.Since); took < t.entryTimes(1) {
			t.entered = max(took.Round(time.Second), time.Second)
		}
		t.onApp().Begin(e.at)
		t.goOnWithApp()
	}
}

// outlasted is for an app whose time at its entrypoint is over, or a script that has been there for
// long.
func (t *transition) outlasted() {
	wasThere := t.app.IsAtEntrypoint()
	t.onApp().Outlast()
	switch {
	case wasThere:
		t.Warn("app has not begun in time: its entrypoint is no longer waited for",
			append(t.entrypoint(), "waited", t.lived(), "todo", entryTodo)...)
		t.goOnWithApp()
	case t.phase == waiting:
		t.goOnOrWait()
	}
}

// goOnWithApp goes on with an app that has begun.
func (t *transition) goOnWithApp() {
	t.onLadder().StartSoak()
	switch t.phase {
	case running:
		t.deadline = earliest(t.deadline, t.confirmedAt(), t.asksAt())
		if t.isDue(t.deadline) { // without a probation
			t.look()
		}
	case beginning:
		t.goOnTrial(linker.StepPublish)
		t.prove()
	case waiting:
		t.goOnOrWait()
	}
}

// beginsFirst reports that what is to be proved can only be seen of an app that has begun.
func (t *transition) beginsFirst() bool {
	return t.app.IsAtEntrypoint() && (t.config.Probation > 0 || t.verifies() || t.app.SaysReady)
}

// mayWork reports that the app may be at work that the candidate would end. A look finds out.
func (t *transition) mayWork() bool {
	return !t.asks && t.config.EntrypointTimeout > 0 && t.app.Runs() && t.reloadAction.Kind != config.None
}

// lookFirst looks at the app before a candidate is published.
func (t *transition) lookFirst() {
	t.pauseTrial()
	t.Do(app.Look{PID: t.app.PID})
}

// goOnOrWait goes on with the candidate once nothing works there that it would end.
func (t *transition) goOnOrWait() {
	if t.app.WorksUntil().IsZero() {
		t.goOn()
		return
	}
	if t.waits.IsZero() && t.app.IsAtWork() {
		t.waits = t.now
		t.sayWaits(slog.LevelInfo, t.candidate.Hash)
	}
	t.lookBy()
}

// entryTodo is what to do about an entrypoint that works for long.
const entryTodo = "write exec in front of the script's last command, or set --entrypoint-timeout 0; a restart of the container takes the edit at once"

func (t *transition) sayWaits(level slog.Level, hash linker.Hash) {
	since, until := t.app.Works()
	t.Say(level, "edit waits for the app's entrypoint", append(t.entrypoint(), "hash", hash,
		"worked", t.now.Sub(since).Truncate(time.Second), "longest", until.Sub(t.now).Round(time.Second),
		"todo", entryTodo)...)
}

// entrypoint are the keys of a line about what works in front of the app.
func (t *transition) entrypoint() []any {
	return []any{"pid", t.app.PID, "program", t.app.Entry.Program}
}

// lookBy looks at what waits as often as --rescan says, and when that may go on.
func (t *transition) lookBy() {
	t.deadline = t.now.Add(t.config.Rescan)
	if t.phase != gating && !t.waits.IsZero() && !t.warned {
		t.deadline = earliest(t.deadline, t.waits.Add(app.ScriptWait))
	}
}

// waitLate looks at the app and at the volumes while an edit waits.
func (t *transition) waitLate() {
	t.warnWaits(t.candidate.Hash)
	t.lookAtCandidate()
	t.Do(app.Look{PID: t.app.PID})
}

// warnWaits warns once of an edit that has waited for long.
func (t *transition) warnWaits(hash linker.Hash) {
	if !t.warned && !t.waits.IsZero() && t.over(t.waits.Add(app.ScriptWait)) {
		t.warned = true
		t.sayWaits(slog.LevelWarn, hash)
	}
}
