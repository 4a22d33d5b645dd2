package supervisor

import (
	"errors"
	"strings"

	"confit/notify"
	"confit/process"
	"confit/signals"
	"confit/supervisor/app"
)

// people are the processes around confit: the app, what it leaves, and the hooks.
type people struct {
	pids      int
	app       int // 0: none runs
	handler   probed
	stopped   bool      // the app is, by ^Z
	standsIn  bool      // the app's working directory is in a generation
	beyond    bool      // the app can't be signalled
	left      bool      // leftovers of the app live
	leaves    bool      // the app's end leaves some
	immortal  bool      // which KILL doesn't end
	sight     app.Sight // what a look at the app finds
	begins    bool      // the app has just been started, and is no script
	hook      string
	report    bool
	hookEnd   event // of a hook that was killed
	reportEnd event
}

// perform does what the loop does, and says what is seen of it. A nil answer comes later, or never.
func (p *player) perform(a action) event {
	switch a := a.(type) {
	case say:
		p.write("log %v %q %s", a.level, a.message, pairs(p.seenOf(a.keys)))
	case assign:
		return p.assign(a.job)
	case stage:
		p.assign(a)
		return p.reach()
	case publish:
		if a.app != 0 && p.beyond {
			return barred{errBeyond}
		}
		return p.assign(a)
	case runHook:
		return p.runHook(a)
	case runReport:
		return p.runReport(a)
	case killHook, killReport, terminateHook:
		p.endHook(a)
	default:
		return p.performOnApp(a)
	}
	return nil
}

// seenOf leaves out the phase that a log line names. Scripts that show the inside have it.
func (p *player) seenOf(keys []any) (left []any) {
	for i := 0; i+1 < len(keys); i += 2 {
		if keys[i] != "phase" || p.inside {
			left = append(left, keys[i], keys[i+1])
		}
	}
	return left
}

// performOnApp signals the app, or looks at it.
func (p *player) performOnApp(a action) event {
	switch a := unwrapped(a).(type) {
	case app.Spawn:
		return p.spawn()
	case app.EndLeftovers:
		return p.endLeftovers(a)
	case app.Probe:
		return p.handler
	case app.Look:
		return looked{p.sight}
	case inspect:
		if p.standsIn {
			return inside{}
		}
	case app.Signal:
		return p.toApp(a.PID, a.Signal, "")
	case app.Deliver:
		return p.deliver(a)
	case app.Reload:
		if e := p.toApp(a.PID, a.Signal, ""); e != nil {
			return e
		}
		return sent{}
	case app.Wake:
		if p.stopped {
			p.stopped = false
			return p.toApp(a.PID, signals.CONT, "")
		}
	default:
		p.t.Fatalf("nobody performs %T", a)
	}
	return nil
}

// deliver sends the app a signal that it takes.
func (p *player) deliver(d app.Deliver) event {
	switch d.Late {
	case d.Signal:
		return p.toApp(d.PID, d.Signal, "")
	case 0:
		return p.toApp(d.PID, d.Signal, ", if the app catches it")
	}
	return p.toApp(d.PID, d.Signal, ", or "+signals.Name(d.Late)+" where the app doesn't take it")
}

// toApp sends the app a signal.
func (p *player) toApp(pid int, s signals.Signal, how string) event {
	if pid != p.app || p.app == 0 {
		p.t.Fatalf("signals pid %d, and the app is %d", pid, p.app)
	}
	if p.beyond {
		return denied{errBeyond}
	}
	p.write("signal %s%s", signals.Name(s), how)
	return nil
}

// reach finds out whether the app can be signalled, where that has changed.
func (p *player) reach() event {
	switch isKnown := p.state.app.SignalErr != ""; {
	case !p.state.app.Runs() || p.beyond == isKnown:
		return nil
	case p.beyond:
		return denied{errBeyond}
	}
	return denied{}
}

