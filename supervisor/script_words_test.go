package supervisor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"confit/config"
	"confit/linker"
	"confit/signals"
	"confit/supervisor/app"
	"confit/supervisor/outcomes"
)

// inNote shows what is accepted, and the outcomes if there are any.
func inNote(n *linker.Note) string {
	var rungs []string
	for i, r := range n.Ladder.Rungs[:n.Ladder.Len()] {
		rungs = append(rungs, inRung(r, n.Ladder.On == i))
	}
	text := strings.Join(rungs, "; ")
	if n.Ladder.On > 0 && n.Ladder.On == n.Ladder.Len() {
		text += "; on the fallback"
	}
	if r := n.Late; r.Inputs != (linker.Hash{}) {
		text += fmt.Sprintf(", not %x again within %v", r.Inputs[:1], time.Duration(r.Wait)*time.Second)
	}
	for _, o := range n.Outcomes {
		text += ", outcome " + told(&o)
	}
	return text
}

// inRung shows one rung.
func inRung(r linker.Rung, isOn bool) string {
	text := fmt.Sprint(r.Number)
	for _, fact := range []struct {
		is   bool
		word string
	}{{r.Started && !r.Durable, " started"}, {r.Soaked && !r.Durable, " soaked"}, {r.Durable, " durable"}, {isOn && r.Number != 0, ""},
		{r.Told.Asked, ", asked"}, {r.Told.Relapsed, ", relapsed"}, {r.Told.Soaked, ", told that it soaked"}} {
		if fact.is {
			text += fact.word
		}
	}
	if r.Deaths > 0 {
		text += fmt.Sprintf(", deaths %d", r.Deaths)
	}
	return text
}

// told shows the first digits of the hash.
func told(r *linker.Outcome) string {
	switch {
	case r == nil:
		return "none"
	case r.Kind == "":
		return r.Hash[:2] + " open"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s from %q %s %q", r.Hash[:min(2, len(r.Hash))], r.Kind, r.Source, r.Step, r.Reason))
}

func pairs(keys []any) string {
	var list []string
	for i := 0; i+1 < len(keys); i += 2 {
		list = append(list, fmt.Sprintf("%v=%v", keys[i], keys[i+1]))
	}
	return strings.Join(list, " ")
}

// formerOutcomes are those that a former confit left: outcome N [OUTCOME], once or more.
func formerOutcomes(t *testing.T, words []string) (list []linker.Outcome, rest []string) {
	i := slices.Index(words, "outcome")
	if i < 0 {
		return nil, words
	}
	for _, w := range words[i:] {
		switch last := len(list) - 1; {
		case w == "outcome":
			list = append(list, linker.Outcome{})
		case list[last].Hash == "":
			list[last].Hash = letter(atoi(t, w)).hash().Hex()
		default:
			list[last].Kind, list[last].Source = w, "stored"
		}
	}
	return list, words[:i]
}

// formerTold is what was told of what is accepted: asked[=OUTCOME[,OUTCOME]].
func formerTold(value string) linker.Told {
	return linker.Told{Asked: true, Relapsed: strings.Contains(value, outcomes.Relapsed), Soaked: strings.Contains(value, outcomes.Soaked)}
}

func atoi(t *testing.T, word string) int {
	n, err := strconv.Atoi(word)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// unwrapped is an action, or the job that it hands the linker, or what the app's half wants done.
func unwrapped(a action) any {
	switch a := a.(type) {
	case assign:
		return a.job
	case toApp:
		return a.Action
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
		case a.known.Fingerprint == "":
			return "stage anew"
		}
	case app.Signal:
		return fmt.Sprintf("signal %d %s", a.PID, signals.Name(a.Signal))
	case app.Deliver:
		return fmt.Sprintf("signal %d %s", a.PID, signals.Name(a.Signal))
	case app.Reload:
		return fmt.Sprintf("signal %d %s", a.PID, signals.Name(a.Signal))
	case app.Probe:
		return fmt.Sprintf("probe %d %s", a.PID, signals.Name(a.Signal))
	case app.EndLeftovers:
		return strings.TrimSuffix(fmt.Sprintf("endLeftovers %d %d %v", a.Group, int(a.Signal), a.Everybody), " false")
	case record:
		if a.trial == (linker.Trial{}) {
			return "disarm"
		}
		if a.trial.PutOff {
			return fmt.Sprintf("record %s %d, put off", a.trial.Step, a.trial.Kills)
		}
		return fmt.Sprintf("record %s %d", a.trial.Step, a.trial.Kills)
	case goBack:
		return fmt.Sprintf("goBack to %d", a.to)
	case collect:
		return "collect all but " + strings.Trim(fmt.Sprint(a.inUse), "[]")
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
