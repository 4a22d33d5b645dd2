package supervisor

import (
	"log/slog"
	"time"

	"confit/config"
	"confit/linker"
	"confit/process"
)

// keeper is the app's half of a transition. What it can't decide it returns.
type keeper struct {
	*app
	*outbox
	*past
	config *config.Config
	now    time.Time
	on     linker.Generation // the generation in force, for the log
}

func (t *transition) keeper() *keeper {
	return &keeper{&t.app, t.outbox, &t.past, t.config, t.now, t.inForce()}
}

func (k *keeper) over(by time.Time) bool { return !k.now.Before(by) }

func (k *keeper) enter(p phase, wait time.Duration) {
	k.phase, k.deadline = p, k.now.Add(wait)
}

// become enters a phase that lasts until something happens.
func (k *keeper) become(p phase) { k.phase, k.deadline = p, noDeadline }

func (k *keeper) start() {
	k.enter(starting, tryAgain)
	k.do(spawn{})
}

func (k *keeper) started(pid int) {
	if !k.neverStarted() {
		k.restarts++
		k.count.Reloads++
	}
	k.life = life{pid: pid, group: process.Group(pid), renewed: k.now, readiness: begun}
	k.appSince = k.now
	k.become(up)
	k.say(slog.LevelInfo, "app started", "pid", pid, "generation", k.on.Number, "hash", k.on.Hash)
}

// reloaded notes a reload that isn't a restart.
func (k *keeper) reloaded(keys ...any) {
	k.count.Reloads++
	k.say(slog.LevelInfo, "app reloaded", append(keys, "generation", k.on.Number)...)
}