func (p *player) spawn() event {
	p.write("start app (generation %d)", p.live.number)
	if p.app != 0 {
		p.t.Fatalf("a second app is started beside %d", p.app)
	}
	if err := p.fault("app", "doesn't start"); err != nil {
		return startFailed{errors.New("cannot start"), p.number(err.Error())}
	}
	p.pids++
	p.app, p.left, p.stopped = p.pids, false, false
	p.begins = p.config.EntrypointTimeout > 0 && !p.sight.Works
	return started{p.app}
}

// appDoes is what the app does by itself, or what becomes of it.
func (p *player) appDoes(rest string, words []string) {
	last := words[len(words)-1]
	switch {
	case words[1] == "exits":
		p.exits(waitStatus(p.number(words[2])<<8), strings.Join(words[3:], " "))
	case strings.HasPrefix(rest, "is killed by "):
		p.exits(waitStatus(int(p.signalOf(last))), "")
	case rest == "is killed for want of memory":
		p.exits(waitStatus(int(signals.KILL)), "oom")
	case strings.HasPrefix(rest, "is ended by the key "):
		p.exits(waitStatus(int(p.signalOf(last))), "typed")
	case rest == "opens what changed":
		p.give(opened{})
	case words[1] == "says":
		p.says(words[2:], true)
	case strings.HasPrefix(rest, "starts a process that says "):
		p.says(words[6:], false)
	case words[1] == "runs", words[1] == "works", words[1] == "stays":
		p.sight = sightOfScript(words[1], words[3:])
	case rest == "traps TERM":
		p.sight.Traps = true
	case words[1] == "begins":
		p.sight = app.Sight{Program: "daemon"}
		p.giveAll(looked{p.sight}, began{p.now})
	case strings.HasPrefix(rest, "has its handler "):
		p.handler = p.handlerOf(words[4:])
	case rest == "can't be signalled", rest == "can be signalled":
		p.beyond = words[1] == "can't"
	case strings.HasPrefix(rest, "doesn't start: "):
		p.faults["app doesn't start"] = append(p.faults["app doesn't start"], last)
	case rest == "is stopped":
		p.stopped = true
	case rest == "stands in a generation":
		p.standsIn = true
	case rest == "leaves leftovers", rest == "leaves what KILL doesn't end":
		p.leaves, p.immortal = true, words[2] == "what"
	default:
		p.t.Fatalf("app %s?", rest)
	}
}

// sightOfScript is what a look finds: an app that runs a program, or at work in a script that executes one, or a script that stays.
func sightOfScript(how string, words []string) app.Sight {
	s := app.Sight{Program: strings.Join(words, " "), Works: how == "works"}
	if how != "runs" {
		copy(s.Script[:], s.Program)
	}
	return s
}

// exits is the app's end.
func (p *player) exits(status process.Status, how string) {
	e := exited{app.Exit{Status: status, Forked: how == "and leaves a process", Typed: how == "typed", OOM: how == "oom"}}
	p.app, p.left, p.leaves = 0, p.leaves, false
	if how == "and leaves a successor" {
		p.pids++
		p.app = p.pids
		e.Successor = app.Successor{PID: p.app, Group: process.Group(p.app)}
	}
	p.give(e)
}

var dispositions = map[string]signals.Disposition{
	"caught": signals.Caught, "default": signals.Default, "ignored": signals.Ignored, "blocked": signals.Blocked, "unknown": signals.Unknown,
}

func (p *player) handlerOf(words []string) probed {
	e := probed{app.Finding{Disposition: dispositions[words[0]]}}
	if len(words) > 1 {
		e.Runs, e.Program, e.Alone = words[1], words[1], len(words) > 2
	}
	return e
}

// says is a message of the app by sd_notify(3).
func (p *player) says(words []string, itself bool) {
	m := notify.Message{HasStatus: true, Status: strings.Join(words, " ")}
	switch words[0] {
	case "READY":
		m = notify.Message{State: notify.Ready}
	case "RELOADING":
		m = notify.Message{State: notify.Reloading}
	case "EXTEND":
		m = notify.Message{ExtendMicroseconds: 1e6 * uint64(p.number(words[1]))}
	}
	p.give(heard{m, itself})
}
