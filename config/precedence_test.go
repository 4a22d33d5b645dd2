package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"confit/signals"
)

// sample holds values of a setting to try its precedence.
type sample struct {
	def    string // as got returns it
	values []string
	got    func(c *Config) string
}

// samples has an entry for every setting that may stand in a links file. Its values
// are written as got returns them.
var samples = map[string]sample{
	"volumes":        {"/confit", []string{"/v/1", "/v/2", "/v/3"}, func(c *Config) string { return c.Volumes }},
	"state":          {"/run/confit", []string{"/s/1", "/s/2", "/s/3"}, func(c *Config) string { return c.State }},
	"fallback":       {"", []string{"/f", "/g", "/h"}, func(c *Config) string { return c.Fallback }},
	"render":         {"", []string{"envsubst", "sh /r.sh", "true"}, func(c *Config) string { return JoinWords(c.Render) }},
	"gate":           {"", []string{"ask a", "ask b", "true"}, func(c *Config) string { return JoinWords(c.Gate) }},
	"report":         {"", []string{"tell a", "tell b", "true"}, func(c *Config) string { return JoinWords(c.Report) }},
	"validate":       {"", []string{"nginx -t", "httpd -t", "true"}, func(c *Config) string { return JoinWords(c.Validate) }},
	"hook-timeout":   {"30s", []string{"1s", "2s", "1ms"}, func(c *Config) string { return c.HookTimeout.String() }},
	"reload":         {"auto", []string{"none", "signal:USR1", "exec:a 'b c'"}, func(c *Config) string { return c.Reload.String() }},
	"verify":         {"", []string{"curl -f localhost", "true", "pgrep x"}, func(c *Config) string { return JoinWords(c.Verify) }},
	"verify-timeout": {"10s", []string{"1s", "2s", "1ms"}, func(c *Config) string { return c.VerifyTimeout.String() }},
	"probation":      {"5s", []string{"0s", "1s", "2s"}, func(c *Config) string { return c.Probation.String() }},
	"settle":         {SettleAuto.String(), []string{"0s", "1s", "2s"}, func(c *Config) string { return c.Settle.String() }},
	"splay":          {"0s", []string{"1s", "2s", "1m0s"}, func(c *Config) string { return c.Splay.String() }},
	"retry":          {"10s", []string{"1s", "2s", "100ms"}, func(c *Config) string { return c.Retry.String() }},
	"rescan":         {"10s", []string{"1s", "2s", "10ms"}, func(c *Config) string { return c.Rescan.String() }},
	"stop-signal":    {"15", []string{"1", "3", "64"}, func(c *Config) string { return strconv.Itoa(int(c.StopSignal)) }},
	"stop-timeout":   {"30s", []string{"0s", "1s", "2s"}, func(c *Config) string { return c.StopTimeout.String() }},
	"map-signal":     {"", []string{"TERM:QUIT", "TERM:INT", "TERM:"}, mappedTerm},
	"signal-group":   {"false", []string{"true", "false"}, func(c *Config) string { return strconv.FormatBool(c.SignalGroup) }},
	"drain-timeout":  {"5s", []string{"0s", "1s", "2s"}, func(c *Config) string { return c.DrainTimeout.String() }},
	"adopt":          {"false", []string{"true", "false"}, func(c *Config) string { return strconv.FormatBool(c.Adopt) }},
	"map-exit":       {"", []string{"143:0", "143:1", "143:255"}, mapped143},
	"allow-disk":     {"false", []string{"true", "false"}, func(c *Config) string { return strconv.FormatBool(c.AllowDisk) }},
	"log-format":     {"text", []string{"json", "text"}, func(c *Config) string { return map[bool]string{false: "text", true: "json"}[c.LogJSON] }},
	"log-level":      {"info", []string{"debug", "warn", "error"}, logLevel},
}

func mappedTerm(c *Config) string {
	to, ok := c.MapSignal[signals.TERM]
	switch {
	case !ok:
		return ""
	case to == 0:
		return "TERM:"
	}
	return "TERM:" + signals.Name(to)
}

func mapped143(c *Config) string {
	if to, ok := c.MapExit[143]; ok {
		return fmt.Sprintf("143:%d", to)
	}
	return ""
}

func logLevel(c *Config) string {
	return map[string]string{"DEBUG": "debug", "INFO": "info", "WARN": "warn", "ERROR": "error"}[c.LogLevel.String()]
}

// TestPrecedence: command line over environment over links file over default,
// for every setting, every choice of the three, and every choice of values.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	for i := range settings {
		s := &settings[i]
		if s.notFile {
			continue // TestModes, TestInstallPrecedence and TestLinksPrecedence have these
		}
		try, ok := samples[s.name]
		if !ok {
			t.Errorf("no sample for --%s: add one", s.name)
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			try.all(t, s.name)
		})
	}
}

