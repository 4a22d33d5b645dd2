package supervisor

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"confit/config"
	"confit/linker"
	"confit/signals"
)

// volume is what a mount line says of a letter.
type volume struct {
	found
	action  config.Action
	changes []linker.Change
}

// line plays one stimulus.
func (p *player) line(words []string) {
	rest := strings.Join(words[1:], " ")
	switch words[0] {
	case "config":
		for _, w := range words[1:] {
			name, value, _ := strings.Cut(w, "=")
			p.setting(name, value)
		}
	case "mount":
		before := p.mounted
		if p.mounted = p.mount(words); p.mounted == before {
			p.swaps++
		}
		if words[len(words)-1] != "unseen" {
			p.give(hinted{})
		}
	case "bake":
		p.baked, p.fallback = p.mount(words), true
	case "begin":
		p.begin(words)
	case "running":
		p.running(words)
	case "confit": // is killed, and with it all processes
		p.begun, p.hanging = false, ""
	case "hint":
		p.give(hinted{})
	case "wait":
		p.wait(p.duration(words[1]))
	case "signal":
		p.give(signalled{p.signalOf(words[1])})
	case "app":
		p.appDoes(rest, words)
	case "leftovers":
		p.left = false
		p.give(reaped{1})
	case "links":
		e := linksRead{}
		copy(e.sum[:], strings.Trim(strings.TrimPrefix(rest, "file is "), `"`))
		if e.sum != p.state.links {
			p.give(e)
		}
	case "the":
		p.give(emptied{})
	case "linker":
		p.hanging = ""
		p.give(nil)
	case "status":
		if p.shown == nil {
			p.shown = fieldsOf(p.t, p.baseline())
		}
		p.shown = writeFields(p.t, &p.out, p.shown, new(observe(&p.config, &p.state)), "phase")
	default:
		p.jobOrHook(words[0], rest)
	}
}

// jobOrHook takes what a hook does, or what goes wrong with a job or a process.
func (p *player) jobOrHook(name, rest string) {
	if end, ok := strings.CutPrefix(rest, "ends "); ok {
		code, said, _ := strings.Cut(end, " ")
		p.hookEnds(name, waitStatus(p.number(code)<<8), said)
		return
	}
	if rest == "hangs" {
		p.hanging = name
		return
	}
	kind, reason, ok := strings.Cut(rest, ": ")
	if !ok || !slices.Contains([]string{"fails", "partly fails", "finds", "damaged", "loses", "panics", "doesn't start"}, kind) {
		p.t.Fatalf("stimulus %s %s?", name, rest)
	}
	p.faults[name+" "+kind] = append(p.faults[name+" "+kind], reason)
}

// fault is what the script says of the next job or process of this name; nil: it goes well.
func (p *player) fault(name, kind string) error {
	left := p.faults[name+" "+kind]
	if len(left) == 0 {
		return nil
	}
	p.faults[name+" "+kind] = left[1:]
	return errors.New(left[0])
}

// mount is a mount line: N [ACTION] [invalid: REASON] [volumes=plain|several] [like=N] [changed=KEY,KEY]. A letter
// that was mounted before is as it was then, if nothing is said of it.
func (p *player) mount(words []string) letter {
	l := letter(p.number(words[1]))
	before, isKnown := p.volumes[l]
	if isKnown && len(words) == 2 {
		return l
	}
	v := volume{found: found{writing: linker.OneSwap}, action: before.action}
	for i, w := range words[2:] {
		switch name, value, _ := strings.Cut(w, "="); name {
		case "invalid:":
			v.wrong = errors.New(strings.Join(words[i+3:], " "))
		case "unseen":
		case "volumes":
			v.writing = map[string]linker.Writing{"plain": linker.FileByFile, "several": linker.SwapBySwap}[value]
		case "like":
			v.like = letter(p.number(value))
		case "changed":
			v.changes = changesOf(value)
		default:
			v.action = p.actionOf(w)
		}
		if v.wrong != nil {
			break
		}
	}
	p.volumes[l] = v
	return l
}

// changesOf is KEY,KEY.
func changesOf(list string) (changes []linker.Change) {
	for key := range strings.SplitSeq(list, ",") {
		changes = append(changes, linker.Change{Key: linker.Key(key)})
	}
	return changes
}

// actionOf is an action. The command of exec: has underscores for blanks.
func (p *player) actionOf(word string) config.Action {
	a, err := config.ParseAction(strings.ReplaceAll(word, "_", " "))
	if err != nil {
		p.t.Fatal(err)
	}
	return a
}

// begin starts a confit. Of one that was there before nothing is left, but for what begin again takes up.
func (p *player) begin(words []string) {
	if len(words) > 1 && words[1] == "again" {
		p.beginAgain()
		return
	}
	if p.mounted == missing {
		p.t.Fatal("nothing is mounted")
	}
	former := formerOf(p.t, words[1:], p.now)
	p.model, p.people = model{mounted: p.mounted, swaps: p.swaps, baked: p.baked}, people{pids: p.pids, handler: p.handler, beyond: p.beyond, sight: p.sight}
	p.note, p.trial, p.unread = asMemory(&former.Note), former.Killed, former.Unread != nil
	for _, g := range p.note.rungs() {
		g.current = p.silent // a start that isn't shown is whole
		p.numbers = max(p.numbers, g.number)
		p.keep(g)
	}
	p.live = p.note.inForce()
	p.former = p.live
	p.start(p.findsFormer())
}

// beginAgain starts a confit on what the one before has left on the disk.
func (p *player) beginAgain() {
	p.die()
	p.people = people{pids: p.pids, handler: p.handler, sight: p.sight}
	p.start(p.findsFormer())
}

func (p *player) start(former *linker.Former) {
	s, actions := begin(&p.config, former, p.fallback, p.now)
	p.begun = true
	p.settle(p.become(s, actions))
}

// running plays the start that most scripts begin with, unseen.
func (p *player) running(words []string) {
	p.silent = true
	p.line([]string{"mount", words[1], words[2]})
	if len(words) > 3 {
		p.line([]string{"begin", words[1], words[1]})
	} else {
		p.line([]string{"begin"})
	}
	if p.state.shown() != running {
		p.t.Fatalf("%q ends in %v", words, p.state.shown())
	}
	p.silent = false
}

func (p *player) number(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

func (p *player) duration(word string) time.Duration {
	d, err := time.ParseDuration(word)
	if err != nil {
		p.t.Fatal(err)
	}
	return d
}

func (p *player) signalOf(name string) signals.Signal {
	sig, err := signals.Parse(name)
	if err != nil {
		p.t.Fatal(err)
	}
	return sig
}
