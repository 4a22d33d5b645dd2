package supervisor

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// leg is one move of a way, and what was chosen in it.
type leg struct {
	move    int
	choices string
}

// zeros are the rest of a hash.
var zeros = regexp.MustCompile(`(\[\d+(?: 0 1)?)(?: 0)+(\])`)

// legs are the shortest way to a vertex.
func (x *explorer) legs(v int32) []leg {
	var legs []leg
	for ; v != nowhere; v = x.vertices[v].parent {
		legs = append(legs, leg{int(x.vertices[v].move), x.vertices[v].choices})
	}
	slices.Reverse(legs)
	return append(slices.Clone(x.before), legs...)
}

// path tells how a vertex, and then one move more, is reached.
func (x *explorer) path(v int32, last leg) string {
	at := x.may.start()
	var b strings.Builder
	for _, l := range append(x.legs(v), last) {
		if l.move == asFound {
			continue
		}
		c := &course{place: at, config: x.config, may: x.may, choices: []byte(l.choices), among: make([]byte, len(l.choices)), log: []string{}}
		name := "confit is started"
		if l.move == asBegun {
			c.begin()
		} else {
			name = moves[l.move].name
			moves[l.move].do(c)
		}
		fmt.Fprintf(&b, "%s\n", name)
		for _, line := range c.log {
			fmt.Fprintf(&b, "    %s\n", zeros.ReplaceAllString(line, "$1$2"))
		}
		fmt.Fprintf(&b, "  %s\n", &c.place)
		at = c.place
	}
	return b.String()
}

// String says where one is.
func (p *place) String() string {
	s := &p.state
	left := "no time"
	if !s.due().IsZero() {
		left = s.due().Sub(p.now).String()
	}
	return fmt.Sprintf("= %v, mounted %v, in force %v, accepted %v, ladder %v on %d, noted %v, app %v has read %v, %v left", s.shown(), p.mounted, p.live.holds, p.accepted(), p.rungs(), p.state.ladder.On, p.note.inForce().holds, p.app, p.read, left)
}

// rungs are what confit takes for accepted, the newest first.
func (p *place) rungs() (list []letter) {
	for _, n := range p.state.ladder.Rungs[:p.state.ladder.Len()] {
		list = append(list, letterOf(n.Hash))
	}
	return list
}
