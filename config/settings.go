package config

import (
	"log/slog"
	"strings"
	"time"

	"confit/signals"
)

// setting is a flag, a variable of the environment and a line of a links file, unless it says otherwise. The help, the plan of --check and
// the log's first line show settings.
type setting struct {
	heading string // of the group that begins here, in the help
	name    string
	help    string
	def     string // the default
	meaning string // of the default, where it doesn't speak for itself
	short   string // a name of one letter
	repeat  bool   // may stand more than once
	notFile bool   // can't stand in a links file
	notEnv  bool   // can't stand in the environment
	value          // of the Config
}

// settings are in the order of the help.
type settings []*setting

// defaultLinks is the links file that is read when none is named.
const defaultLinks = "/etc/confit/links"

// settingsOf is all of them, with their values in a Config.
func settingsOf(c *Config) settings {
	return append(runSettings(c), otherSettings(c)...)
}

// runSettings say how the app is run.
func runSettings(c *Config) settings {
	return settings{
		{heading: "Where things are", name: "links", help: "the links file, or a directory of such; repeatable", meaning: defaultLinks,
			notFile: true, value: readLater(" FILE", func() string { return strings.Join(c.LinkFiles, ",") })},
		{name: "lines", help: "lines of a links file, beside those of the files; repeatable", repeat: true, notFile: true,
			value: readLater(" TEXT", func() string { return c.LinesFrom })},
		{name: "volumes", help: "where relative sources are", def: "/confit", value: location(&c.linker.Volumes, false)},
		{name: "fallback", help: "what a first start takes when what is mounted is bad; laid out like --volumes", value: location(&c.linker.Fallback, true)},
		{name: "state", help: "generations, live link, status.json", def: "/run/confit", value: location(&c.linker.State, false)},
		{name: "view", help: "a read-only mount of the state directory, through which links lead", value: location(&c.linker.View, true)},
		{name: "allow-disk", help: "lets keys of memory-backed volumes be staged on disk", def: "false", value: toggle(&c.linker.AllowDisk)},

		{heading: "When a volume changes", name: "settle", help: "stages after this much quiet", def: "auto",
			meaning: "0 for a single ConfigMap or Secret volume, 20ms for several, else 100ms", value: span(&c.Settle, SettleAuto)},
		{name: "splay", help: "delays each reload by a random time up to D, so that replicas don't all reload at once", def: "0", value: span(&c.Splay, 0)},
		{name: "rescan", help: "looks at the volumes this often without an event, too", def: "10s", value: span(&c.Rescan, 10*time.Millisecond)},
		{name: "render", help: "makes files out of the staged keys, in {rendered}", value: command(&c.Render)},
		{name: "validate", help: "checks the change; {candidate} means its directory", value: command(&c.Validate)},
		{name: "gate", help: "says whether this replica may go on now; it may take as long as it likes", value: command(&c.Gate)},
		{name: "report", help: "is given the outcome of a change", value: command(&c.Report)},
		{name: "hook-timeout", help: "kills a hook other than gate and verify after D and rejects the change", def: "30s",
			value: span(&c.HookTimeout, time.Millisecond)},
		{name: "reload", help: "auto, signal:NAME, restart, exec:CMD, none, or touch: new links, for an app that watches its files", def: "auto",
			value: action(&c.Reload)},
		{name: "verify", help: "shows that the app is well; runs until it succeeds, and again at the end of the probation", value: command(&c.Verify)},
		{name: "verify-timeout", help: "takes the change back if one of the two lasts longer", def: "10s", value: span(&c.VerifyTimeout, time.Millisecond)},
		{name: "probation", help: "takes the change back if the app exits within D", def: "5s", value: span(&c.Probation, 0)},
		{name: "soak", help: "goes back after two bad ends in a row within D of a start; auto: ten probations, from 1m to 1h; 0: never, as for jobs", def: "auto", value: span(&c.Soak, SettleAuto)},
		{name: "retry", help: "first wait before a rejected change is tried again; doubles up to 5m", def: "10s", value: span(&c.Retry, 100*time.Millisecond)},

		{heading: "The app", name: "stop-signal", help: "asks the app to stop, once it takes that", def: "TERM", value: field(" NAME", &c.StopSignal, parseCaught, signals.Name)},
		{name: "stop-timeout", help: "how long the app has before a restart kills it", def: "30s", value: span(&c.StopTimeout, 0)},
		{name: "entrypoint-timeout", help: "how long an edit waits for an entrypoint script to execute the app; 0: not at all", def: "30m",
			value: span(&c.EntrypointTimeout, 0)},
		{name: "map-signal", help: "turns signal FROM into TO; FROM: drops it; repeatable", repeat: true, value: signalMap(c)},
		{name: "signal-group", help: "sends signals to the app's process group", def: "false", value: toggle(&c.SignalGroup)},
		{name: "drain-timeout", help: "how long what the app leaves behind has to end", def: "5s", value: span(&c.DrainTimeout, 0)},
		{name: "adopt", help: "when the app ends and leaves a process of the same program behind, as nginx at USR2, that becomes the app", def: "false",
			value: toggle(&c.Adopt)},
		{name: "map-exit", help: "turns exit code FROM into TO; repeatable", repeat: true, value: exitMap(c)},
	}
}

