package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"confit/linker"
)

// samples are three values of each setting that may stand in a links file, as the
// setting shows them.
var samples = map[string][]string{
	"volumes":            {"/v/1", "/v/2", "/v/3"},
	"state":              {"/s/1", "/s/2", "/s/3"},
	"fallback":           {"/f", "/g", "/h"},
	"view":               {"/f", "/g", "/h"},
	"render":             {"envsubst", "sh /r.sh", "true"},
	"gate":               {"ask a", "ask b", "true"},
	"report":             {"tell a", "tell b", "true"},
	"validate":           {"nginx -t", "httpd -t", "true"},
	"hook-timeout":       {"1s", "2s", "1ms"},
	"reload":             {"none", "signal:USR1", "exec:a 'b c'"},
	"verify":             {"curl -f localhost", "true", "pgrep x"},
	"verify-timeout":     {"1s", "2s", "1ms"},
	"probation":          {"0s", "1s", "2s"},
	"settle":             {"0s", "1s", "2s"},
	"soak":               {"0s", "1s", "2s"},
	"splay":              {"1s", "2s", "1m0s"},
	"retry":              {"1s", "2s", "100ms"},
	"rescan":             {"1s", "2s", "10ms"},
	"stop-signal":        {"HUP", "QUIT", "RTMIN+1"},
	"entrypoint-timeout": {"0s", "1s", "2s"},
	"stop-timeout":       {"0s", "1s", "2s"},
	"map-signal":         {"TERM:QUIT", "TERM:INT", "TERM:"},
	"signal-group":       {"true", "false"},
	"drain-timeout":      {"0s", "1s", "2s"},
	"adopt":              {"true", "false"},
	"map-exit":           {"143:0", "143:1", "143:255"},
	"allow-disk":         {"true", "false"},
	"log-format":         {"json", "text"},
	"log-level":          {"debug", "warn", "error"},
}

// TestPrecedence: command line over environment over links file over default,
// for every setting, every choice of the three, and every choice of values.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	for _, s := range settingsOf(new(Config)) {
		if s.notFile {
			continue // TestModes, TestInstallPrecedence and TestLinksPrecedence have these
		}
		values, ok := samples[s.name]
		if !ok {
			t.Errorf("no sample for --%s: add one", s.name)
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			trySources(t, s, values)
		})
	}
}

// trySources tries one setting. The last choice stands for a source that doesn't name
// the setting at all.
func trySources(t *testing.T, s *setting, values []string) {
	dir := t.TempDir()
	choices := append(slices.Clone(values), "")
	for _, inFile := range choices {
		file := filepath.Join(dir, "links-"+strconv.Itoa(slices.Index(choices, inFile)))
		writeFile(t, file, sampleText(s.name, inFile))
		for _, inEnv := range choices {
			for _, onLine := range choices {
				trySource(t, s, file, inFile, inEnv, onLine)
			}
		}
	}
}

func sampleText(name, value string) string {
	if value == "" {
		return oneLink
	}
	return fmt.Sprintf("%s%s %s\n", oneLink, name, value)
}

func trySource(t *testing.T, s *setting, file, inFile, inEnv, onLine string) {
	environ, args := []string{"CONFITX=1"}, []string{}
	plain := Config{linker: linker.Config{Fallback: "x"}}
	byDefault := settingsOf(&plain).find(s.name)
	_ = byDefault.read(s.def)
	want := byDefault.show()
	if inFile != "" {
		want = inFile
	}
	if inEnv != "" {
		environ, want = append(environ, variable(s.name)+"="+inEnv), inEnv
	}
	if onLine != "" {
		args, want = append(args, "--"+s.name+"="+onLine), onLine
	}
	c := mustParse(t, file, environ, append(args, "--", "app")...)
	if got := settingsOf(&c).find(s.name).show(); got != want {
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
	if c.linker.Volumes != "/volumes" || c.linker.State != "/run/state" {
		t.Errorf("volumes %q, state %q", c.linker.Volumes, c.linker.State)
	}
	i := mustParse(t, "/missing", nil, "--install=x/confit")
	if i.Install != "/x/confit" {
		t.Errorf("install %q", i.Install)
	}
}
