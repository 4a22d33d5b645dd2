package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// parseLine reads a command line, as a container has it, beside an environment.
func parseLine(environ []string, args ...string) (Config, error) {
	return Parse(append([]string{"confit"}, args...), environ)
}

// TestLines: all kinds of lines may stand in the environment or on the command line, and the default links file
// may be missing then.
func TestLines(t *testing.T) {
	if _, err := os.Stat(defaultLinks); err == nil {
		t.Fatalf("%s is there", defaultLinks)
	}
	text := "# mine\nlink web/a /etc/a\r\ninput web/b\nenv app/C C\n\nstop-signal QUIT\nvalidate sh -c 'echo $1'\n"
	for where, given := range map[string]struct{ environ, args []string }{
		"CONFIT_LINES": {environ: []string{"CONFIT_LINES=" + text}},
		"--lines":      {args: []string{"--lines", text}},
	} {
		c, err := parseLine(given.environ, append(given.args, "--", "app")...)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Links) != 3 || c.Links[0].Where != where+":2" || c.Links[2].Where != where+":4" || JoinWords(c.Validate) != "sh -c 'echo $1'" || c.LinesFrom != where || len(c.LinkFiles) > 0 {
			t.Errorf("%s: %+v", where, c)
		}
		linksAre(t, &c, true, "lines alone")
	}
}

// TestLines_add_up: files and lines add up; the command line replaces the environment, and so the image's lines.
func TestLines_add_up(t *testing.T) {
	file := write(t, "links", "link web/1 /etc/1\n")
	environ := []string{"CONFIT_LINKS=" + file, "CONFIT_LINES=link web/2 /etc/2"}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, file + ":1 CONFIT_LINES:1"},
		{[]string{"--lines", "link web/3 /etc/3", "--lines=link web/4 /etc/4\n"}, file + ":1 --lines:1 --lines:2"},
		{[]string{"--lines", " \n"}, file + ":1"},
	} {
		c, err := parseLine(environ, append(tt.args, "--", "app")...)
		var where []string
		for _, l := range c.Links {
			where = append(where, l.Where)
		}
		if got := strings.Join(where, " "); err != nil || !strings.HasPrefix(got, tt.want) {
			t.Errorf("%q: links of %s, want %s: %v", tt.args, got, tt.want, err)
		}
		linksAre(t, &c, true, "read")
	}
	c, err := parseLine(environ, "--", "app")
	try(t, err, os.WriteFile(file, []byte("link web/9 /etc/9\n"), 0o644))
	linksAre(t, &c, false, "with another file")
}

// TestLines_wrong: each error names the place, and what to write instead.
func TestLines_wrong(t *testing.T) {
	file := write(t, "links", "settle 1s\nlink web/1 /etc/1\n")
	for _, tt := range []struct {
		environ, args []string
		want          []string // each is an error, in this order; none: it is right
	}{
		{environ: []string{"CONFIT_LINES=link web/a\nfoo\nlinks x"}, want: []string{"CONFIT_LINES:1: a link needs", `CONFIT_LINES:2: "foo" is not known`, `CONFIT_LINES:3: "links" can't stand in a links file`}},
		{args: []string{"--lines", "\nlines x"}, want: []string{`--lines:2: "lines" can't stand in a links file`}},
		{args: []string{"--lines", "{"}, want: []string{`--lines:1: "{" is not known`}},
		{environ: []string{"CONFIT_LINES=settle 2s", "CONFIT_LINKS=" + file}, want: []string{`CONFIT_LINES:1: "settle" stands at ` + file + `:1 already`}},
		{environ: []string{"CONFIT_LINES=" + file}, want: []string{`CONFIT_LINES:1: "` + file + `" is not known`}},
		{args: []string{"--lines", "adopt"}},
		{environ: []string{"CONFIT_LINKS=link web/a /etc/a\nvalidate true"}, want: []string{"; write one there, or name it with --links"}},
		{args: []string{"--links", "/missing", "--lines", "link web/a /etc/a"}, want: []string{`cannot read links file "/missing"`}},
		{environ: []string{"CONFIT_LINES= \n\t"}, want: []string{`cannot read links file "` + defaultLinks + `"`}},
		{environ: []string{"CONFIT_LINES="}, want: []string{`cannot read links file "` + defaultLinks + `"`}},
	} {
		_, err := parseLine(tt.environ, append(tt.args, "--", "app")...)
		list := flatten(err)
		if len(list) != len(tt.want) {
			t.Errorf("%q %q: %v, want %q", tt.environ, tt.args, err, tt.want)
			continue
		}
		for i, e := range list {
			if !strings.Contains(e.Error(), tt.want[i]) {
				t.Errorf("%q %q: %v, want %q", tt.environ, tt.args, e, tt.want[i])
			}
		}
	}
}