// otherSettings say what is done instead, and what is logged.
func otherSettings(c *Config) settings {
	return settings{
		{heading: "Instead of running the app", name: "check", help: "reads everything, prints the plan, changes nothing; exit code 64 or 78: a start would fail",
			notFile: true, value: order("", c, Check, parseBool)},
		{name: "try", help: "says what a start would make of the volumes in DIR, or on stdin, and shows nothing of it to the app: exit code 0 or 78",
			notFile: true, notEnv: true, value: trying(c)},
		{name: "bake", help: "makes the target links now, at image build", notFile: true, value: order("", c, Bake, parseBool)},
		{name: "optional", help: "with --bake: makes those of optional lines, too, over files of the image", notFile: true, notEnv: true, value: field("", &c.Optional, parseBool, func(bool) string { return "" })}, // no setting of a start
		{name: "install", help: "copies this program to FILE", notFile: true, value: installation(c)},
		{name: "seed", help: "copies directory DIR of the image to TO, where links can be made; repeatable", repeat: true, notFile: true, notEnv: true,
			value: seeding(c)},
		{name: "status", help: "prints what confit does and what the app has, as text, or with json for machines; exit code 0: what is mounted is live or on its way; " +
			"3: it was rejected; 1: there is no status", notFile: true, value: statusForm(c)},
		{name: "version", help: "prints the version", notFile: true, notEnv: true, value: order("", c, Version, parseBool)},
		{name: "help", short: "h", help: "prints this help", notFile: true, notEnv: true, value: order("", c, Help, parseBool)},

		{heading: "The log, on stderr", name: "log-format", help: "text or json", def: "text", value: oneOf(" FORMAT", &c.LogJSON, formatName, true, false)},
		{name: "log-level", help: "debug, info, warn or error", def: "info", value: oneOf(" LEVEL", &c.LogLevel, levelName, slog.LevelDebug, slog.LevelError, slog.LevelInfo, slog.LevelWarn)},
	}
}

// meant is a value in words for people.
func (s *setting) meant(shown string) string {
	if shown == s.def && s.meaning != "" {
		return s.meaning
	}
	return shown
}

// find is the setting of a name, or nil.
func (list settings) find(name string) *setting {
	for _, s := range list {
		if s.name == name {
			return s
		}
	}
	return nil
}

// eachInForce calls do with each setting that is set, as a links file would hold it.
func (c *Config) eachInForce(do func(s *setting, shown string)) {
	for _, s := range settingsOf(c) {
		if shown := s.show(); shown != "" {
			do(s, shown)
		}
	}
}

// LogValue is what is set to something else than its default, for the log's first line.
func (c *Config) LogValue() slog.Value {
	var list []slog.Attr
	plain := settingsOf(new(Config))
	for i, s := range settingsOf(c) {
		def, shown := plain[i], s.show()
		_ = def.read(s.def) // a default is right
		if shown != "" && shown != def.show() {
			list = append(list, slog.String(s.name, shown))
		}
	}
	return slog.GroupValue(list...)
}
