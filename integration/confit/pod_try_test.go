package confit

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// newTry is a setup whose validator refuses a key that holds bad, and one volume in a directory to try.
func newTry(t *testing.T) *setup {
	t.Helper()
	s := newSetup(t)
	s.line("link web/text %s", s.target("text"))
	s.line("validate sh -c '! grep -q bad {candidate}/web/text'")
	s.withFallback()
	return s
}

// withFallback gives a try one that passes: it says nothing of what is tried.
func (s *setup) withFallback() {
	s.t.Helper()
	s.line("fallback %s", s.path("fallback"))
	s.bakeFallback("from the image")
}

// inMemory makes the state directory one in memory.
func (s *setup) inMemory(options string) {
	s.t.Helper()
	s.mkdir("state")
	if err := unix.Mount("tmpfs", s.state, "tmpfs", 0, options); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = unix.Unmount(s.state, unix.MNT_DETACH) })
}

// tries lays keys out as plain volumes.
func (s *setup) tries(volume string, k keys) string {
	s.t.Helper()
	s.mkdir("try", volume)
	for name, data := range k {
		s.write(s.path("try", volume, name), data)
	}
	return s.path("try")
}

// documentOf is what a try reads on stdin.
func documentOf(volumes map[string]keys) string {
	document := map[string]map[string]string{}
	for name, k := range volumes {
		document[name] = map[string]string{}
		for key, data := range k {
			document[name][key] = base64.StdEncoding.EncodeToString([]byte(data))
		}
	}
	text, _ := json.Marshal(document)
	return string(text)
}

// tryOut is a try as the only program of a container.
func (s *setup) tryOut(code int, stdin, what string, flags ...string) *confit {
	s.t.Helper()
	argv := append(s.command("--try", what), flags...)
	c := s.run(harness.Command{Argv: append(argv, "--", "no-such-app"), Stdin: strings.NewReader(stdin)})
	c.Ends(code)
	s.wantNoTry()
	return c
}

// wantNoTry checks that nothing is left of a try, and that it made nothing else.
func (s *setup) wantNoTry() {
	s.t.Helper()
	for _, name := range []string{"try", "lock", "note.json", "status.json", "live", "generations", "targets.json", "trial"} {
		if exists(filepath.Join(s.state, name)) {
			s.t.Errorf("a try left %s:\n%s", name, s.tree(s.state))
		}
	}
	if exists(s.target()) {
		s.t.Errorf("a try made targets:\n%s", s.tree(s.target()))
	}
}

// verdict is the last line of stdout.
func (c *confit) verdict() string {
	said := c.Texts("stdout", "")
	if len(said) == 0 {
		return ""
	}
	return said[len(said)-1]
}

const passed = "candidate passed: "

