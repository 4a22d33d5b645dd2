package config

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata anew, to be read before it is committed")

// oneLink is a links file without an error.
const oneLink = "link web/a.conf /etc/a.conf\n"

// write makes a file in a fresh directory.
func write(t testing.TB, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	writeFile(t, file, text)
	return file
}

func writeFile(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// parse reads a command line, with --links FILE in front of it.
func parse(t testing.TB, file string, environ []string, args ...string) (Config, error) {
	t.Helper()
	return Parse(slices.Concat([]string{"confit", "--links", file}, args), environ)
}

// mustParse is parse where nothing may be wrong.
func mustParse(t testing.TB, file string, environ []string, args ...string) Config {
	t.Helper()
	c, err := parse(t, file, environ, args...)
	if err != nil {
		t.Fatalf("%q with %q: %v", args, environ, err)
	}
	return c
}

// flatten takes joined errors apart.
func flatten(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		if err == nil {
			return nil
		}
		return []error{err}
	}
	var list []error
	for _, e := range joined.Unwrap() {
		list = append(list, flatten(e)...)
	}
	return list
}

// wantError looks for one error among those that were joined, as a whole.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if !slices.ContainsFunc(flatten(err), func(e error) bool { return e.Error() == want }) {
		t.Errorf("want the error\n%s\ngot\n%v", want, err)
	}
}

// wantOnly is wantError where nothing else may be wrong.
func wantOnly(t *testing.T, err error, want string) {
	t.Helper()
	if list := flatten(err); len(list) != 1 || list[0].Error() != want {
		t.Errorf("want the one error\n%s\ngot\n%v", want, err)
	}
}

func TestFlatten(t *testing.T) {
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
	if got := flatten(errors.Join(a, errors.Join(b, nil, c))); !slices.Equal(got, []error{a, b, c}) {
		t.Errorf("got %v", got)
	}
}

// TestModes: what each mode needs. Only Run needs an app; Install, Status, Help and
// Version need no links file.
func TestModes(t *testing.T) {
	file := write(t, "links", oneLink)
	for _, tt := range []struct {
		args string
		env  []string
		want Mode
	}{
		{args: "--links " + file + " -- app", want: Run},
		{args: "--links " + file + " --check", want: Check},
		{args: "--links " + file + " --bake", want: Bake},
		{args: "--links " + file, env: []string{"CONFIT_CHECK=true"}, want: Check},
		{args: "--links " + file, env: []string{"CONFIT_BAKE=1"}, want: Bake},
		{args: "--links " + file + " --check=false -- app", env: []string{"CONFIT_CHECK=true"}, want: Run},
		{args: "--links " + file + " --bake=false -- app", env: []string{"CONFIT_BAKE=true"}, want: Run},
		{args: "--links " + file + " --check", env: []string{"CONFIT_BAKE=true"}, want: Check},
		{args: "--links " + file + " --install= -- app", env: []string{"CONFIT_INSTALL=/x"}, want: Run},
		{args: "--links " + file + " -- app", env: []string{"CONFIT_INSTALL="}, want: Run},
		{args: "--links /missing --install /x/confit", want: Install},
		{args: "--links /missing", env: []string{"CONFIT_INSTALL=/x/confit"}, want: Install},
		{args: "--links /missing --status", want: Status},
		{args: "--links " + file, env: []string{"CONFIT_STATUS=true"}, want: Status},
		{args: "--links " + file + " --status=false -- app", env: []string{"CONFIT_STATUS=true"}, want: Run},
		{args: "--links /missing --help", want: Help},
		{args: "--links /missing -h", want: Help},
		{args: "--links /missing --version", want: Version},
		{args: "--help --settle=soon", want: Help}, // whatever else is wrong
	} {
		c, err := Parse(append([]string{"confit"}, strings.Fields(tt.args)...), tt.env)
		if err != nil || c.Mode != tt.want {
			t.Errorf("%s with %q: mode %d, want %d; error %v", tt.args, tt.env, c.Mode, tt.want, err)
		}
	}
}

// TestStatusForm: a status is text unless a machine asks for json. A form is no word
// of its own, as it would be an app.
func TestStatusForm(t *testing.T) {
	for _, tt := range []struct {
		args, env string
		json      bool
	}{
		{args: "--status"},
		{args: "--status=true"},
		{args: "--status=text"},
		{args: "--status=json", json: true},
		{args: "--status=json --status"},
		{env: "CONFIT_STATUS=true"},
		{env: "CONFIT_STATUS=json", json: true},
		{args: "--status=json", env: "CONFIT_STATUS=text", json: true},
		{args: "--status", env: "CONFIT_STATUS=json"},
		{args: "--status=json -- app", json: true},
	} {
		c := mustParse(t, "/missing", []string{tt.env}, strings.Fields(tt.args)...)
		if c.Mode != Status || c.StatusJSON != tt.json {
			t.Errorf("%+v: mode %d, json %v", tt, c.Mode, c.StatusJSON)
		}
	}
	for words, want := range map[string]string{
		"--status=xml":  `--status: "xml" is no form of a status: write json or text`,
		"--status text": `--status: "text" is a word of its own: write --status=text`,
	} {
		_, err := parse(t, "/missing", nil, strings.Fields(words)...)
		wantError(t, err, want)
	}
}

// TestStatusState: --status finds its directory by the usual precedence. Nothing
// else in a links file matters, not even what is wrong with it.
func TestStatusState(t *testing.T) {
	for _, tt := range []struct{ file, env, line, want string }{
		{want: "/run/confit"},
		{file: "state /file\n", want: "/file"},
		{file: "lnik\nstate /file\nlink a b\nrescan never\n'", want: "/file"},
		{file: "state /file\n", env: "/env", want: "/env"},
		{file: "state /file\n", env: "/env", line: "/line", want: "/line"},
	} {
		environ, args := []string{}, []string{"--status", "--settle=soon"}
		if tt.env != "" {
			environ = append(environ, "CONFIT_STATE="+tt.env)
		}
		if tt.line != "" {
			args = append(args, "--state", tt.line)
		}
		if c := mustParse(t, write(t, "links", tt.file), environ, args...); c.linker.State != tt.want {
			t.Errorf("%+v: looks in %q", tt, c.linker.State)
		}
	}
	_, err := parse(t, "/missing", []string{"CONFIT_STATUS_=1"}, "--status", "--state=")
	wantError(t, err, `--state: an empty path: write a directory such as /run/confit`)
	if n := len(flatten(err)); n != 2 {
		t.Errorf("%d errors: %v", n, err)
	}
}

// TestUnsetInstall: a variable that a manifest leaves empty asks for nothing, and
// the app keeps its links.
func TestUnsetInstall(t *testing.T) {
	c := mustParse(t, write(t, "links", oneLink), []string{"CONFIT_INSTALL="}, "--", "app")
	if c.Mode != Run || len(c.Links) != 1 {
		t.Errorf("mode %d, %d links", c.Mode, len(c.Links))
	}
}

// TestLogSettingsOutliveErrors: even a refused command line says how to log, so
// that the refusal can be logged.
func TestLogSettingsOutliveErrors(t *testing.T) {
	c, err := parse(t, "/missing", nil, "--log-format=json", "--settle=soon", "--", "app")
	if err == nil || !c.LogJSON {
		t.Errorf("json %v, error %v", c.LogJSON, err)
	}
}
