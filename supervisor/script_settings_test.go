package supervisor

import (
	"slices"
	"strings"
	"testing"
	"time"

	"confit/config"
	"confit/linker"
	"confit/signals"
)

// setting is one word of a config line.
func (p *player) setting(name, value string) {
	switch name {
	case "watches": // the linker sees when somebody opens what changed
		p.watched = true
	case "shows":
		p.inside = true
	case "waits":
		p.waits = true
	default:
		set(p.t, &p.config, name, value)
	}
}

// set changes the configuration.
func set(t *testing.T, c *config.Config, name, value string) {
	for _, s := range []struct {
		name string
		time *time.Duration
	}{{"settle", &c.Settle}, {"young", &c.Young}, {"rescan", &c.Rescan}, {"probation", &c.Probation}, {"splay", &c.Splay}, {"drain", &c.DrainTimeout}} {
		if s.name == name {
			*s.time, _ = time.ParseDuration(value)
		}
	}
	switch name {
	case "settle":
		if value == "auto" {
			c.Settle = config.SettleAuto
		}
	case "young", "rescan", "probation", "splay", "drain":
	case "map":
		c.MapSignal = map[signals.Signal]signals.Signal{signals.TERM: 3, 2: signals.TERM, 10: 0, 12: 1}
		c.MapExit = map[int]int{143: 0}
	case "verify":
		c.Verify = []string{"verify"}
		if value != "" {
			c.VerifyTimeout, _ = time.ParseDuration(value)
		}
	case "render":
		c.Render = []string{"render"}
	case "gate":
		c.Gate = []string{"may-i"}
	case "report":
		c.Report = []string{"tell"}
	case "validate":
		c.Validate = map[string][]string{"before": {"check", config.Placeholder}, "after": {"check"}}[value]
	default:
		t.Fatalf("config %q?", name)
	}
}

// formerOf is what a former confit left: [NUMBER N [EARLIER N]]. A last word fallback says where it comes from.
// With an earlier one the accepted one has not survived a start, unless relapses=N says how many lives on it ended
// badly while they were young. killed: confit was killed while it was young. killed=N[,STEP[:HOOK+HOOK][,KILLS[,putOff]]]: confit was
// killed while it tried N. relapsed=N: what isn't tried again. twin: all replicas share the same of both.
// asked[=OUTCOME[,OUTCOME]]: a gate was asked about it, and what was told of it since. outcome N [OUTCOME]: what the note has to be told.
func formerOf(t *testing.T, words []string, now time.Time, young time.Duration) *linker.Former {
	f := &linker.Former{}
	f.Outcomes, words = formerOutcomes(t, words)
	a, twin := &f.Accepted, false
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		switch name, value, _ := strings.Cut(w, "="); name {
		case "relapses":
			a.Relapses, a.Survived, a.Lived = atoi(t, value), true, int64(8*time.Second)
		case "asked":
			a.Told = formerTold(value)
		case "twin":
			twin = true
		case "fallback":
			a.Fallback = true
		case "killed":
			f.Killed = formerTrial(t, value)
		case "relapsed":
			f.Relapsed = &linker.Relapsed{Hash: letter(atoi(t, value)).hash().Hex(), At: now.Add(-time.Hour).Unix()}
		default:
			return false
		}
		return true
	})
	if f.Killed.Kills > 0 && f.Killed.Hash == (linker.Hash{}) {
		f.Killed.Hash = letter(atoi(t, words[1])).inputs()
	}
	if len(words) > 1 {
		fallback := a.Fallback
		a.Generation, a.Survived = made{number: atoi(t, words[0]), holds: letter(atoi(t, words[1]))}.generation(), a.Survived || len(words) < 4
		a.Settled = a.Survived && young == 0
		a.AcceptedAt, a.Fallback = now.Add(-time.Hour).Unix(), fallback
	}
	if len(words) > 3 {
		a.Earlier = made{number: atoi(t, words[2]), holds: letter(atoi(t, words[3]))}.generation()
		a.Earlier.AcceptedAt = now.Add(-100 * time.Hour).Unix()
	}
	if twin {
		a.Shared = a.Earlier.Shared
	}
	return f
}

// formerTrial is N[,STEP[:HOOK+HOOK][,KILLS[,putOff]]]. Without a word it is that of what is young.
func formerTrial(t *testing.T, value string) linker.Trial {
	if value == "" {
		return linker.Trial{Step: linker.StepPublish, Kills: 1}
	}
	parts := append(strings.Split(value, ","), "", "", "")
	k := linker.Trial{Hash: letter(atoi(t, parts[0])).inputs(), Step: linker.StepPublish, Suspects: "the app", Kills: 1, PutOff: parts[3] != ""}
	if step, hooks, _ := strings.Cut(parts[1], ":"); hooks != "" {
		k.Step, k.Suspects = step, strings.ReplaceAll(hooks, "+", ", ")
	}
	if parts[2] != "" {
		k.Kills = atoi(t, parts[2])
	}
	return k
}
