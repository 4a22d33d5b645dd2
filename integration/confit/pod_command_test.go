package confit

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runPlain runs a confit that isn't an init, so it needs no namespace.
func (s *setup) runPlain(code int, argv ...string) (stdout, stderr string) {
	s.t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	var out, errs bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = s.env, &out, &errs
	_ = cmd.Run()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		s.t.Fatalf("%q: %v, want exit code %d\n%s%s", argv, cmd.ProcessState, code, &out, &errs)
	}
	return out.String(), errs.String()
}

// --install copies the program over whatever is there, in one step, and the copy runs.
func TestCommand_install(t *testing.T) {
	for _, before := range []string{"nothing", "a file", "itself", "a symlink", "a running program"} {
		t.Run(strings.ReplaceAll(before, " ", "_"), func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			to := s.mkdir("shared") + "/confit"
			switch before {
			case "a file":
				s.write(to, "old")
			case "itself":
				s.runPlain(0, programs.confit, "--install", to)
			case "a symlink":
				s.write(s.path("elsewhere"), "kept")
				if err := os.Symlink(s.path("elsewhere"), to); err != nil {
					t.Fatal(err)
				}
			case "a running program": // ETXTBSY, if it were written in place
				s.copyFile("/bin/sleep", to)
				cmd := exec.Command(to, "7654321")
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
			}
			s.runPlain(0, programs.confit, "--install", to)
			s.wantProgram(to)
			if content, err := os.ReadFile(s.path("elsewhere")); before == "a symlink" && string(content) != "kept" {
				t.Errorf("what the symlink led to was written over: %q, %v", content, err)
			}
		})
	}
}

// wantProgram checks an installed copy: whole, executable by everybody, alone in its directory, and working.
func (s *setup) wantProgram(path string) {
	s.t.Helper()
	want, err1 := os.ReadFile(programs.confit)
	got, err2 := os.ReadFile(path)
	info, err3 := os.Lstat(path)
	if err1 != nil || err2 != nil || err3 != nil {
		s.t.Fatal(err1, err2, err3)
	}
	if !bytes.Equal(got, want) {
		s.t.Error("the copy differs")
	}
	if info.Mode() != 0o755 {
		s.t.Errorf("the copy's mode is %v, want 0755", info.Mode())
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		s.t.Errorf("beside the copy there are %v", entries)
	}
	if out, _ := s.runPlain(0, path, "--version"); !strings.HasPrefix(out, "confit ") {
		s.t.Errorf("the copy says %q", out)
	}
}

// If it can't be installed, nothing is left behind, and the message names the file.
func TestCommand_install_refused(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	for _, to := range []string{s.mkdir("directory"), s.path("nothing/confit")} {
		before := s.tree(s.dir)
		_, stderr := s.runPlain(71, programs.confit, "--install", to)
		if !strings.Contains(stderr, to) {
			t.Errorf("%q doesn't name %q", stderr, to)
		}
		if after := s.tree(s.dir); after != before {
			t.Errorf("before\n%s\nafter\n%s", before, after)
		}
	}
}

// --check parses everything, prints the plan and changes nothing; for CI, a volume need not be there.
func TestCommand_check(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/a.conf %s", s.target("a.conf"))
	s.line("link web/*.d %s/ optional reload=restart", s.target("conf.d"))
	s.line("link tls/ %s", s.target("tls"))
	s.line("validate true {candidate}")
	argv := s.command("--check")
	for _, filled := range []bool{false, true} {
		if filled {
			s.volume("web").swap(keys{"a.conf": "a", "b.d": "b"})
			s.volume("tls").swap(keys{"tls.crt": "crt"})
		}
		before := s.tree(s.dir)
		stdout, stderr := s.runPlain(0, argv...)
		for _, target := range []string{"a.conf", "conf.d", "tls"} {
			if !strings.Contains(stdout, s.target(target)) {
				t.Errorf("the plan doesn't name target %q:\n%s%s", target, stdout, stderr)
			}
		}
		if after := s.tree(s.dir); after != before {
			t.Errorf("before\n%s\nafter\n%s", before, after)
		}
	}
	s.line("link web/x relative")
	s.line("nonsense")
	_, stderr := s.runPlain(64, s.command("--check")...)
	for _, where := range []string{"links:5", "links:6"} {
		if !strings.Contains(stderr, where) {
			t.Errorf("%q doesn't name %s", stderr, where)
		}
	}
}