// A try says what a start would, whichever way the volumes come.
func TestTry_verdicts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lines   []string
		web     keys
		code    int
		verdict string
	}{
		"good":            {nil, keys{"text": "good"}, 0, passed + "staged, validated"},
		"refused":         {nil, keys{"text": "bad"}, 78, "candidate rejected step=validate reason=\"validate \\\"sh -c '! grep -q bad {candidate}/web/text'\\\" ended with exit 1\""},
		"missing_key":     {nil, keys{"other": "x"}, 78, `candidate rejected step=stage reason="`},
		"killed":          {[]string{"validate sh -c 'sleep 7654321 & wait' {candidate}", "hook-timeout 100ms"}, keys{"text": "good"}, 78, `candidate rejected step=validate reason="validate \"sh -c 'sleep 7654321 & wait' {candidate}\" was killed after 100ms"`},
		"no_program":      {[]string{"validate no-such-program {candidate}"}, keys{"text": "good"}, 78, `candidate rejected step=validate reason="validate: cannot start \"no-such-program\"`},
		"no_validator":    {[]string{"validate ''"}, keys{"text": "bad"}, 0, passed + "staged"},
		"hook_writes":     {[]string{"validate sh -c 'chmod 600 $0 && echo x >$0' {candidate}/web/text"}, keys{"text": "good"}, 78, `candidate rejected step=hooks reason="`},
		"rendered":        {[]string{"render sh -c 'cp $CONFIT_CANDIDATE/web/text {rendered}/out'", "link {rendered}/out " + "/tmp/no/such/out"}, keys{"text": "good"}, 0, passed + "staged, rendered, validated"},
		"not_rendered":    {[]string{"render sh -c 'exit 3'"}, keys{"text": "good"}, 78, "candidate rejected step=render reason=\"render \\\"sh -c 'exit 3'\\\" ended with exit 3\""},
		"rendered_wrong":  {[]string{"render sh -c 'ln -s / {rendered}/out'"}, keys{"text": "good"}, 78, `candidate rejected step=render reason="the renderer made a symlink`},
		"variables":       {[]string{`validate sh -c '[ "$TEXT" = good ] && [ $CONFIT_TRIAL_RUN = 1 ] && [ -z "$CONFIT_ACCEPTED" ] && [ "$CONFIT_CHANGED" = web/text ]' {candidate}`, "env web/text TEXT"}, keys{"text": "good"}, 0, passed + "staged, validated"},
		"no_variable":     {[]string{"env web/text TEXT"}, keys{"text": "go\x00od"}, 78, `candidate rejected step=stage reason="key \"web/text\" can't be variable`},
		"nothing_else":    {[]string{"gate sh -c 'echo gate >>DIARY'", "report sh -c 'echo report >>DIARY'", "verify sh -c 'echo verify >>DIARY'", "reload exec:sh -c 'echo reload >>DIARY'"}, keys{"text": "good"}, 0, passed + "staged, validated"},
		"stubborn_target": {[]string{"link web/text /proc"}, keys{"text": "good"}, 71, ""},
	} {
		for _, way := range []string{"plain", "atomic", "stdin"} {
			t.Run(name+"/"+way, func(t *testing.T) {
				t.Parallel()
				s := newTry(t)
				for _, line := range test.lines {
					if strings.HasPrefix(line, "validate") {
						s.lines = s.lines[:1]
					}
					s.line("%s", strings.ReplaceAll(line, "DIARY", s.path("diary")))
				}
				var c *confit
				switch way {
				case "plain":
					c = s.tryOut(test.code, "", s.tries("web", test.web))
				case "atomic":
					newVolume(t, s.mkdir("try", "web")).swap(test.web)
					c = s.tryOut(test.code, "", s.path("try"))
				case "stdin":
					s.inMemory("")
					c = s.tryOut(test.code, documentOf(map[string]keys{"web": test.web}), "-")
				}
				if got := c.verdict(); !strings.HasPrefix(got, test.verdict) {
					t.Errorf("the verdict is %s\nwant %s", got, test.verdict)
				}
				if exists(s.path("diary")) {
					t.Error("a hook ran that has nothing to do with a try")
				}
				if len(c.Texts("stderr", "")) > 0 && test.code != 71 {
					t.Errorf("stderr: %q", c.Text("stderr"))
				}
			})
		}
	}
}

