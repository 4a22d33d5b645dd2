package config

import (
	"log/slog"
	"slices"
	"strings"
	"time"

	"confit/signals"
)

// setting is a flag, a variable of the environment and a line of a links file, unless it says
// otherwise. The help, the plan of --check and the log's first line show settings.
type setting struct {
	name string
	value
	def     string // the default; of a switch, which is off, ""
	means   string // the default in words, where that doesn't speak for itself
	help    string
	heading string // of the group that this one begins
	letter  string // its short name

	repeat  bool // may stand more than once
	notFile bool // can't stand in a links file
	notEnv  bool // can't stand in the environment
}

// settings are in the order of the help.
type settings []*setting

// defaultLinks is the links file that is read when none is named.
const defaultLinks = "/etc/confit/links"

// settingsOf is all of them, with their values in a Config.
func settingsOf(c *Config) settings {
	return slices.Concat(placeSettings(c), changeSettings(c), proofSettings(c), appSettings(c), modeSettings(c),
		logSettings(c))
}

// placeSettings say where things are.
func placeSettings(c *Config) settings {
	return settings{
		{
			name: "links", value: readLater(" FILE", func() string { return strings.Join(c.LinkFiles, ",") }),
			notFile: true,
			means:   defaultLinks,
			help:    "the links file, or a directory of such; repeatable",
			heading: "Where things are",
		},
		{
			name: "lines", value: readLater(" TEXT", func() string { return c.LinesFrom }), repeat: true, notFile: true,
			help: "lines of a links file, beside those of the files; repeatable",
		},
		{
			name: "volumes", def: "/confit", value: location(&c.linker.Volumes, false),
			help: "where relative sources are",
		},
		{
			name: "fallback", value: location(&c.linker.Fallback, true),
			help: "what a first start takes when what is mounted is bad; laid out like --volumes",
		},
		{
			name: "state", def: "/run/confit", value: location(&c.linker.State, false),
			help: "generations, live link, status.json",
		},
		{
			name: "view", value: location(&c.linker.View, true),
			help: "a read-only mount of the state directory, through which links lead",
		},
		{
			name: "allow-disk", value: toggle(&c.linker.AllowDisk),
			help: "lets keys of memory-backed volumes be staged on disk",
		},
	}
}

// changeSettings say what a change of a volume leads to.
func changeSettings(c *Config) settings {
	return settings{
		{
			name: "settle", def: "auto", value: span(&c.Settle, SettleAuto),
			means:   "0 for a single ConfigMap or Secret volume, 20ms for several, else 100ms",
			help:    "stages after this much quiet",
			heading: "When a volume changes",
		},
		{
			name: "splay", def: "0", value: span(&c.Splay, 0),
			help: "delays each reload by a random time up to D, so that replicas don't all reload at once",
		},
		{
			name: "rescan", def: "10s", value: span(&c.Rescan, 10*time.Millisecond),
			help: "looks at the volumes this often without an event, too",
		},
		{
			name: "render", value: command(&c.Render),
			help: "makes files out of the staged keys, in {rendered}",
		},
		{
			name: "validate", value: command(&c.Validate),
			help: "checks the change; {candidate} means its directory",
		},
		{
			name: "gate", value: command(&c.Gate),
			help: "says whether this replica may go on now; it may take as long as it likes",
		},
		{
			name: "report", value: command(&c.Report),
			help: "is given the outcome of a change",
		},
		{
			name: "hook-timeout", def: "30s", value: span(&c.HookTimeout, time.Millisecond),
			help: "kills a hook other than gate and verify after D and rejects the change",
		},
		{
			name: "reload", def: "auto", value: action(&c.Reload),
			help: "auto, signal:NAME, restart, exec:CMD, none, or touch: new links, for an app that watches its files",
		},
	}
}

