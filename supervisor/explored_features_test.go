package supervisor

import (
	"slices"
	"time"

	"confit/config"
	"confit/signals"
)

// tick is how much time passes at least: all that is due within one is due at its end.
const tick = 5 * time.Second

// long is far beyond every other time, confit's own ones, too: an app has 90 s to say READY=1.
const long = 20 * tick

// aspect is in what settings differ. Its first value is that of a setting which says nothing of the aspect.
type aspect struct {
	name   string
	values []feature
}

// feature is one value of an aspect. Its name says what a setting has.
type feature struct {
	name string
	has  func(s *setting)
}

// one is an aspect of which there is something, or nothing.
func one(name string, has func(s *setting)) aspect {
	return aspect{name, []feature{{"no " + name, nil}, {name, has}}}
}

// aspects are all in which settings differ.
var aspects = []aspect{
	{"reload", []feature{
		{"usr1", func(s *setting) { s.actions = []config.Action{byUSR1} }},
		{"usr1-or-none", func(s *setting) { s.actions = []config.Action{byUSR1, byItself} }},
		{"usr1-or-restart", func(s *setting) { s.actions = []config.Action{byUSR1, byRestart} }},
		{"auto", func(s *setting) { s.actions = []config.Action{byAuto} }},
		{"exec", func(s *setting) { s.actions = []config.Action{byHook} }},
		{"touch", func(s *setting) { s.actions = []config.Action{byTouch} }},
		{"restart", func(s *setting) { s.actions = []config.Action{byRestart} }},
	}},
	one("any-handler", func(s *setting) {
		s.found = []signals.Disposition{signals.Caught, signals.Default, signals.Blocked, signals.Ignored}
	}),
	{"stored", []feature{
		{"nothing stored", nil},
		{"proven", func(s *setting) { s.begins = provenA }},
		{"doubtful", func(s *setting) { s.begins = doubtfulA }},
		{"soaked", func(s *setting) { s.begins = soakedA }},
		{"asked", func(s *setting) { s.begins = askedA }},
		{"relapsed", func(s *setting) { s.begins = relapsedA }},
		{"down", func(s *setting) { s.begins = downFromA }},
		{"from-fallback", func(s *setting) { s.begins = fromBackup }},
	}},
	{"fallback", []feature{
		{"no fallback", nil},
		{"fallback", func(s *setting) { s.fallback = true }},
		{"fallback-same", func(s *setting) { s.fallback, s.baked = true, letterA }},
	}},
	{"validate", []feature{
		{"no validate", nil},
		{"validate-before", func(s *setting) { s.config.Validate = []string{"check", config.Placeholder} }},
		{"validate-after", func(s *setting) { s.config.Validate = []string{"check"} }},
	}},
	one("render", func(s *setting) { s.config.Render = []string{"render"} }),
	one("gate", func(s *setting) { s.config.Gate = []string{"may-i"} }),
	one("report", func(s *setting) { s.config.Report = []string{"tell"} }),
	one("adopt", func(s *setting) { s.config.Adopt = true }),
	one("try", func(s *setting) { s.config.Mode = config.Try }),

	{"verify", []feature{
		{"no verify", nil},
		{"verify", verifies(2 * tick)},
		{"verify-short", verifies(tick)},
		{"verify-long", verifies(long)},
	}},
	times("probation", 0, func(c *config.Config) *time.Duration { return &c.Probation }, tick, long),
	times("soak", 0, func(c *config.Config) *time.Duration { return &c.Soak }, 2*tick, long),
	times("splay", 0, func(c *config.Config) *time.Duration { return &c.Splay }, 2*tick, long),
	times("settle", 0, func(c *config.Config) *time.Duration { return &c.Settle }, tick, long),
	times("retry", 3*tick, func(c *config.Config) *time.Duration { return &c.Retry }, tick, long),
	times("stop-timeout", 2*tick, func(c *config.Config) *time.Duration { return &c.StopTimeout }, tick, long),
	times("drain-timeout", 2*tick, func(c *config.Config) *time.Duration { return &c.DrainTimeout }, 0, long),
	times("hook-timeout", 2*tick, func(c *config.Config) *time.Duration { return &c.HookTimeout }, tick, long),
	times("rescan", 2*tick, func(c *config.Config) *time.Duration { return &c.Rescan }, tick, long),

	one("kills", func(s *setting) { s.kills = true }),
	one("breaks", func(s *setting) { s.breaks = true }),
	one("refuses", func(s *setting) { s.refuses = true }),
	one("spoils", func(s *setting) { s.spoils = true }),
	one("loses", func(s *setting) { s.loses, s.empties = true, true }),
	one("panics", func(s *setting) { s.panics = true }),
	{"starts", []feature{
		{"starts", nil},
		{"not-found", func(s *setting) { s.failedStarts = 1 }},
		{"no-memory", func(s *setting) { s.failedStarts = 2 }},
	}},
	one("hooks-missing", func(s *setting) { s.hooksMissing = true }),
	one("leftovers", func(s *setting) { s.leftovers = true }),
	one("zombies", func(s *setting) { s.zombies = true }),
	one("watches", func(s *setting) { s.watches = true }),
	one("beyond", func(s *setting) { s.beyond = true }),
	one("quits", func(s *setting) { s.quits = true }),
	one("speaks", func(s *setting) { s.speaks = true }),
	one("local", func(s *setting) { s.local = true }),
	one("unread", func(s *setting) { s.unread = true }),
	one("late", func(s *setting) { s.late = true }),
	{"entrypoint", []feature{
		{"no entrypoint", nil},
		{"enters", func(s *setting) { s.config.EntrypointTimeout = 4 * tick }},
		{"enters-long", func(s *setting) { s.config.EntrypointTimeout = long }},
	}},
}

func verifies(within time.Duration) func(s *setting) {
	return func(s *setting) { s.config.Verify, s.config.VerifyTimeout = []string{"verify"}, within }
}

// times is an aspect that is a time: as most settings have it, short, and long.
func times(name string, usual time.Duration, of func(c *config.Config) *time.Duration, short, long time.Duration) aspect {
	a := aspect{name: name}
	add := func(name string, is time.Duration) {
		a.values = append(a.values, feature{name, func(s *setting) { *of(&s.config) = is }})
	}
	add("usual "+name, usual)
	add(name+"-short", short)
	add(name+"-long", long)
	return a
}

// fits reports that two features may meet. All else is said of a feature alone.
func fits(a, b feature) bool { return isMet(a.name, b.name) && isMet(b.name, a.name) }

func isMet(a, b string) bool {
	switch a {
	case "any-handler": // nobody else looks at it
		return !slices.Contains([]string{"exec", "touch", "restart"}, b)
	case "try": // which ends before there is an app
		return slices.Contains(beforeTheApp, b) || isUsual(b)
	}
	return true
}

// beforeTheApp are the features that count before anything is published.
var beforeTheApp = []string{
	"validate-before", "render", "kills", "breaks", "refuses", "spoils", "panics", "hooks-missing", "quits",
	"hook-timeout-short", "hook-timeout-long", "settle-short", "settle-long", "rescan-short", "rescan-long",
}

// isUsual reports that a feature is the first of its aspect.
func isUsual(name string) bool {
	return slices.ContainsFunc(aspects, func(a aspect) bool { return a.values[0].name == name })
}
