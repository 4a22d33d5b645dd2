package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// never is for programs that auto doesn't restart.
func never(string) bool { return false }

// none is for words with no shell in front of the app.
func none([]string) string { return "" }

// TestSettingsAreShown: the plan has a row for each setting, whatever it is set to, and
// the log's first line for each that isn't at its default.
func TestSettingsAreShown(t *testing.T) {
	dir := t.TempDir()
	for _, s := range settingsOf(new(Config)) {
		if s.notFile {
			continue
		}
		text := s.name + " " + otherThanDefault(t, s.name) + "\n"
		c := mustParse(t, write(t, "links", text), nil, "--check", "--", "nginx", "-g", "daemon off;")
		shown := settingsOf(&c).find(s.name).show()
		var plan strings.Builder
		_ = Explain(&plan, &c, func(string) error { return nil }, never, none)
		for _, want := range []string{fmt.Sprintf("%-18s%s\n", s.name, shown), "app               nginx -g 'daemon off;'\n", "links             " + c.LinkFiles[0] + "\n"} {
			if shown == "" || !strings.Contains(plan.String(), want) {
				t.Errorf("%s: no row %q in\n%s", text, want, plan.String())
			}
		}
		logged := c.LogValue().Group()
		if len(logged) != 2 || logged[1].Key != s.name || logged[1].Value.String() != shown || logged[0].Key != "links" {
			t.Errorf("%s: logged as %v", text, logged)
		}
	}
	c := mustParse(t, write(t, "links", "settle auto\n"), nil, "--volumes", dir, "--check")
	var plan strings.Builder
	_ = Explain(&plan, &c, nil, never, none)
	if want := "settle            0 for a single ConfigMap or Secret volume, 20ms for several, else 100ms\n"; !strings.Contains(plan.String(), want) {
		t.Errorf("no row %q in\n%s", want, plan.String())
	}
}

// TestRestartsAreNoted: where an edit restarts the app, all replicas do that together
// unless something spreads them.
func TestRestartsAreNoted(t *testing.T) {
	const todo = "todo: an edit restarts the apps of all replicas within a minute"
	for text, noted := range map[string]bool{
		"link web/a /etc/a\nreload restart\n":                   true,
		"link web/a /etc/a reload=restart\nreload signal:HUP\n": true,
		"env app/a A\n": true,
		"link web/a /etc/a\n# the program is known to auto\n": true,
		"env app/a A reload=none\n":                           false,
		"link web/a /etc/a\n":                                 false,
		"link web/a /etc/a\nreload restart\nsplay 1s\n":       false,
		"link web/a /etc/a\nreload restart\ngate ask\n":       false,
		"link web/a /etc/a reload=none\nreload restart\n":     false,
		"input web/a\nreload restart\n":                       false,
	} {
		c := mustParse(t, write(t, "links", text), nil, "--check", "--", "/usr/bin/app", "-x")
		var plan strings.Builder
		_ = Explain(&plan, &c, func(string) error { return nil }, func(program string) bool {
			return program == "/usr/bin/app" && strings.Contains(text, "known to auto")
		}, none)
		if strings.Contains(plan.String(), todo) != noted {
			t.Errorf("%s: noted isn't %v in\n%s", text, noted, plan.String())
		}
	}
}

// TestShellIsNoted: a shell that only waits for the app is named, unless the user has said that the app is one.
func TestShellIsNoted(t *testing.T) {
	const note = `note: app: "sh -c" stays a shell, so it gets the app's signals, and edits of its first five minutes wait: ` +
		"write exec in front of its last command\n"
	for text, noted := range map[string]bool{"": true, "entrypoint-timeout 1m\n": true, "entrypoint-timeout 0\n": false} {
		for _, words := range [][]string{{"sh", "-c", "work && app"}, {"app", "-c", "work && app"}} {
			c := mustParse(t, write(t, "links", text), nil, append([]string{"--check", "--"}, words...)...)
			var plan strings.Builder
			_ = Explain(&plan, &c, func(string) error { return nil }, never, func(app []string) string {
				return map[string]string{"sh -c work && app": "sh -c"}[strings.Join(app, " ")]
			})
			if want := noted && words[0] == "sh"; strings.Contains(plan.String(), note) != want {
				t.Errorf("%q, %q: noted isn't %v in\n%s", text, words, want, plan.String())
			}
		}
	}
}

