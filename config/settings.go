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
	def  string // the default
	value
	limits
	help string
}

// limits are those of a setting.
type limits struct {
	repeat  bool // may stand more than once
	notFile bool // can't stand in a links file
	notEnv  bool // can't stand in the environment
}

var (
	anywhere   = limits{}
	repeated   = limits{repeat: true}
	notInFiles = limits{notFile: true}
	onLine     = limits{notFile: true, notEnv: true} // on the command line alone
)

// settings are in the order of the help.
type settings []*setting

// defaultLinks is the links file that is read when none is named.
const defaultLinks = "/etc/confit/links"

// settingsOf is all of them, with their values in a Config.
func settingsOf(c *Config) settings {
	return slices.Concat(placeSettings(c), runSettings(c), otherSettings(c))
}

func placeSettings(c *Config) settings {
	return settings{
		{"links", "", readLater(" FILE", func() string { return strings.Join(c.LinkFiles, ",") }), notInFiles,
			"the links file, or a directory of such; repeatable"},
		{"lines", "", readLater(" TEXT", func() string { return c.LinesFrom }), limits{repeat: true, notFile: true},
			"lines of a links file, beside those of the files; repeatable"},
		{"volumes", "/confit", location(&c.linker.Volumes, false), anywhere, "where relative sources are"},
		{"fallback", "", location(&c.linker.Fallback, true), anywhere,
			"what a first start takes when what is mounted is bad; laid out like --volumes"},
		{"state", "/run/confit", location(&c.linker.State, false), anywhere, "generations, live link, status.json"},
		{"view", "", location(&c.linker.View, true), anywhere,
			"a read-only mount of the state directory, through which links lead"},
		{"allow-disk", "false", toggle(&c.linker.AllowDisk), anywhere,
			"lets keys of memory-backed volumes be staged on disk"},
	}
}

// runSettings say how the app is run.
func runSettings(c *Config) settings {
	return settings{
		{"settle", "auto", span(&c.Settle, SettleAuto), anywhere, "stages after this much quiet"},
		{"splay", "0", span(&c.Splay, 0), anywhere,
			"delays each reload by a random time up to D, so that replicas don't all reload at once"},
		{"rescan", "10s", span(&c.Rescan, 10*time.Millisecond), anywhere,
			"looks at the volumes this often without an event, too"},
		{"render", "", command(&c.Render), anywhere, "makes files out of the staged keys, in {rendered}"},
		{"validate", "", command(&c.Validate), anywhere, "checks the change; {candidate} means its directory"},
		{"gate", "", command(&c.Gate), anywhere,
			"says whether this replica may go on now; it may take as long as it likes"},
		{"report", "", command(&c.Report), anywhere, "is given the outcome of a change"},
		{"hook-timeout", "30s", span(&c.HookTimeout, time.Millisecond), anywhere,
			"kills a hook other than gate and verify after D and rejects the change"},
		{"reload", "auto", action(&c.Reload), anywhere,
			"auto, signal:NAME, restart, exec:CMD, none, or touch: new links, for an app that watches its files"},
		{"verify", "", command(&c.Verify), anywhere,
			"shows that the app is well; runs until it succeeds, and again at the end of the probation"},
		{"verify-timeout", "10s", span(&c.VerifyTimeout, time.Millisecond), anywhere,
			"takes the change back if one of the two lasts longer"},
		{"probation", "5s", span(&c.Probation, 0), anywhere, "takes the change back if the app exits within D"},
		{"soak", "auto", span(&c.Soak, SettleAuto), anywhere,
			"goes back after two bad ends in a row within D of a start; auto: ten probations, from 1m to 1h; 0: never, as for jobs"},
		{"retry", "10s", span(&c.Retry, 100*time.Millisecond), anywhere,
			"first wait before a rejected change is tried again; doubles up to 5m"},

		{"stop-signal", "TERM", field(" NAME", &c.StopSignal, parseCaught, signals.Name), anywhere,
			"asks the app to stop, once it takes that"},
		{"stop-timeout", "30s", span(&c.StopTimeout, 0), anywhere, "how long the app has before a restart kills it"},
		{"entrypoint-timeout", "30m", span(&c.EntrypointTimeout, 0), anywhere,
			"how long an edit waits for an entrypoint script to execute the app; 0: not at all"},
		{"map-signal", "", signalMap(c), repeated, "turns signal FROM into TO; FROM: drops it; repeatable"},
		{"signal-group", "false", toggle(&c.SignalGroup), anywhere, "sends signals to the app's process group"},
		{"drain-timeout", "5s", span(&c.DrainTimeout, 0), anywhere, "how long what the app leaves behind has to end"},
		{"adopt", "false", toggle(&c.Adopt), anywhere,
			"when the app ends and leaves a process of the same program behind, as nginx at USR2, that becomes the app"},
		{"map-exit", "", exitMap(c), repeated, "turns exit code FROM into TO; repeatable"},
	}
}

// otherSettings say what is done instead, and what is logged.
func otherSettings(c *Config) settings {
	return settings{
		{"check", "", order("", c, Check, parseBool), notInFiles,
			"reads everything, prints the plan, changes nothing; exit code 64 or 78: a start would fail"},
		{"try", "", trying(c), onLine,
			"says what a start would make of the volumes in DIR, or on stdin, and shows nothing of it to the app: exit code 0 or 78"},
		{"bake", "", order("", c, Bake, parseBool), notInFiles, "makes the target links now, at image build"},
		{"optional", "", field("", &c.Optional, parseBool, func(bool) string { return "" }), onLine,
			"with --bake: makes those of optional lines, too, over files of the image"},
		{"install", "", installation(c), notInFiles, "copies this program to FILE"},
		{"seed", "", seeding(c), limits{true, true, true},
			"copies directory DIR of the image to TO, where links can be made; repeatable"},
		{"status", "", statusForm(c), notInFiles,
			"prints what confit does and what the app has, as text, or with json for machines; " +
				"exit code 0: what is mounted is live or on its way; 3: it was rejected; 1: there is no status"},
		{"version", "", order("", c, Version, parseBool), onLine, "prints the version"},
		{"help", "", order("", c, Help, parseBool), onLine, "prints this help"},

		{"log-format", "text", oneOf(" FORMAT", &c.LogJSON, formatName, true, false), anywhere, "text or json"},
		{"log-level", "info", oneOf(" LEVEL", &c.LogLevel, levelName, slog.LevelDebug, slog.LevelError, slog.LevelInfo,
			slog.LevelWarn), anywhere, "debug, info, warn or error"},
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
