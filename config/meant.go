package config

import (
	"fmt"
	"slices"
	"strings"

	"confit/internal/near"
)

// elsewhere is what somebody looks for who has the name from another program, or from a
// manifest of Kubernetes.
var elsewhere = map[string]string{
	"configmap": "link", "copy": "link", "file": "link", "ln": "link", "mount": "link", "secret": "link", "subpath": "link", "symlink": "link",
	"envfrom": "env", "environment": "env", "export": "env", "set": "env",
	"template": "render", "test": "validate", "cmd": "validate", "precheck": "validate",
	"healthcheck": "verify", "probe": "verify", "exec": "reload", "reload-signal": "reload", "reload-command": "reload", "on-change": "reload", "signal": "reload", "notify": "reload",
	"jitter": "splay", "delay": "splay", "debounce": "settle", "interval": "rescan", "poll": "rescan",
	"grace-period": "stop-timeout", "kill-signal": "stop-signal", "timeout": "hook-timeout",
	"volume": "volumes", "default": "fallback", "defaults": "fallback",
	"json": "status", "format": "status", "output": "status", "o": "status",
	"c": "links", "conf": "links", "config": "links", "f": "links",
	"dry-run": "check", "lint": "check", "n": "check", "plan": "check", "t": "check",
	"v": "version", "debug": "log-level", "log": "log-level", "verbose": "log-level", "quiet": "log-level",
}

// meant is the choice that somebody meant by a name, or "".
func meant(name string, choices []string) string {
	if m := elsewhere[strings.ToLower(name)]; slices.Contains(choices, m) {
		return m
	}
	return near.Of(name, choices)
}

// meantLine is the hint for a line that begins with an unknown word: one as other
// files of settings have it, one without its first word, or a misspelt one.
func meantLine(first string) string {
	at := strings.IndexAny(first, "=:")
	name := first[:max(at, 0)]
	switch {
	case find(name) != nil || sourceLines[name] != nil:
		return fmt.Sprintf("write a blank after %s, not %q", name, first[at])
	case strings.HasPrefix(first, ";"), strings.HasPrefix(first, "//"):
		return "begin a comment with #"
	case strings.Contains(first, "/"):
		return "write link, input or env in front of a source"
	}
	return didYouMean(first, append(names(func(s *setting) bool { return !s.notFile }), "link", "input", "env"),
		"write link, input, env or a flag (confit --help lists the flags)")
}

// meantFlag is the hint for what pflag says, such as "unknown flag: --name", or
// "unknown shorthand flag: 'n' in -name". A word that is like no flag is most likely
// an argument of the command before it.
func meantFlag(message string, before []given) string {
	_, name, ok := strings.Cut(message, "unknown flag: --")
	if !ok {
		_, name, ok = strings.Cut(message, " in -")
	}
	all := names(func(*setting) bool { return true })
	last := len(before) - 1
	switch {
	case !ok:
		return ""
	case near.Of(name, all) == "" && last >= 0 && before[last].setting.command():
		return "; put quotes around the whole command of " + before[last].where
	case meant(name, all) != "":
		return "; did you mean --" + meant(name, all) + "?"
	}
	return ""
}

// meantVariable is the hint for a variable of the environment that is no flag.
func meantVariable(name string) string {
	flag := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, prefix), "_", "-"))
	if m := meant(flag, names(func(s *setting) bool { return !s.notEnv })); m != "" {
		return fmt.Sprintf("did you mean %s?", variable(m))
	}
	return "confit --help lists the flags"
}