// --check names at once all that a start would fail of, as far as the place tells: at the build of an image nothing is mounted.
func TestCommand_check_finds(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/a.conf %s", s.target("a.conf"))
	s.line("link web/*.d %s/", s.target("conf.d"))
	s.line("validate no-such-program {candidate}")
	s.line("gate /no/such/directory/ask")
	s.line("reload exec:%s", s.target())
	s.mkdir("etc", "app", "a.conf", "full")
	check := s.command("--check", "--", "sh -c x")
	stdout, stderr := s.runPlain(78, check...)
	wantHolds(t, stdout, "note: no key was looked at")
	wantHolds(t, stdout, `links:4: gate: cannot start "/no/such/directory/ask": no such file or directory`)
	found := []string{
		`cannot link target "` + s.target("a.conf") + `": a directory that isn't empty is there`,
		`validate: cannot start "no-such-program": no such file or directory in PATH; write its path, or add it to the image`,
		`reload: cannot start "` + s.target() + `": permission denied`,
		`app: cannot start "sh -c x": no such file or directory in PATH; this is one word: remove the quotes around it`,
	}
	for _, want := range found {
		wantHolds(t, stderr, want)
	}
	s.volume("web").swap(keys{"A.conf": "a"})
	stdout, stderr = s.runPlain(78, check...)
	for _, want := range append(found, `links:1: key "a.conf" is missing`, `links:2: no key of volume`) {
		wantHolds(t, stderr, want)
	}
	if strings.Contains(stdout, "no key was looked at") {
		t.Errorf("it says %s", stdout)
	}
	s.line("nonsense")
	_, stderr = s.runPlain(64, s.command("--check", "--", "sh -c x")...)
	wantHolds(t, stderr, `links:6: "nonsense" is not known`)
	if _, stderr = s.runPlain(64, s.command("--bake")...); strings.Contains(stderr, "no-such-program") {
		t.Errorf("--bake says %s", stderr)
	}
}

func TestCommand_version_and_help(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	if stdout, stderr := s.runPlain(0, programs.confit, "--version"); !strings.HasPrefix(stdout, "confit ") || stderr != "" {
		t.Errorf("--version says %q, and on stderr %q", stdout, stderr)
	}
	stdout, stderr := s.runPlain(0, programs.confit, "--help")
	for _, flag := range []string{
		"--links", "--volumes", "--state", "--validate", "--hook-timeout", "--reload", "--settle", "--rescan", "--stop-signal",
		"--stop-timeout", "--allow-disk", "--log-format", "--log-level", "--check", "--bake", "--install", "--status", "--version", "--help",
	} {
		if !strings.Contains(stdout, flag) {
			t.Errorf("--help doesn't tell of %s", flag)
		}
	}
	if stderr != "" {
		t.Errorf("--help writes %q on stderr", stderr)
	}
}

// With --log-format json each line that confit writes is one JSON object with time, level and message.
func TestCommand_json_log(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.flag("--log-format", "json")
	c := s.start("sh", "-c", "exit 3")
	c.Ends(3)
	lines := c.Texts("stderr", "")
	if len(lines) < 3 {
		t.Errorf("only %d lines: %q", len(lines), lines)
	}
	for _, text := range lines {
		var object struct{ Time, Level, Msg string }
		if err := json.Unmarshal([]byte(text), &object); err != nil || object.Time == "" || object.Level == "" || object.Msg == "" {
			t.Errorf("%q isn't such an object (%v)", text, err)
		}
	}
}

// While it is an init, confit writes nothing of its own to stdout.
func TestCommand_silent_stdout(t *testing.T) {
	t.Parallel()
	s, web := newChecked(t)
	web.swap(keys{"text": "first", "check": "echo to stdout; exit 0"})
	c := s.start("sh", "-c", "sleep 0.1")
	c.Ends(0)
	if n := c.Size("stdout"); n != 0 {
		t.Errorf("%d bytes on stdout", n)
	}
}

// A variable of the image asks for a check, or for something else, and was left in the pod: the app is missed there.
func TestCommand_asked_by_a_variable(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/text %s", s.target("text"))
	s.env = append(s.env, "CONFIT_CHECK=true")
	if _, stderr := s.runPlain(0, s.command("--", "true")...); stderr != "confit: the app isn't started, as CONFIT_CHECK asks for something else\n" {
		t.Errorf("says %q", stderr)
	}
	if _, stderr := s.runPlain(0, s.command()...); stderr != "" {
		t.Errorf("without an app it says %q", stderr)
	}
}
