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
	takes   string // the value's name in the help, with what stands in front; "": a switch, on without a value
	help    string
	def     string // the default
	meaning string // of the default, where it doesn't speak for itself
	short   string // a name of one letter
	repeat  bool   // may stand more than once
	notFile bool   // can't stand in a links file
	notEnv  bool   // can't stand in the environment
	of      func(*Config) value
}

// bare reports whether the flag needs no value.
func (s *setting) bare() bool { return s.takes == "" || s.takes[0] == '[' }

// command reports whether the value may be a command: in a links file, the rest of a line.
func (s *setting) command() bool { return s.takes == " CMD" || s.takes == " ACTION" }

// defaultLinks is the links file that is read when none is named.
const defaultLinks = "/etc/confit/links"

// settings is all of them, in the order of the help.
var settings = []*setting{
	{heading: "Where things are", name: "links", takes: " FILE", help: "the links file, or a directory of such; repeatable", meaning: defaultLinks,
		notFile: true, of: func(c *Config) value { return readLater(func() string { return strings.Join(c.LinkFiles, ",") }) }},
	{name: "lines", takes: " TEXT", help: "lines of a links file, beside those of the files; repeatable", repeat: true, notFile: true,
		of: func(c *Config) value { return readLater(func() string { return c.LinesFrom }) }},
	{name: "volumes", takes: " DIR", help: "where relative sources are", def: "/confit", of: func(c *Config) value { return location(&c.linker.Volumes, false) }},
	{name: "fallback", takes: " DIR", help: "what a first start takes when what is mounted is bad; laid out like --volumes", of: func(c *Config) value { return location(&c.linker.Fallback, true) }},
	{name: "state", takes: " DIR", help: "generations, live link, status.json", def: "/run/confit", of: func(c *Config) value { return location(&c.linker.State, false) }},
	{name: "view", takes: " DIR", help: "a read-only mount of the state directory, through which links lead", of: func(c *Config) value { return location(&c.linker.View, true) }},
	{name: "allow-disk", help: "lets keys of memory-backed volumes be staged on disk", def: "false", of: func(c *Config) value { return toggle(&c.linker.AllowDisk) }},

	{heading: "When a volume changes", name: "settle", takes: " D", help: "stages after this much quiet", def: "auto",
		meaning: "0 for a single ConfigMap or Secret volume, 20ms for several, else 100ms", of: func(c *Config) value { return span(&c.Settle, SettleAuto) }},
	{name: "splay", takes: " D", help: "delays each reload by a random time up to D, so that replicas don't all reload at once", def: "0", of: func(c *Config) value { return span(&c.Splay, 0) }},
	{name: "rescan", takes: " D", help: "looks at the volumes this often without an event, too", def: "10s", of: func(c *Config) value { return span(&c.Rescan, 10*time.Millisecond) }},
	{name: "render", takes: " CMD", help: "makes files out of the staged keys, in {rendered}", of: func(c *Config) value { return command(&c.Render) }},
	{name: "validate", takes: " CMD", help: "checks the change; {candidate} means its directory", of: func(c *Config) value { return command(&c.Validate) }},
	{name: "gate", takes: " CMD", help: "says whether this replica may go on now; it may take as long as it likes", of: func(c *Config) value { return command(&c.Gate) }},
	{name: "report", takes: " CMD", help: "is given the outcome of a change", of: func(c *Config) value { return command(&c.Report) }},
	{name: "hook-timeout", takes: " D", help: "kills a hook other than gate and verify after D and rejects the change", def: "30s",
		of: func(c *Config) value { return span(&c.HookTimeout, time.Millisecond) }},
	{name: "reload", takes: " ACTION", help: "auto, signal:NAME, restart, exec:CMD, none, or touch: new links, for an app that watches its files", def: "auto",
		of: func(c *Config) value { return action(&c.Reload) }},
	{name: "verify", takes: " CMD", help: "shows that the app is well; runs until it succeeds, and again at the end of the probation", of: func(c *Config) value { return command(&c.Verify) }},
	{name: "verify-timeout", takes: " D", help: "takes the change back if one of the two lasts longer", def: "10s", of: func(c *Config) value { return span(&c.VerifyTimeout, time.Millisecond) }},
	{name: "probation", takes: " D", help: "takes the change back if the app exits within D", def: "5s", of: func(c *Config) value { return span(&c.Probation, 0) }},
	{name: "soak", takes: " D", help: "goes back after two bad ends in a row within D of a start; auto: ten probations, from 1m to 1h; 0: never, as for jobs", def: "auto", of: func(c *Config) value { return span(&c.Soak, SettleAuto) }},
	{name: "retry", takes: " D", help: "first wait before a rejected change is tried again; doubles up to 5m", def: "10s", of: func(c *Config) value { return span(&c.Retry, 100*time.Millisecond) }},

	{heading: "The app", name: "stop-signal", takes: " NAME", help: "asks the app to stop, once it takes that", def: "TERM", of: func(c *Config) value { return field(&c.StopSignal, parseCaught, signals.Name) }},
	{name: "stop-timeout", takes: " D", help: "how long the app has before a restart kills it", def: "30s", of: func(c *Config) value { return span(&c.StopTimeout, 0) }},
	{name: "entrypoint-timeout", takes: " D", help: "how long an edit waits for an entrypoint script to execute the app; 0: not at all", def: "30m",
		of: func(c *Config) value { return span(&c.EntrypointTimeout, 0) }},
	{name: "map-signal", takes: " FROM:TO", help: "turns signal FROM into TO; FROM: drops it; repeatable", repeat: true, of: func(c *Config) value { return signalMap(c) }},
	{name: "signal-group", help: "sends signals to the app's process group", def: "false", of: func(c *Config) value { return toggle(&c.SignalGroup) }},
	{name: "drain-timeout", takes: " D", help: "how long what the app leaves behind has to end", def: "5s", of: func(c *Config) value { return span(&c.DrainTimeout, 0) }},
	{name: "adopt", help: "when the app ends and leaves a process of the same program behind, as nginx at USR2, that becomes the app", def: "false",
		of: func(c *Config) value { return toggle(&c.Adopt) }},
	{name: "map-exit", takes: " FROM:TO", help: "turns exit code FROM into TO; repeatable", repeat: true, of: func(c *Config) value { return exitMap(c) }},

	{heading: "Instead of running the app", name: "check", help: "reads everything, prints the plan, changes nothing; exit code 64 or 78: a start would fail",
		notFile: true, of: func(c *Config) value { return order(c, Check, parseBool) }},
	{name: "try", takes: " DIR|-", help: "says what a start would make of the volumes in DIR, or on stdin, and shows nothing of it to the app: exit code 0 or 78",
		notFile: true, notEnv: true, of: func(c *Config) value { return trying(c) }},
	{name: "bake", help: "makes the target links now, at image build", notFile: true, of: func(c *Config) value { return order(c, Bake, parseBool) }},
	{name: "optional", help: "with --bake: makes those of optional lines, too, over files of the image", notFile: true, notEnv: true, of: func(c *Config) value {
		return field(&c.Optional, parseBool, func(bool) string { return "" }) // no setting of a start
	}},
	{name: "install", takes: " FILE", help: "copies this program to FILE", notFile: true, of: func(c *Config) value { return installation(c) }},
	{name: "seed", takes: " DIR=TO", help: "copies directory DIR of the image to TO, where links can be made; repeatable", repeat: true, notFile: true, notEnv: true,
		of: func(c *Config) value { return seeding(c) }},
	{name: "status", takes: "[=FORMAT]", help: "prints what confit does and what the app has, as text, or with json for machines; exit code 0: what is mounted is live or on its way; " +
		"3: it was rejected; 1: there is no status", notFile: true, of: func(c *Config) value { return statusForm(c) }},
	{name: "version", help: "prints the version", notFile: true, notEnv: true, of: func(c *Config) value { return order(c, Version, parseBool) }},
	{name: "help", short: "h", help: "prints this help", notFile: true, notEnv: true, of: func(c *Config) value { return order(c, Help, parseBool) }},

	{heading: "The log, on stderr", name: "log-format", takes: " FORMAT", help: "text or json", def: "text", of: func(c *Config) value { return oneOf(&c.LogJSON, formatName, true, false) }},
	{name: "log-level", takes: " LEVEL", help: "debug, info, warn or error", def: "info", of: func(c *Config) value {
		return oneOf(&c.LogLevel, levelName, slog.LevelDebug, slog.LevelError, slog.LevelInfo, slog.LevelWarn)
	}},
}

// meant is a value in words for people.
func (s *setting) meant(shown string) string {
	if shown == s.def && s.meaning != "" {
		return s.meaning
	}
	return shown
}

// find is the setting of a name, or nil.
func find(name string) *setting {
	for _, s := range settings {
		if s.name == name {
			return s
		}
	}
	return nil
}

// eachInForce calls do with each setting that is set, as a links file would hold it.
func (c *Config) eachInForce(do func(s *setting, shown string)) {
	for _, s := range settings {
		if shown := s.of(c).show(); shown != "" {
			do(s, shown)
		}
	}
}

// LogValue is what is set to something else than its default, for the log's first line.
func (c *Config) LogValue() slog.Value {
	var list []slog.Attr
	var plain Config
	c.eachInForce(func(s *setting, shown string) {
		def := s.of(&plain)
		_ = def.read(s.def) // a default is right
		if shown != def.show() {
			list = append(list, slog.String(s.name, shown))
		}
	})
	return slog.GroupValue(list...)
}