// all tries one setting. The last choice stands for a source that doesn't name the
// setting at all.
func (s sample) all(t *testing.T, name string) {
	dir := t.TempDir()
	choices := append(slices.Clone(s.values), "")
	for _, inFile := range choices {
		file := filepath.Join(dir, "links-"+strconv.Itoa(slices.Index(choices, inFile)))
		writeFile(t, file, s.text(name, inFile))
		for _, inEnv := range choices {
			for _, onLine := range choices {
				s.try(t, file, name, inFile, inEnv, onLine)
			}
		}
	}
}

func (s sample) text(name, value string) string {
	if value == "" {
		return oneLink
	}
	return fmt.Sprintf("%s%s %s\n", oneLink, name, value)
}

func (s sample) try(t *testing.T, file, name, inFile, inEnv, onLine string) {
	environ, args := []string{"CONFITX=1"}, []string{}
	want := s.def
	if inFile != "" {
		want = inFile
	}
	if inEnv != "" {
		environ, want = append(environ, variable(name)+"="+inEnv), inEnv
	}
	if onLine != "" {
		args, want = append(args, "--"+name+"="+onLine), onLine
	}
	c := mustParse(t, file, environ, append(args, "--", "app")...)
	if got := s.got(&c); got != want {
		t.Errorf("links file %q, environment %q, command line %q: got %q, want %q", inFile, inEnv, onLine, got, want)
	}
}

// TestHookTakenBack: an empty command in a stronger source removes the command.
func TestHookTakenBack(t *testing.T) {
	for name, field := range map[string]func(Config) []string{
		"render":   func(c Config) []string { return c.Render },
		"validate": func(c Config) []string { return c.Validate },
		"gate":     func(c Config) []string { return c.Gate },
		"report":   func(c Config) []string { return c.Report },
		"verify":   func(c Config) []string { return c.Verify },
	} {
		file := write(t, "links", name+" nginx -t\n")
		for _, empty := range []string{"", "''", `""`} {
			byLine := field(mustParse(t, file, nil, "--"+name+"="+empty, "--", "app"))
			byEnv := field(mustParse(t, file, []string{variable(name) + "=" + empty}, "--", "app"))
			if len(byLine)+len(byEnv) > 0 {
				t.Errorf("%s %q: %q by the command line, %q by the environment", name, empty, byLine, byEnv)
			}
		}
	}
}

// TestLastOnTheLineWins, as with any program's flags.
func TestLastOnTheLineWins(t *testing.T) {
	c := mustParse(t, write(t, "links", oneLink), nil, "--rescan=1s", "--rescan", "2s", "--", "app")
	if c.Rescan.String() != "2s" {
		t.Errorf("got %v", c.Rescan)
	}
}

// TestInstallPrecedence: --install follows the usual precedence.
func TestInstallPrecedence(t *testing.T) {
	for _, tt := range []struct{ env, line, want string }{
		{env: "/env", want: "/env"},
		{line: "/line", want: "/line"},
		{env: "/env", line: "/line", want: "/line"},
	} {
		var environ, args []string
		if tt.env != "" {
			environ = []string{"CONFIT_INSTALL=" + tt.env}
		}
		if tt.line != "" {
			args = []string{"--install", tt.line}
		}
		if c := mustParse(t, "/missing", environ, args...); c.Install != tt.want || c.Mode != Install {
			t.Errorf("%+v: got %q, mode %d", tt, c.Install, c.Mode)
		}
	}
}

// TestLinksPrecedence: the files of the command line replace the environment's, and
// are read in their order.
func TestLinksPrecedence(t *testing.T) {
	one, two := write(t, "one", "link web/1 /etc/1\n"), write(t, "two", "link web/2 /etc/2\n")
	for _, tt := range []struct {
		environ, args, want []string
	}{
		{[]string{"CONFIT_LINKS=" + one}, nil, []string{one}},
		{nil, []string{"--links", two}, []string{two}},
		{[]string{"CONFIT_LINKS=" + one}, []string{"--links", two}, []string{two}},
		{nil, []string{"--links", two, "--links=" + one}, []string{two, one}},
	} {
		c, err := Parse(slices.Concat([]string{"confit"}, tt.args, []string{"--", "app"}), tt.environ)
		if err != nil || !slices.Equal(c.LinkFiles, tt.want) || len(c.Links) != len(tt.want) {
			t.Errorf("%q with %q: read %q, %d links, %v", tt.args, tt.environ, c.LinkFiles, len(c.Links), err)
		}
	}
}

// TestRelativePaths are made absolute: confit leaves its working directory.
func TestRelativePaths(t *testing.T) {
	t.Chdir("/")
	c := mustParse(t, write(t, "links", oneLink), []string{"CONFIT_STATE=run/./state/"}, "--volumes=srv/../volumes", "--", "app")
	if c.Volumes != "/volumes" || c.State != "/run/state" {
		t.Errorf("volumes %q, state %q", c.Volumes, c.State)
	}
	i := mustParse(t, "/missing", nil, "--install=x/confit")
	if i.Install != "/x/confit" {
		t.Errorf("install %q", i.Install)
	}
}
