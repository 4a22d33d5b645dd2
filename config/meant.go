package config

import (
	"fmt"
	"slices"
	"strings"

	"confit/internal/near"
)

// elsewhere is what somebody looks for who has the name from another program, or from a
// manifest of Kubernetes.
var elsewhere = []struct {
	choice string
	names  []string
}{
	{"link", []string{"configmap", "copy", "file", "ln", "mount", "secret", "subpath", "symlink"}},
	{"env", []string{"envfrom", "environment", "export", "set"}},
	{"render", []string{"template"}},
	{"validate", []string{"test", "cmd", "precheck"}},
	{"verify", []string{"healthcheck", "probe"}},
	{"reload", []string{"exec", "reload-signal", "reload-command", "on-change", "signal", "notify"}},
	{"splay", []string{"jitter", "delay"}},
	{"settle", []string{"debounce"}},
	{"rescan", []string{"interval", "poll"}},
	{"stop-timeout", []string{"grace-period"}},
	{"stop-signal", []string{"kill-signal"}},
	{"hook-timeout", []string{"timeout"}},
	{"volumes", []string{"volume"}},
	{"fallback", []string{"default", "defaults"}},
	{"status", []string{"json", "format", "output", "o"}},
	{"links", []string{"c", "conf", "config", "f"}},
	{"check", []string{"dry-run", "lint", "n", "plan", "t"}},
	{"version", []string{"v"}},
	{"log-level", []string{"debug", "log", "verbose", "quiet"}},
}

// meant is the choice that somebody meant by a name, or "".
func meant(name string, choices []string) string {
	for _, e := range elsewhere {
		if slices.Contains(e.names, strings.ToLower(name)) && slices.Contains(choices, e.choice) {
			return e.choice
		}
	}
	return near.Of(name, choices)
}

// meantLine is the hint for a line that begins with an unknown word: one as other
// files of settings have it, one without its first word, or a misspelt one.
func meantLine(first string) string {
	at := strings.IndexAny(first, "=:")
	name := first[:max(at, 0)]
	switch {
	case find(name) != nil || kindOf(name) != nil:
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