// What the directory lacks comes from what is mounted, and an empty volume of a document is one without keys.
func TestTry_takes_the_rest_from_the_mounts(t *testing.T) {
	t.Parallel()
	s := newTry(t)
	s.inMemory("")
	s.line("link tls/*.crt %s/", s.target("tls"))
	s.line("link a/b/c %s", s.target("c"))
	s.line("link a/d/e %s", s.target("e"))
	s.line("render sh -c 'cat $CONFIT_CANDIDATE/*/text $CONFIT_CANDIDATE/tls/* $CONFIT_CANDIDATE/a/*/*'")
	s.volume("web").swap(keys{"text": "mounted web\n"})
	s.volume("tls").swap(keys{"a.crt": "mounted crt\n"})
	newVolume(t, s.mkdir("volumes", "a", "b")).swap(keys{"c": "mounted c\n"})
	newVolume(t, s.mkdir("volumes", "a", "d")).swap(keys{"e": "mounted e\n"})
	for _, test := range []struct {
		volumes map[string]keys
		want    []string
	}{
		{nil, []string{"mounted web", "mounted crt", "mounted c", "mounted e"}},
		{map[string]keys{"web": {"text": "new web\n"}}, []string{"new web", "mounted crt", "mounted c", "mounted e"}},
		{map[string]keys{"tls": {"x.crt": "new x\n", "y.crt": "new y\n"}}, []string{"mounted web", "new x", "new y", "mounted c", "mounted e"}},
		{map[string]keys{"a/b": {"c": "new c\n"}}, []string{"mounted web", "mounted crt", "new c", "mounted e"}},
	} {
		c := s.tryOut(0, documentOf(test.volumes), "-")
		var got []string
		for _, line := range c.Texts("stdout", "") {
			if strings.HasPrefix(line, "mounted ") || strings.HasPrefix(line, "new ") {
				got = append(got, line)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%v: the renderer read %q, want %q", test.volumes, got, test.want)
		}
	}
	c := s.tryOut(78, documentOf(map[string]keys{"web": {}, "wbe": {"text": "x"}}), "-")
	wantHolds(t, c.Text("stdout"), `note: no line takes a key of volume "wbe"`)
	wantHolds(t, c.verdict(), `key \"text\" is missing from volume \"`+s.path("volumes", "web")+`\"`)
	if strings.Contains(c.Text("stdout"), `volume "web"`) {
		t.Error("a volume that a line takes is noted")
	}
}

// nginx itself reads what is tried, and not what is there.
func TestTry_nginx(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.inMemory("")
	s.line("link web/nginx.conf %s", s.target("nginx.conf"))
	s.line("validate nginx -t -c {candidate}/web/nginx.conf")
	for text, code := range map[string]int{"events {}\n": 0, "events {\n": 78} {
		text = "pid " + s.path("pid") + ";\nerror_log stderr;\n" + text
		c := s.tryOut(code, documentOf(map[string]keys{"web": {"nginx.conf": text}}), "-")
		if code != 0 {
			wantHolds(t, c.Text("stdout"), `unexpected end of file, expecting "}"`)
		}
	}
}

// As any user, on a root that can't be written to, with a state directory in memory.
func TestTry_read_only(t *testing.T) {
	eachUser(t, "", func(t *testing.T, s *setup) {
		s.line("link web/text %s", s.target("text"))
		s.line("validate sh -c '! grep -q bad {candidate}/web/text'")
		s.mkdir("state")
		s.box.Mounts = []harness.Mount{harness.ReadOnly("/"), harness.Tmpfs(s.state, "mode=0777")}
		for text, code := range map[string]int{"good": 0, "bad": 78} {
			argv := append(s.command("--try", "-"), "--", "app")
			c := s.run(harness.Command{Argv: argv, Stdin: strings.NewReader(documentOf(map[string]keys{"web": {"text": text}}))})
			c.Ends(code)
		}
	})
}

// Where others may write to the state directory, they can't lead a try elsewhere.
func TestTry_is_not_led_elsewhere(t *testing.T) {
	for name, put := range map[string]func(s *setup, try string) error{
		"link":    func(s *setup, try string) error { return os.Symlink(s.mkdir("elsewhere"), try) },
		"file":    func(_ *setup, try string) error { return os.WriteFile(try, nil, 0o644) },
		"foreign": func(_ *setup, try string) error { return os.Mkdir(try, 0o777) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTry(t)
			try := filepath.Join(s.mkdir("state"), "try")
			if err := put(s, try); err != nil {
				t.Fatal(err)
			}
			if name == "foreign" {
				giveAway(t, try, nobody)
			}
			before := s.tree(s.state)
			s.mkdir("elsewhere")
			c := s.run(harness.Command{Argv: s.command("--try", s.tries("web", keys{"text": "good"}))})
			c.Ends(71)
			wantHolds(t, c.Text("stderr"), `cannot trust "`+try+`": `)
			if after := s.tree(s.state); after != before {
				t.Errorf("before\n%s\nafter\n%s", before, after)
			}
			if entries, _ := os.ReadDir(s.path("elsewhere")); len(entries) > 0 {
				t.Errorf("made elsewhere: %v", entries)
			}
		})
	}
}
