package supervisor

import (
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
	}{{"settle", &c.Settle}, {"soak", &c.Soak}, {"rescan", &c.Rescan}, {"probation", &c.Probation}, {"splay", &c.Splay}, {"drain", &c.DrainTimeout}, {"entrypoint", &c.EntrypointTimeout}} {
		if s.name == name {
			*s.time, _ = time.ParseDuration(value)
		}
	}
	switch name {
	case "settle":
		if value == "auto" {
			c.Settle = config.SettleAuto
		}
	case "soak", "rescan", "probation", "splay", "drain", "entrypoint":
	case "map":
		c.MapSignal = map[signals.Signal]signals.Signal{signals.TERM: 3, 2: signals.TERM, 10: 0, 12: 1}
		c.MapExit = map[int]int{143: 0}
	case "verify":
		c.Verify = []string{"verify"}
		if value != "" {
			c.VerifyTimeout, _ = time.ParseDuration(value)
		}
	case "try":
		c.Mode = config.Try
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

// formerOf is what a former confit left: [NUMBER N [RUNG...]]..., the newest first, each with what it has proved: started, soaked or durable, and
// deaths=N, asked[=OUTCOME[,OUTCOME]] (what was told of it since), fallback, and twin (all replicas share the same of it and of the newest). One
// alone is durable if nothing else is said, and the last of several is started. on=N: the app is on that rung. killed: confit was killed while a life counted.
// killed=N[,STEP[:HOOK+HOOK][,KILLS[,putOff]]]: confit was killed while it tried N. remembered=N[,AGO[,WAIT]]: what isn't tried again for a while.
// outcome N [OUTCOME]: what the note has to be told. unread: confit can't read it now, so it finds nothing.
func formerOf(t *testing.T, words []string, now time.Time) *linker.Former {
	f := &linker.Former{}
	f.Outcomes, words = formerOutcomes(t, words)
	n := -1
	for i := 0; i < len(words); i++ {
		r := &f.Ladder.Rungs[max(n, 0)]
		switch name, value, _ := strings.Cut(words[i], "="); name {
		case "started":
			r.Started = true
		case "soaked":
			r.Soaked = true
		case "durable":
			r.Started, r.Soaked, r.Durable = true, true, true
		case "deaths":
			r.Deaths = atoi(t, value)
		case "asked":
			r.Told = formerTold(value)
		case "twin":
			r.Shared = f.Ladder.Rungs[0].Shared
		case "fallback":
			r.Fallback = true
		case "unread":
			f.Unread = errUnread
		case "on":
			f.Ladder.On = atoi(t, value)
		case "killed":
			f.Killed = formerTrial(t, value)
		case "remembered":
			f.Late = formerLate(t, value, now)
		default:
			n++
			f.Ladder.Rungs[n].Generation = made{number: atoi(t, words[i]), holds: letter(atoi(t, words[i+1])), at: now.Add(-time.Duration(n*n*100+1) * time.Hour).Unix()}.generation()
			i++
		}
	}
	switch r := &f.Ladder.Rungs[max(n, 0)]; {
	case n < 0 || *r != (linker.Rung{Generation: r.Generation, Told: r.Told}):
	case n == 0:
		r.Started, r.Soaked, r.Durable = true, true, true
	default:
		r.Started = true
	}
	if f.Killed.Kills > 0 && f.Killed.Hash == (linker.Hash{}) {
		f.Killed.Hash = f.Ladder.InForce().Inputs
	}
	return f
}

// formerLate is N[,AGO[,WAIT]].
func formerLate(t *testing.T, value string, now time.Time) linker.Late {
	parts := append(strings.Split(value, ","), "", "")
	l := letter(atoi(t, parts[0]))
	r := linker.Late{Inputs: l.inputs(), Common: l.hash(), Wait: 3600}
	ago, _ := time.ParseDuration(parts[1])
	if r.At = now.Add(-ago).Unix(); parts[2] != "" {
		wait, _ := time.ParseDuration(parts[2])
		r.Wait = int64(wait / time.Second)
	}
	return r
}

// formerTrial is N[,STEP[:HOOK+HOOK][,KILLS[,putOff]]]. Without a word it is that of the rung that the app is on.
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