// TestLines_literal: \n as two characters ends no line, wherever it stands; in quotes and behind another backslash it is meant.
func TestLines_literal(t *testing.T) {
	for _, text := range []string{
		`link web/a /etc/a\nlink web/b /etc/b`, `link web/a /etc/a\n`, `\nlink web/a /etc/a`, `validate nginx -t\nlink web/a /etc/a`,
		`link web/a /etc/a reload=none\ninput web/b`, `settle 1s\nlink web/a /etc/a`, `# mine\nlink web/a /etc/a`, `# mine\n--settle 1s`,
		`"link web/a /etc/a\nlink web/b /etc/b"`, `validate sh -c 'a'\nlink web/a /etc/a`, "link web/a /etc/a\nvalidate true\\nsettle 1s",
		`validate sh -c "a" # mine\n  input web/b`,
	} {
		for _, text := range []string{text, text + "\n", "settle 2s\n" + text} {
			_, err := parseLine([]string{"CONFIT_LINES=" + text}, "--", "app")
			if err == nil || !strings.Contains(err.Error(), `: \n is two characters here`) {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
	for _, text := range []string{
		`validate sh -c 'printf "a\nb"'`, `validate sh -c "printf 'a\\nb'"`, `validate printf a\\nb`, `# a line ends with \n`, `link web/a '/etc/a\n'`,
		`validate sh -c 'a' # \n or so`,
	} {
		if _, err := parseLine([]string{"CONFIT_LINES=link web/1 /etc/1\n" + text}, "--", "app"); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestLines_large: no limit but the kernel's.
func TestLines_large(t *testing.T) {
	c, err := parseLine([]string{"CONFIT_LINES=" + strings.Repeat("# a comment of some length\n", 50_000) + "link web/a /etc/a"}, "--", "app")
	if err != nil || len(c.Links) != 1 || c.Links[0].Where != "CONFIT_LINES:50001" {
		t.Errorf("%v: %v", c.Links, err)
	}
}

// TestLines_check: the plan names the place of the lines.
func TestLines_check(t *testing.T) {
	c, err := parseLine([]string{"CONFIT_LINES=link web/a /etc/a"}, "--volumes", t.TempDir(), "--check")
	if err != nil {
		t.Fatal(err)
	}
	var plan strings.Builder
	_ = Explain(&plan, &c, func(string) error { return errors.ErrUnsupported }, never, none)
	if !strings.Contains(plan.String(), "lines             CONFIT_LINES\n") {
		t.Errorf("it says\n%s", plan.String())
	}
}

// TestSeedFlag: pairs add up, all that is wrong is said at once, and nothing else is done.
func TestSeedFlag(t *testing.T) {
	c := mustParse(t, "/missing", nil, "--seed", "/etc/nginx=/seed/etc/nginx", "--seed=/var//a/=/seed/var/a")
	if c.Mode != Seed || len(c.Seed) != 2 || c.Seed[1].From != "/var/a" || c.Seed[1].To != "/seed/var/a" {
		t.Errorf("mode %d, %v", c.Mode, c.Seed)
	}
	_, err := parseLine([]string{"CONFIT_SEED=/a=/b"}, "--seed", "etc=/a", "--seed", "/=/b", "--seed=/a=/a/b")
	for _, want := range []string{"CONFIT_SEED: a variable can't say that: write --seed", `--seed: "etc=/a" names no two absolute paths`, `--seed: "/" is the whole image`, `--seed: "/a/b" is inside "/a"`} {
		if !strings.Contains(errorText(err), want) {
			t.Errorf("%v doesn't say %s", err, want)
		}
	}
	if _, err := parseLine(nil, "--seed", "/a=/b", "--seed", "/c=/d", "--check"); !strings.Contains(errorText(err), "--seed and --check: only one can be done") {
		t.Error(err)
	}
	if _, err := parseLine(nil, "--lines", "seed /a=/b", "--", "app"); !strings.Contains(errorText(err), `"seed" can't stand in a links file`) {
		t.Error(err)
	}
}

// TestTryFlag: a directory or stdin, on the command line alone, and nothing else beside it.
func TestTryFlag(t *testing.T) {
	dir := t.TempDir()
	links := filepath.Join(dir, "links")
	if err := os.WriteFile(links, []byte("link web/a /etc/a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for what, want := range map[string]string{"/try//a/": "/try/a", "-": ""} {
		if c := mustParse(t, links, nil, "--try", what, "--", "app", "-x"); c.Mode != Try || c.Try != want {
			t.Errorf("--try %s: mode %d, %q", what, c.Mode, c.Try)
		}
	}
	for want, args := range map[string][]string{
		"--try: an empty path: write a directory that is laid out as --volumes is": {"--try", ""},
		"--try and --check: only one can be done":                                  {"--try", "/a", "--check"},
		`links:1: "try" can't stand in a links file`:                               {"--try", "-", "--links", links},
	} {
		if strings.HasPrefix(want, "links:1") {
			_ = os.WriteFile(links, []byte("try /a\n"), 0o644)
		}
		if _, err := Parse(append([]string{"confit", "--links", links}, args...), nil); !strings.Contains(errorText(err), want) {
			t.Errorf("%q: %v\nwant %s", args, err, want)
		}
		_ = os.WriteFile(links, []byte("link web/a /etc/a\n"), 0o644)
	}
	if _, err := parseLine([]string{"CONFIT_TRY=/a"}, "--check"); !strings.Contains(errorText(err), "CONFIT_TRY: a variable can't say that: write --try") {
		t.Error(err)
	}
	if _, err := parseLine([]string{"CONFIT_TRIAL_RUN=1"}, "--links", links, "--check"); err != nil { // a hook of a try may run confit
		t.Error(err)
	}
}