// proofSettings say how a change is proved.
func proofSettings(c *Config) settings {
	return settings{
		{
			name: "verify", value: command(&c.Verify),
			help: "shows that the app is well; runs until it succeeds, and again at the end of the probation",
		},
		{
			name: "verify-timeout", def: "10s", value: span(&c.VerifyTimeout, time.Millisecond),
			help: "takes the change back if one of the two lasts longer",
		},
		{
			name: "probation", def: "5s", value: span(&c.Probation, 0),
			help: "takes the change back if the app exits within D",
		},
		{
			name: "soak", def: "auto", value: span(&c.Soak, SettleAuto),
			help: "goes back after two bad ends in a row within D of a start; auto: ten probations, from 1m to 1h; 0: never, as for jobs",
		},
		{
			name: "retry", def: "10s", value: span(&c.Retry, 100*time.Millisecond),
			help: "first wait before a rejected change is tried again; doubles up to 5m",
		},
	}
}

// appSettings say how the app is run.
func appSettings(c *Config) settings {
	return settings{
		{
			name: "stop-signal", def: "TERM", value: field(" NAME", &c.StopSignal, parseCaught, signals.Name),
			help:    "asks the app to stop, once it takes that",
			heading: "The app",
		},
		{
			name: "stop-timeout", def: "30s", value: span(&c.StopTimeout, 0),
			help: "how long the app has before a restart kills it",
		},
		{
			name: "entrypoint-timeout", def: "30m", value: span(&c.EntrypointTimeout, 0),
			help: "how long an edit waits for an entrypoint script to execute the app; 0: not at all",
		},
		{
			name: "map-signal", value: signalMap(c), repeat: true,
			help: "turns signal FROM into TO; FROM: drops it; repeatable",
		},
		{
			name: "signal-group", value: toggle(&c.SignalGroup),
			help: "sends signals to the app's process group",
		},
		{
			name: "drain-timeout", def: "5s", value: span(&c.DrainTimeout, 0),
			help: "how long what the app leaves behind has to end",
		},
		{
			name: "adopt", value: toggle(&c.Adopt),
			help: "when the app ends and leaves a process of the same program behind, as nginx at USR2, that becomes the app",
		},
		{
			name: "map-exit", value: exitMap(c), repeat: true,
			help: "turns exit code FROM into TO; repeatable",
		},
	}
}

// modeSettings say what is done instead.
func modeSettings(c *Config) settings {
	return settings{
		{
			name: "check", value: order("", c, Check, parseBool), notFile: true,
			help:    "reads everything, prints the plan, changes nothing; exit code 64 or 78: a start would fail",
			heading: "Instead of running the app",
		},
		{
			name: "try", value: trying(c), notFile: true, notEnv: true,
			help: "says what a start would make of the volumes in DIR, or on stdin, and shows nothing of it to the app: exit code 0 or 78",
		},
		{
			name: "bake", value: order("", c, Bake, parseBool), notFile: true,
			help: "makes the target links now, at image build",
		},
		{
			name: "optional", value: field("", &c.Optional, parseBool, func(bool) string { return "" }),
			notFile: true, notEnv: true,
			help: "with --bake: makes those of optional lines, too, over files of the image",
		},
		{
			name: "install", value: installation(c), notFile: true,
			help: "copies this program to FILE",
		},
		{
			name: "seed", value: seeding(c), repeat: true, notFile: true, notEnv: true,
			help: "copies directory DIR of the image to TO, where links can be made; repeatable",
		},
		{
			name: "status", value: statusForm(c), notFile: true,
			help: "prints what confit does and what the app has, as text, or with json for machines; " +
				"exit code 0: what is mounted is live or on its way; 3: it was rejected; 1: there is no status",
		},
		{
			name: "version", value: order("", c, Version, parseBool), notFile: true, notEnv: true,
			help: "prints the version",
		},
		{
			name: "help", letter: "h", value: order("", c, Help, parseBool), notFile: true, notEnv: true,
			help: "prints this help",
		},
	}
}

// logSettings say what is logged.
func logSettings(c *Config) settings {
	return settings{
		{
			name: "log-format", def: "text", value: oneOf(" FORMAT", &c.LogJSON, formats),
			help:    "text or json",
			heading: "The log, on stderr",
		},
		{
			name: "log-level", def: "info", value: oneOf(" LEVEL", &c.LogLevel, levels),
			help: "debug, info, warn or error",
		},
	}
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