// TestExplainPrograms: each program that a start would need is looked up, and all
// that are missing are named at once. What a key or a volume may bring isn't missing.
func TestExplainPrograms(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := write(t, "links", strings.ReplaceAll(`link web/check DIR/etc/check
link web/tools/ DIR/etc/tools/
link web/bin/*.sh DIR/own/bin/
input web/render
render {candidate}/web/render
validate DIR/etc/check
gate DIR/volume/ask
report DIR/bin/tell
reload exec:again it
verify check
link web/a DIR/etc/a reload=exec:DIR/etc/tools/a
link web/b DIR/etc/b reload=exec:sh
`, "DIR", dir))
	args := []string{"--volumes", dir + "/volumes", "--state", dir + "/state", "--check", "--", dir + "/bin/app", "-x"}
	find := func(program string) error {
		if program == "sh" {
			return nil
		}
		return errors.New("no " + strings.TrimPrefix(program, dir))
	}
	for _, pod := range []bool{false, true} {
		var environ []string
		if pod {
			environ = []string{"KUBERNETES_SERVICE_HOST=10.0.0.1"}
		}
		c := mustParse(t, file, environ, args...)
		var out strings.Builder
		err := Explain(&out, &c, find, never, none)
		if err == nil {
			t.Fatal("nothing is missing")
		}
		if note := "note: " + file + ":7: gate: no /volume/ask\n"; strings.Contains(out.String(), note) == pod {
			t.Errorf("in a pod: %v; it says %s", pod, out.String())
		}
		for _, want := range []string{file + ":8: report: no /bin/tell", "app: no /bin/app"} {
			wantError(t, err, want)
		}
		if n := strings.Count(err.Error(), ": no /"); !pod && n != 2 || pod && n != 3 {
			t.Errorf("in a pod: %v; errors %v", pod, err)
		}
	}
}

// TestDoubts: a start names the hooks that will fail once an edit needs them, with their lines,
// wherever it runs. Its app's program isn't among them.
func TestDoubts(t *testing.T) {
	file := write(t, "links", `link web/a /etc/a reload=exec:again
link web/b /etc/b direct
gate /no/dir/ask
report tell
validate sh -c 'check {candidate}/a'
verify check
`)
	c := mustParse(t, file, []string{"CONFIT_REPORT=talk"}, "--verify", "look {candidate}/web/b", "--", "app")
	find := func(program string) error {
		if program == "sh" {
			return nil
		}
		return errors.New("no " + program)
	}
	want := []string{"CONFIT_REPORT: no talk", "--verify: no look", file + ":1: reload: no again", file + ":3: gate: no /no/dir/ask",
		file + `:5: validate: no line puts "a" into the candidate: a key that isn't direct is there by its source, write {candidate}/web/a`,
		`--verify: no line puts "web/b" into the candidate: write a line input web/b, if that is a key, and no option direct`}
	var got []string
	for _, err := range c.Doubts(find) {
		got = append(got, err.Error())
	}
	if !slices.Equal(got, want) {
		t.Errorf("doubts\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestCandidatePaths: --check fails where a path of a hook can't be in a candidate, and nowhere else.
func TestCandidatePaths(t *testing.T) {
	const lines = `link web/a /etc/a
link web/conf.d/ /etc/conf.d/
link web/n/*.conf /etc/n/
link tls/key /etc/key direct
link web/d /etc/d direct
link /abs/volume/x /etc/x
input in/t optional
`
	for path, said := range map[string]string{
		"": "", "web": "", "web/": "", "web/a": "", "web/a,{candidate}/web/conf.d/x": "", "web/conf.d": "", "web/conf.d/x/y": "", "web/n/b.conf": "",
		"abs/volume/x": "", "in/t": "", "in/t)": "", "web/$NAME": "", "web/${NAME}": "", "*/a": "", "nosuch*": "", "{a,b}": "", ".rendered/x": "", "web/a'|cat'": "",
		"web/nosuch/../a": "", "web//nosuch": "", "./nosuch": "", "web/a\t|cat": "", "web/a]": "", "web/a#": "", "web/a && test ! -e {candidate}/web/b": "",
		"tls/key": "no line puts", "tls": "no line puts", "web/d": "no line puts", "web/a:{candidate}/tls/key": "no line puts",
		"a": "no line puts", "web/b": "no line puts", "etc/a": "no line puts", "web/a.conf": "no line puts", "web/a {candidate}/nosuch": "no line puts",
	} {
		checkPath(t, lines, path, said)
		checkPath(t, lines+"link set/[12]? /etc/set/\n", path, "") // may bring whatever
	}
}

func checkPath(t *testing.T, lines, path, said string) {
	t.Helper()
	file := write(t, "links", lines+"validate sh -c \"check {candidate}/"+strings.ReplaceAll(path, "$", `\$`)+"\"\n")
	c := mustParse(t, file, nil, "--volumes", t.TempDir(), "--state", t.TempDir()+"/s", "--check")
	var out strings.Builder
	err := Explain(&out, &c, func(string) error { return nil }, never, none)
	if text := errorText(err); said == "" && err != nil || !strings.Contains(text, said) {
		t.Errorf("%q: says %q, want %q", path, text, said)
	}
}
