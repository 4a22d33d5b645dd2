package supervisor

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"confit/config"
	"confit/linker"
	"confit/signals"
)

var update = flag.Bool("update", false, "write the answers into the scripts")

// TestTranscripts plays the scripts in testdata: a line that begins at the
// margin is an event, the indented lines under it are what step answers, the
// phase last. go test -run Transcripts -update writes the answers anew, to be
// read before they are committed.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			script, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(script))
			if got == string(script) {
				return
			}
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("want:\n%s\ngot:\n%s", script, got)
		})
	}
}

// player gives the events of a script to step.
type player struct {
	t        *testing.T
	config   config.Config
	state    state
	notes    []*linker.Note // that are on their way to the disk
	fallback bool
	killed   linker.Trial                 // what a former confit was killed in
	relapsed *linker.Relapsed             // what it has noted of late deaths
	beyond   bool                         // no signal reaches the app
	shown    map[string]map[string]string // the last status that was written down
	waits    bool                         // the phases are written as the debug log has them
	now      time.Time
	out      strings.Builder
}

func play(t *testing.T, script string) string {
	p := &player{t: t, now: time.Unix(1e9, 0), config: config.Config{
		Rescan: 10 * time.Second, HookTimeout: 30 * time.Second, DrainTimeout: 5 * time.Second, StopTimeout: 20 * time.Second, StopSignal: 3,
		Retry: 10 * time.Second, VerifyTimeout: 10 * time.Second,
	}}
	for line := range strings.Lines(script) {
		switch {
		case strings.HasPrefix(line, "#") || line == "\n":
			p.out.WriteString(line)
		case !strings.HasPrefix(line, " "):
			p.out.WriteString(line)
			p.line(strings.Fields(line))
		}
	}
	return p.out.String()
}

func (p *player) line(words []string) {
	switch words[0] {
	case "config":
		for _, w := range words[1:] {
			p.set(w)
		}
	case "status":
		p.status()
	case "begin":
		words, late := p.former("late", words)
		words, record := p.former("record", words)
		s, actions := begin(&p.config, &linker.Former{Note: linker.Note{Accepted: p.accepted(words), Record: record, Late: late, Relapsed: p.relapsed}, Killed: p.killed}, p.fallback, p.now)
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
func (p *player) run(words []string) {
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

func (p *player) set(word string) {
	name, value, _ := strings.Cut(word, "=")
	switch name {
	case "map":
		p.config.MapSignal = map[signals.Signal]signals.Signal{signals.TERM: 3, 2: signals.TERM, 10: 0, 12: 1}
		p.config.MapExit = map[int]int{143: 0}
	case "settle":
		p.config.Settle, _ = time.ParseDuration(value)
		if value == "auto" {
			p.config.Settle = config.SettleAuto
		}
	case "young":
		p.config.Young, _ = time.ParseDuration(value)
	case "rescan":
		p.config.Rescan, _ = time.ParseDuration(value)
	case "probation":
		p.config.Probation, _ = time.ParseDuration(value)
	case "splay":
		p.config.Splay, _ = time.ParseDuration(value)
	case "verify":
		p.config.Verify = []string{"verify"}
		if value != "" {
			p.config.VerifyTimeout, _ = time.ParseDuration(value)
		}
	case "fallback":
		p.fallback = true
	case "beyond":
		p.beyond = value != "no"
	case "render":
		p.config.Render = []string{"render"}
	case "gate":
		p.config.Gate = []string{"may-i"}
	case "report":
		p.config.Report = []string{"tell"}
	case "waits":
		p.waits = true
	case "drain":
		p.config.DrainTimeout, _ = time.ParseDuration(value)
	case "validate":
		p.config.Validate = map[string][]string{"before": {"check", config.Placeholder}, "after": {"check"}}[value]
	default:
		p.t.Fatalf("config %q?", word)
	}
}

// write writes down what step answered.
func (p *player) write(s *state, actions []action) {
	if n := len(actions); n > 0 && !p.beyond && reflect.TypeOf(actions[n-1]) == reflect.TypeFor[deliver]() {
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
	if fmt.Fprintf(&p.out, "    → %v", s.shown()); p.waits {
		p.out.WriteString(strings.TrimPrefix(s.waitsFor(), s.shown().String()))
	}
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
	s.held, s.peekBy = verdict{}, noDeadline
	if by := s.deadlineBeside(); !by.IsZero() && s.shown() != done {
		fmt.Fprintf(&p.out, "; next due in %v", by.Sub(p.now))
	}
	p.out.WriteString("\n")
}

// unwrapped is an action, or the job that it hands the linker.
func unwrapped(a action) any {
	if a, ok := a.(assign); ok {
		return a.job
	}
	return a
}

func describe(a action) string {
	switch a := unwrapped(a).(type) {
	case say:
		return strings.TrimSpace(fmt.Sprintf("say %v %q %s", a.level, a.message, pairs(a.keys)))
	case runHook:
		return fmt.Sprintf("runHook %s (generation %d)%s", strings.Join(a.command, " "), a.candidate.Number, asked(a.variables))
	case runReport:
		return fmt.Sprintf("runReport %s (in force: generation %d)%s", told(a.report), a.inForce.Number, asked(a.variables))
	case writeNote:
		return "note " + inNote(a.note)
	case stage:
		switch {
		case a.fallback:
			return "stage the fallback"
		case a.known.Seen == "":
			return "stage anew"
		}
	case signal:
		return fmt.Sprintf("signal %d %s", a.pid, signals.Name(a.signal))
	case deliver:
		return describe(signal(a))
	case ask:
		return describe(signal(a))
	case probe:
		return fmt.Sprintf("probe %d %s", a.pid, signals.Name(a.signal))
	case endLeftovers:
		return strings.TrimSuffix(fmt.Sprintf("endLeftovers %d %d %v", a.group, int(a.signal), a.everybody), " false")
	case track:
		return fmt.Sprintf("track %d %s", a.pid, signals.Name(a.signal))
	case arm:
		if a.trial == (linker.Trial{}) {
			return "disarm"
		}
		if a.trial.PutOff {
			return fmt.Sprintf("arm %s %d, put off", a.trial.Step, a.trial.Kills)
		}
		return fmt.Sprintf("arm %s %d", a.trial.Step, a.trial.Kills)
	case goBack:
		return fmt.Sprintf("goBack to %d", a.to)
	case keep:
		return "keep " + strings.ReplaceAll(fmt.Sprintf("%d, %d, %d", a.accepted, a.earlier, a.candidate), ", 0", "")
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", unwrapped(a)), "supervisor.")
}

// asked is what only the gate is told, and the report of a relapse.
func asked(variables []string) (list string) {
	for _, v := range variables {
		if strings.HasPrefix(v, config.BoundVariable) && v != config.BoundVariable+"=" || v == config.StartingVariable+"=1" {
			list += " " + v
		}
	}
	return list
}
