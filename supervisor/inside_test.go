package supervisor

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"confit/config"
	"confit/linker"
	"confit/status"
)

// TestTranscripts_inside plays the scripts in testdata/inside, which show the phases and the linker's jobs. All of them are
// about what is going to be taken away; what stays has a script in testdata. A line that begins at the margin is an event, the
// indented lines under it are what step answers, the phase last.
func TestTranscripts_inside(t *testing.T) {
	files, err := filepath.Glob("testdata/inside/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			compareScript(t, file, func(script string) string { return playInside(t, script) })
		})
	}
}

// insider gives the events of a script to step.
type insider struct {
	t        *testing.T
	config   config.Config
	state    state
	notes    []*linker.Note // that are on their way to the disk
	fallback bool
	shown    map[string]map[string]string // the last status that was written down
	now      time.Time
	out      strings.Builder
}

func playInside(t *testing.T, script string) string {
	p := &insider{t: t, now: time.Unix(1e9, 0), config: scriptConfig()}
	eachStimulus(script, &p.out, p.line)
	return p.out.String()
}

func (p *insider) line(words []string) {
	switch words[0] {
	case "config":
		for _, w := range words[1:] {
			if name, value, _ := strings.Cut(w, "="); name == "fallback" {
				p.fallback = true
			} else {
				set(p.t, &p.config, name, value)
			}
		}
	case "status":
		if p.shown == nil {
			p.shown = fieldsOf(p.t, observe(&p.config, &state{seen: &status.Status{}}, &state{}))
		}
		p.shown = writeFields(p.t, &p.out, p.shown, p.state.seen)
	case "begin":
		s, actions := begin(&p.config, formerOf(p.t, words[1:], p.now, p.config.YoungFor()), p.fallback, p.now)
		p.write(s, actions)
	case "running":
		p.run(words)
	case "wait":
		d, err := time.ParseDuration(words[1])
		if err != nil {
			p.t.Fatal(err)
		}
		p.now = p.now.Add(d)
		p.write(step(&p.config, &p.state, p.now, elapsed{}))
	default:
		p.write(step(&p.config, &p.state, p.now, p.event(words)))
	}
}

// run plays the start that most scripts begin with, unseen: running NUMBER HASH ACTION
// PID [again]. again: a former confit has accepted just this.
func (p *insider) run(words []string) {
	seen := p.out.String()
	begin := []string{"begin"}
	if len(words) == 6 {
		begin = []string{"begin", words[1], words[2]}
	}
	for _, line := range [][]string{begin, append([]string{"staged"}, words[1:4]...), {"published"}, {"started", words[4]}} {
		p.line(line)
	}
	if p.state.shown() != running {
		p.t.Fatalf("%q ends in %v:\n%s", words, p.state.shown(), p.out.String())
	}
	p.out.Reset()
	p.out.WriteString(seen)
}

// write writes down what step answered.
func (p *insider) write(s *state, actions []action) {
	if n := len(actions); n > 0 && reflect.TypeOf(actions[n-1]) == reflect.TypeFor[deliver]() {
		var more []action
		s, more = step(&p.config, s, p.now, sent{}) // as the loop answers at once
		actions = append(actions, more...)
	}
	p.state = *s
	for _, a := range actions {
		if a, ok := unwrapped(a).(writeNote); ok {
			p.notes = append(p.notes, a.note)
		}
		fmt.Fprintf(&p.out, "    %s\n", describe(a))
	}
	fmt.Fprintf(&p.out, "    → %v", s.shown())
	switch {
	case s.shown() == arming: // its answer is always the same
		p.out.WriteString("\n")
		p.write(step(&p.config, s, p.now, armed{}))
		return
	case s.shown() == done:
		fmt.Fprintf(&p.out, " %d", s.exit.code)
		if s.exit.reason != nil {
			fmt.Fprintf(&p.out, ": %v", s.exit.reason)
		}
	case !s.due().IsZero():
		fmt.Fprintf(&p.out, " for %v", s.due().Sub(p.now))
	}
	if s.held.stands() && s.shown() != done {
		fmt.Fprintf(&p.out, "; verdict for %v", s.held.by.Sub(p.now))
	}
	s.held = verdict{}
	if by := s.deadlineBeside(); !by.IsZero() && s.shown() != done {
		fmt.Fprintf(&p.out, "; next due in %v", by.Sub(p.now))
	}
	p.out.WriteString("\n")
}
