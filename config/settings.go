package config

import "time"

// setting is one flag. It may stand on the command line, in the environment and in
// a links file, unless it says otherwise.
type setting struct {
	name    string
	short   string // a name of one letter
	def     string // the default
	bare    bool   // a switch: without a value it is on
	command bool   // the value is a command: in a links file, the rest of the line
	repeat  bool   // may stand more than once
	notFile bool   // can't stand in a links file
	notEnv  bool   // can't stand in the environment
	read    func(c *Config, value string) error
}

// settings is all the flags.
var settings = []setting{
	{name: "links", def: "", notFile: true, read: func(*Config, string) error { return nil }}, // see linksFiles
	{name: "volumes", def: "/confit", read: path(func(c *Config) *string { return &c.Volumes })},
	{name: "state", def: "/run/confit", read: path(func(c *Config) *string { return &c.State })},
	{name: "fallback", def: "", read: readFallback},
	{name: "render", command: true, read: commandOf(func(c *Config) *[]string { return &c.Render }, splitCommand)},
	{name: "validate", command: true, read: hook(func(c *Config) *[]string { return &c.Validate })},
	{name: "gate", command: true, read: hook(func(c *Config) *[]string { return &c.Gate })},
	{name: "report", command: true, read: hook(func(c *Config) *[]string { return &c.Report })},
	{name: "hook-timeout", def: "30s", read: duration(time.Millisecond, func(c *Config) *time.Duration { return &c.HookTimeout })},
	{name: "reload", def: "auto", command: true, read: readReload},
	{name: "verify", command: true, read: hook(func(c *Config) *[]string { return &c.Verify })},
	{name: "verify-timeout", def: "10s", read: duration(time.Millisecond, func(c *Config) *time.Duration { return &c.VerifyTimeout })},
	{name: "probation", def: "5s", read: duration(0, func(c *Config) *time.Duration { return &c.Probation })},
	{name: "settle", def: "auto", read: readSettle},
	{name: "splay", def: "0", read: duration(0, func(c *Config) *time.Duration { return &c.Splay })},
	{name: "retry", def: "10s", read: duration(100*time.Millisecond, func(c *Config) *time.Duration { return &c.Retry })},
	{name: "rescan", def: "10s", read: duration(10*time.Millisecond, func(c *Config) *time.Duration { return &c.Rescan })},
	{name: "stop-signal", def: "TERM", read: readStopSignal},
	{name: "stop-timeout", def: "30s", read: duration(0, func(c *Config) *time.Duration { return &c.StopTimeout })},
	{name: "map-signal", repeat: true, read: readMapSignal},
	{name: "signal-group", def: "false", bare: true, read: onOff(func(c *Config, on bool) { c.SignalGroup = on })},
	{name: "drain-timeout", def: "5s", read: duration(0, func(c *Config) *time.Duration { return &c.DrainTimeout })},
	{name: "adopt", def: "false", bare: true, read: onOff(func(c *Config, on bool) { c.Adopt = on })},
	{name: "map-exit", repeat: true, read: readMapExit},
	{name: "allow-disk", def: "false", bare: true, read: onOff(func(c *Config, on bool) { c.AllowDisk = on })},
	{name: "log-format", def: "text", read: readLogFormat},
	{name: "log-level", def: "info", read: readLogLevel},
	{name: "check", def: "false", bare: true, notFile: true, read: mode(Check)},
	{name: "bake", def: "false", bare: true, notFile: true, read: mode(Bake)},
	{name: "install", def: "", notFile: true, read: readInstall},
	{name: "status", def: "false", bare: true, notFile: true, read: readStatus},
	{name: "version", def: "false", bare: true, notFile: true, notEnv: true, read: mode(Version)},
	{name: "help", short: "h", def: "false", bare: true, notFile: true, notEnv: true, read: mode(Help)},
}

// find is the setting of a name, or nil.
func find(name string) *setting {
	for i := range settings {
		if settings[i].name == name {
			return &settings[i]
		}
	}
	return nil
}

// names lists the settings that pass the filter.
func names(filter func(*setting) bool) []string {
	var list []string
	for i := range settings {
		if filter(&settings[i]) {
			list = append(list, settings[i].name)
		}
	}
	return list
}
