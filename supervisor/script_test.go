package supervisor

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"confit/config"
	"confit/linker"
	"confit/notify"
	"confit/process"
	"confit/signals"
)

// plain holds the events that say no more than their name.
var plain = map[string]event{
	"hinted": hinted{}, "unchanged": unchanged{}, "opened": opened{}, "superseded": superseded{},
	"compared": compared{}, "moved": compared{moved: true},
	"hookBegun": hookBegun{}, "reached": reached{}, "unheard": unheard{}, "waits": unheard{true}, "inspected": inspected{true}, "reaped": reaped{},
}

// event is the event of a line.
func (p *player) event(words []string) event {
	e, ok := plain[words[0]]
	for _, read := range []func(name, rest string, words []string) event{p.fromLinker, p.fromHook, p.fromApp} {
		if !ok {
			e = read(words[0], strings.Join(words[1:], " "), words)
			ok = e != nil
		}
	}
	if !ok {
		p.t.Fatalf("event %q?", words)
	}
	return e
}

func (p *player) fromLinker(name, rest string, words []string) event {
	switch name {
	case "staged": // NUMBER HASH ACTION [volumes=plain|several] [kills=N] [in=STEP] [putOff] [unrun=true] [shared=HASH] [changed=KEY,KEY]
		return p.staged(words)
	case "fallback", "unrenderedFallback":
		e := p.staged(words)
		e.candidate.Fallback, e.candidate.Unrendered = true, name != "fallback"
		return e
	case "unrendered":
		e := p.staged(words)
		e.candidate.Unrendered = true
		return e
	case "barred":
		return barred{errors.New(rest)}
	case "invalid":
		return invalid{reason: errors.New(rest), seen: "what is invalid"}
	case "failed":
		return failed{errors.New(rest)}
	case "crashed":
		return crashed{errors.New(rest)}
	case "published":
		return published{watched: rest == "watched"}
	case "checked":
		return checked{rest == "watched"}
	case "withdrawn": // [changed=KEY,KEY | ERROR]
		if list, ok := strings.CutPrefix(rest, "changed="); ok {
			return withdrawn{changes: p.changes(list)}
		}
		if rest != "" {
			return withdrawn{undone: errors.New(rest)}
		}
		return withdrawn{}
	case "mended": // [ERROR]
		if rest != "" {
			return mended{errors.New(rest)}
		}
		return mended{}
	case "touched": // watched | not | ERROR
		if rest == "watched" || rest == "not" {
			return touched{watched: rest == "watched"}
		}
		return touched{true, errors.New(rest)}
	case "noted": // [ERROR]
		if len(p.notes) == 0 {
			p.t.Fatal("no note is on its way")
		}
		first := p.notes[0]
		p.notes = p.notes[1:]
		if rest != "" {
			return noted{first, errors.New(rest)}
		}
		return noted{note: first}
	case "linksRead": // TEXT; none is what confit was started with
		var sum config.LinksSum
		copy(sum[:], rest)
		return linksRead{sum}
	case "peeked": // [HASH]; none is what can't be a candidate
		if rest == "" {
			return peeked{changed: true, seen: "what is invalid"}
		}
		return peeked{changed: true, hash: p.hash(rest).Hex(), seen: linker.Print(rest)}
	case "notCompared":
		return compared{err: errors.New(rest)}
	}
	return nil
}

func (p *player) fromHook(name, rest string, words []string) event {
	switch name {
	case "hookStartFailed":
		return hookStartFailed{errors.New(rest)}
	case "hookEnded":
		return hookEnded{status: waitStatus(p.number(words) << 8), tail: strings.Join(words[min(2, len(words)):], " ")}
	case "reportStartFailed":
		return reportStartFailed{errors.New(rest)}
	case "reportEnded":
		return reportEnded{waitStatus(p.number(words) << 8)}
	}
	return nil
}

// fromApp is what happens to the app, or a signal for it.
func (p *player) fromApp(name, rest string, words []string) event {
	switch name {
	case "probed":
		return p.probed(words[1:])
	case "denied":
		return denied{errors.New(rest)}
	case "delivered":
		return delivered{rest != "not"}
	case "started":
		return started{p.number(words)}
	case "startFailed":
		return startFailed{errors.New("cannot start"), p.number(words)}
	case "exited":
		return exited{status: waitStatus(p.number(words) << 8)}
	case "left":
		return exited{successor: life{pid: p.number(words), group: process.Group(p.number(words))}}
	case "forked":
		return exited{forked: true}
	case "typed":
		return exited{status: waitStatus(p.number(words)), typed: true}
	case "killed":
		return exited{status: waitStatus(int(p.signal(rest)))}
	case "cleared":
		return cleared{rest == "left"}
	case "heard":
		return p.heard(rest, words)
	case "signalled":
		return signalled{p.signal(rest)}
	}
	return nil
}

