package rollout

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write testdata anew, to be read before it is committed")

// TestTranscripts plays the scripts of testdata: a line that begins with > is a
// question, and the lines below it are the answer and the record after it.
//
//	> gate POD HASH [revision=NAME] [accepted=HASH] [starting]
//	> report POD HASH OUTCOME [revision=NAME] [step=STEP] [source=SOURCE] [bound=SECONDS]
//	> pass DURATION | snapshot | pause | resume | retry PREFIX | promote [PREFIX] | abort [PREFIX]
//	> policy CANARIES PARALLEL [failures=N] [steps] | accept HASH NUMBER
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := newScript().play(string(text))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got != string(text) {
				t.Errorf("got\n%s\nwant\n%s", got, text)
			}
		})
	}
}

// script is a fleet whose replicas ask and report as they are told. Each has
// bound 60 s and an observer of its own.
type script struct {
	record    Record
	policy    Policy
	observers map[string]Observer
	now       time.Duration
}

func newScript() *script {
	return &script{policy: Policy{Canaries: 1, Parallel: Parallel{percent: 25}}, observers: map[string]Observer{}}
}

func (s *script) play(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		command, ok := strings.CutPrefix(line, "> ")
		if ok {
			before := s.show()
			out.WriteString(line + "\n" + s.run(strings.Fields(command)))
			if after := s.show(); after != before {
				out.WriteString(after)
			}
		} else if line == "" || strings.HasPrefix(line, "#") {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

func (s *script) run(words []string) (said string) {
	switch words[0] {
	case "gate":
		return s.gate(words[1:])
	case "report":
		s.record = s.record.Report(s.replica(words[1:]), Outcome{
			Kind: Kind(words[3]), Step: option(words, "step", ""), Source: option(words, "source", "mounted"),
		}, s.date())
	case "pass":
		d, err := time.ParseDuration(words[1])
		if err != nil {
			return err.Error() + "\n"
		}
		s.now += d
	case "snapshot":
		return fmt.Sprintf("  %q\n", s.record.Snapshot)
	case "pause":
		s.record = s.record.Pause(s.date())
	case "resume":
		s.record = s.record.Resume()
	case "retry":
		return s.person(s.record.Retry(words[1]))
	case "promote":
		return s.person(s.record.Promote(strings.Join(words[1:], ""), s.date()))
	case "abort":
		return s.person(s.record.Abort(strings.Join(words[1:], ""), s.date()))
	case "accept":
		return s.accept(words[1], words[2])
	case "policy":
		return s.setPolicy(words)
	default:
		return "  unknown command\n"
	}
	return ""
}

// date is the store's clock.
func (s *script) date() int64 { return 1_000_000 + int64(s.now/time.Second) }

func (s *script) person(next Record, err error) string {
	if s.record = next; err != nil {
		return "  " + err.Error() + "\n"
	}
	return ""
}

// accept has many others take their turn with a hash and accept it.
func (s *script) accept(hash, number string) string {
	n, _ := strconv.Atoi(number)
	for i := range n {
		me := s.replica([]string{fmt.Sprintf("many-%d", i), hash})
		if answer, next := s.record.Gate(me, s.policy, Observer{}.Look(s.record, Moment{s.now, s.date()})); answer.Verdict == Go {
			s.record = next.Report(me, Outcome{Kind: Accepted, Source: "mounted"}, s.date())
		}
	}
	return ""
}

func (s *script) gate(words []string) string {
	me := s.replica(words)
	me.Accepted, me.Starting = option(words, "accepted", ""), slices.Contains(words, "starting")
	now := Moment{s.now, s.date()}
	o := s.observers[me.Pod].Look(s.record, now)
	answer, next := s.record.Gate(me, s.policy, o)
	s.record, s.observers[me.Pod] = next, o.Look(next, now)
	if answer.Verdict == Go {
		return "  go\n"
	}
	return fmt.Sprintf("  %s: %s\n", [...]string{"wait", "go", "refuse"}[answer.Verdict], answer.Reason)
}

func (s *script) setPolicy(words []string) string {
	p, err := ParseParallel(words[2])
	if err != nil {
		return err.Error() + "\n"
	}
	failures, _ := strconv.Atoi(option(words, "failures", "0"))
	s.policy = Policy{Canaries: int(words[1][0] - '0'), Parallel: p, Failures: failures, Steps: slices.Contains(words, "steps")}
	return ""
}

func (s *script) replica(words []string) Replica {
	bound, _ := strconv.Atoi(option(words, "bound", "60"))
	return Replica{
		Revision: option(words, "revision", "r1"), Pod: words[0], PodName: words[0], Container: "web",
		Hash: words[1], Bound: time.Duration(bound) * time.Second,
	}
}

func option(words []string, name, otherwise string) string {
	for _, w := range words {
		if value, ok := strings.CutPrefix(w, name+"="); ok {
			return value
		}
	}
	return otherwise
}

// show is the record for people, a line for each revision.
func (s *script) show() string {
	var out strings.Builder
	for _, v := range s.record.Revisions {
		fmt.Fprintf(&out, "  %s: stable=%s previous=%s", v.Name, v.Stable, v.Previous)
		if t := v.Trial; t != nil {
			fmt.Fprintf(&out, " trial=%s accepted=%d/%d", t.Hash, t.Accepted, t.Canaries)
			for _, h := range t.Holds {
				fmt.Fprintf(&out, " %s#%d", h.Pod, h.Serial)
			}
			if t.Losses > 0 {
				fmt.Fprintf(&out, " losses=%d#%d", t.Losses, t.Lost)
			}
		}
		for _, p := range v.Proofs {
			if p.Proved {
				fmt.Fprintf(&out, " proved=%s", p.Hash)
			}
		}
		for _, l := range v.Late {
			fmt.Fprintf(&out, " late=%s(%s failed=%t open=%t)", l.Hash, l.Pod, l.Failed, l.Open)
		}
		for _, j := range v.Rejected {
			fmt.Fprintf(&out, " rejected=%s(%s by %s)", j.Hash, j.Step, j.Pod)
		}
		out.WriteString("\n")
	}
	return out.String()
}
