package supervisor

import (
	"errors"
	"strings"

	"confit/config"
	"confit/linker"
	"confit/process"
	"confit/signals"
)

// plain holds the events that say no more than their name.
var plain = map[string]event{
	"hinted": hinted{}, "unchanged": unchanged{}, "published": published{}, "withdrawn": withdrawn{},
	"hookBegun": hookBegun{},
}

// event is the event of a line.
func (p *insider) event(words []string) event {
	if e, ok := plain[words[0]]; ok {
		return e
	}
	rest := strings.Join(words[1:], " ")
	switch words[0] {
	case "staged": // NUMBER N ACTION [shared=N]
		return p.staged(words)
	case "fallback":
		e := p.staged(words)
		e.candidate.Fallback = true
		return e
	case "invalid":
		return invalid{reason: errors.New(rest), seen: "what is invalid"}
	case "noted":
		if len(p.notes) == 0 {
			p.t.Fatal("no note is on its way")
		}
		first := p.notes[0]
		p.notes = p.notes[1:]
		return noted{note: first}
	case "hookEnded":
		return hookEnded{status: p.status(words)}
	case "reportEnded":
		return reportEnded{p.status(words)}
	case "probed":
		return probed{disposition: dispositions[rest]}
	case "started":
		return started{atoi(p.t, words[1])}
	case "exited":
		return exited{status: p.status(words)}
	case "cleared":
		return cleared{rest == "left"}
	case "signalled":
		sig, err := signals.Parse(rest)
		if err != nil {
			p.t.Fatal(err)
		}
		return signalled{sig}
	}
	p.t.Fatalf("event %q?", words)
	return nil
}

// status is the exit code after an event's name.
func (p *insider) status(words []string) process.Status {
	if len(words) < 2 {
		return 0
	}
	return waitStatus(atoi(p.t, words[1]) << 8)
}

func (p *insider) staged(words []string) staged {
	c := linker.Candidate{Generation: made{number: atoi(p.t, words[1]), holds: letter(atoi(p.t, words[2]))}.generation(), Writing: linker.OneSwap, Seen: linker.Print(words[2])}
	for _, w := range words[4:] {
		c.Shared = letter(atoi(p.t, strings.TrimPrefix(w, "shared="))).hash()
	}
	action, err := config.ParseAction(words[3])
	if err != nil {
		p.t.Fatal(err)
	}
	return staged{c, action, p.config.Splay}
}