// heard is a message of the app: READY, RELOADING, EXTEND SECONDS, or a status.
func (p *player) heard(rest string, words []string) event {
	switch words[1] {
	case "READY":
		return heard{notify.Message{State: notify.Ready}}
	case "RELOADING":
		return heard{notify.Message{State: notify.Reloading}}
	case "EXTEND":
		return heard{notify.Message{ExtendMicroseconds: 1e6 * uint64(p.number(words[1:]))}}
	}
	return heard{notify.Message{HasStatus: true, Status: rest}}
}

func (p *player) signal(name string) signals.Signal {
	sig, err := signals.Parse(name)
	if err != nil {
		p.t.Fatal(err)
	}
	return sig
}

// number is the second word of an event.
func (p *player) number(words []string) int {
	if len(words) < 2 {
		return 0
	}
	n, err := strconv.Atoi(words[1])
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

func (p *player) staged(words []string) staged {
	c := linker.Candidate{Generation: p.generation(words[1:]), Writing: linker.OneSwap, Seen: linker.Print(words[2])}
	var reload []string
	for _, w := range words[3:] {
		switch name, value, _ := strings.Cut(w, "="); name {
		case "volumes":
			c.Writing = map[string]linker.Writing{"plain": linker.FileByFile, "several": linker.SwapBySwap}[value]
		case "kills":
			p.state.killed = linker.Trial{Hash: c.Hash, Step: linker.StepProbation, Kills: p.number([]string{"", value})}
		case "in":
			p.state.killed.Step = value
		case "putOff":
			p.state.killed.PutOff = true
		case "unrun":
			c.Unrun = true
		case "shared":
			c.Shared = p.hash(value)
		case "changed":
			c.Changes = p.changes(value)
		default:
			reload = append(reload, w)
		}
	}
	action, err := config.ParseAction(strings.Join(reload, " "))
	if err != nil {
		p.t.Fatal(err)
	}
	return staged{c, action, p.config.Splay}
}

// probed is what was seen of the app: DISPOSITION [PROGRAM [alone]].
func (p *player) probed(words []string) event {
	e := probed{disposition: map[string]signals.Disposition{
		"caught": signals.Caught, "default": signals.Default, "ignored": signals.Ignored, "waited": signals.Waited}[words[0]]}
	if len(words) > 1 {
		e.runs, e.program, e.alone = words[1], words[1], len(words) > 2
	}
	return e
}

// accepted is what a former confit left: begin [NUMBER HASH [EARLIER HASH]].
// A last word fallback says where it comes from. With an earlier one the accepted one has not survived a start, unless relapses=N says
// how many lives on it ended badly while they were young. killed: confit was killed while it was young. relapsed=HASH: what isn't tried again. twin: all replicas share the same of both.
func (p *player) accepted(words []string) (a linker.Accepted) {
	twin := false
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		n, counted := strings.CutPrefix(w, "relapses=")
		switch {
		case counted:
			a.Relapses, a.Survived = p.number([]string{"", n}), true
			a.Lived = int64(8 * time.Second)
		case w == "twin":
			twin = true
		case w == "killed":
			p.killed = linker.Trial{Hash: p.hash(words[2]), Step: linker.StepRelapse, Kills: 1}
		case strings.HasPrefix(w, "relapsed="):
			p.relapsed = &linker.Relapsed{Hash: p.hash(strings.TrimPrefix(w, "relapsed=")).Hex(), At: p.now.Add(-time.Hour).Unix()}
		default:
			return false
		}
		return true
	})
	if n := len(words) - 1; words[n] == "fallback" {
		a.Fallback, words = true, words[:n]
	}
	if len(words) > 2 {
		fallback := a.Fallback
		a.Generation, a.Survived = p.generation(words[1:]), a.Survived || len(words) < 5
		a.Settled = a.Survived && p.config.YoungFor() == 0
		a.AcceptedAt = p.now.Add(-time.Hour).Unix()
		a.Fallback = fallback
	}
	if len(words) > 4 {
		a.Earlier = p.generation(words[3:])
		a.Earlier.AcceptedAt = p.now.Add(-100 * time.Hour).Unix()
	}
	if twin {
		a.Shared = a.Earlier.Shared
	}
	return a
}

// generation is NUMBER HASH.
func (p *player) generation(words []string) (g linker.Generation) {
	g.Number = p.number(append([]string{""}, words...))
	g.Hash = p.hash(words[1])
	g.Shared = g.Hash
	return g
}

func (p *player) hash(word string) (h linker.Hash) {
	n, err := strconv.Atoi(word)
	if err != nil {
		p.t.Fatal(err)
	}
	h[0] = byte(n)
	return h
}

// changes is KEY,KEY.
func (p *player) changes(list string) (changes []linker.Change) {
	for key := range strings.SplitSeq(list, ",") {
		changes = append(changes, linker.Change{Key: linker.Key(key)})
	}
	return changes
}
