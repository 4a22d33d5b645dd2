package confit

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"confit/integration/internal/harness"

	"golang.org/x/sys/unix"
)

// The exit code is the app's own.
func TestExit_own_code(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	for _, code := range []int{0, 1, 2, 42, 64, 71, 78, 125, 126, 127, 128, 143, 254, 255} {
		c := s.start("sh", "-c", fmt.Sprintf("exit %d", code))
		c.Ends(code)
		if e := c.entries("app exited"); len(e) != 1 || e[0]["code"] != fmt.Sprint(code) {
			t.Errorf("logged %v, want code %d", e, code)
		}
	}
}

// An app that a signal ended gives 128 and the signal's number.
func TestExit_signal(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	for _, sig := range []syscall.Signal{unix.SIGTERM, unix.SIGKILL, unix.SIGSEGV, unix.SIGHUP, unix.SIGINT, unix.SIGABRT, unix.SIGPIPE, 34, 64} {
		c := s.start("sh", "-c", fmt.Sprintf("ulimit -c 0; kill -%d $$; sleep 60", sig))
		c.Ends(128 + int(sig))
	}
}

// An app that can't be started: 126 and 127, as a shell gives them. kubectl describe shows which program that was.
func TestExit_not_started(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.box.TerminationLog = s.write(s.path("termination-log"), "")
	plain := s.write(s.path("plain"), "#!/bin/sh\n")
	broken := s.write(s.path("broken"), "#!/nonexistent/interpreter\n")
	if err := os.Chmod(plain, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		app  string
		code int
	}{
		{plain, 126}, {s.dir, 126},
		{s.path("nothing"), 127}, {"no-such-program-in-path", 127}, {broken, 127},
	} {
		c := s.start(test.app)
		c.Ends(test.code)
		c.wantMention(test.app)
		if log, err := os.ReadFile(s.box.TerminationLog); err != nil || !strings.Contains(string(log), test.app) {
			t.Errorf("the termination log holds %q (%v), want %q in it", log, err, test.app)
		}
	}
}

// foreign is a program of another machine.
const foreign = "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x12\x34\x01\x00\x00\x00"

// A file that the kernel doesn't execute, and that is no script: confit says so as everybody does, in an image without a shell, too, and
// --check does before.
func TestExit_format(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"foreign": foreign, "empty": "", "archive": "PK\x03\x04\x00\n", "script": "echo hello\n"} {
		for _, shell := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/shell_%v", name, shell), func(t *testing.T) {
				t.Parallel()
				s := newExit(t)
				if !shell {
					s.box.Mounts = append(s.box.Mounts, harness.Tmpfs("/usr/bin", "")) // where /bin leads
				}
				program := s.write(s.path("program"), text)
				c := s.start(program)
				if name == "script" && shell {
					c.Ends(0)
					c.Says("hello", 1)
					return
				}
				c.Ends(126)
				said := fmt.Sprintf("cannot start %q: exec format error", program)
				c.wantMention(said)
				check := s.startCommand(append(s.command("--check", "--"), program)...)
				check.Ends(78)
				check.wantMention(said)
			})
		}
	}
}

// All mistakes of a links file are reported at once, each with file, line and word. The code is 64, and the reason is where
// `kubectl describe` finds it.
func TestExit_links_file(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.box.TerminationLog = s.write(s.path("termination-log"), "")
	s.line("lnk web/b %s", s.target("b"))
	s.line("link web/c relative/target")
	s.line("link web/d %s optinal", s.target("d"))
	s.line("rescan soon")
	s.line("# a comment")
	s.line("validate sh -c 'never closed")
	c := s.start(app()...)
	c.Ends(64)
	log, err := os.ReadFile(s.box.TerminationLog)
	if err != nil {
		t.Fatal(err)
	}
	for line, word := range map[int]string{2: "lnk", 3: "relative/target", 4: "optinal", 5: "soon", 7: ""} {
		for where, text := range map[string]string{"stderr": strings.Join(c.Texts("stderr", ""), "\n"), "the termination log": string(log)} {
			if !strings.Contains(text, fmt.Sprintf("%s:%d", s.path("links"), line)) || !strings.Contains(text, word) {
				t.Errorf("%s doesn't tell what is wrong with %q in line %d:\n%s", where, word, line, text)
			}
		}
	}
	c.wantCount("apps that ran", len(c.Texts("stdout", "")), 0)
}

// Wrong usage is 64. An unknown variable is wrong usage; the variables that Kubernetes makes for a Service aren't.
func TestExit_usage(t *testing.T) {
	tests := []struct {
		name, flag, variable string
		code                 int
		mention              string
	}{
		{"unknown_flag", "--no-such-flag", "", 64, "no-such-flag"},
		{"bad_duration", "--rescan=10", "", 64, "rescan"},
		{"bad_signal", "--stop-signal=NOPE", "", 64, "NOPE"},
		{"bad_reload", "--reload=sometimes", "", 64, "sometimes"},
		{"unknown_variable", "", "CONFIT_RESCAM=1s", 64, "CONFIT_RESCAM"},
		{"bad_variable", "", "CONFIT_RESCAN=often", 64, "often"},
		{"missing_links_file", "--links=/nonexistent/links", "", 64, "/nonexistent/links"},
		{"service_variable", "", "CONFIT_SERVICE_HOST=10.0.0.1", 0, ""},
		{"port_variable", "", "CONFIT_PORT_80_TCP=tcp://10.0.0.1:80", 0, ""},
		{"good_variable", "", "CONFIT_RESCAN=1s", 0, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newExit(t)
			if test.flag != "" {
				s.flag(test.flag)
			}
			if test.variable != "" {
				s.env = append(s.env, test.variable)
			}
			c := s.start("true")
			c.Ends(test.code)
			c.wantMention(test.mention)
		})
	}
	t.Run("no_app", func(t *testing.T) {
		t.Parallel()
		s := newExit(t)
		c := s.startCommand(s.command()...)
		c.Ends(64)
	})
}

// A flag beats a variable, which beats the links file.
func TestExit_precedence(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.line("stop-signal USR1")
	stop := func() string {
		c := s.start(app("-exit", "USR1=1,USR2=2,QUIT=3")...)
		defer c.Kill()
		c.Says("ready", 1)
		c.Signal(syscall.SIGTERM)
		return strings.TrimPrefix(c.Says("signal ", 1), "signal ")
	}
	if got := stop(); got != "USR1" {
		t.Errorf("by the links file the app is stopped by %s, want USR1", got)
	}
	s.env = append(s.env, "CONFIT_STOP_SIGNAL=USR2")
	if got := stop(); got != "USR2" {
		t.Errorf("by the variable the app is stopped by %s, want USR2", got)
	}
	s.flag("--stop-signal", "QUIT")
	if got := stop(); got != "QUIT" {
		t.Errorf("by the flag the app is stopped by %s, want QUIT", got)
	}
}

// The first configuration is rejected: the code is 78, nothing is started, the targets are as they were, and the reason is where
// `kubectl describe` finds it. Without that file it is on stderr alone.
func TestExit_first_rejected(t *testing.T) {
	tests := map[string]struct {
		k       keys
		mention string
	}{
		"by_the_validator": {keys{"a": "bad", "b": "bad"}, "not good enough"},
		"missing_key":      {keys{"a": "good"}, "b"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			s.box.TerminationLog = s.write(s.path("termination-log"), "")
			s.line("link web/a %s", s.target("a"))
			s.line("link web/b %s", s.target("b"))
			s.line("validate sh -c 'grep good {candidate}/web/a || { echo not good enough; exit 1; }'")
			s.volume("web").swap(test.k)
			image := s.write(s.target("a"), "of the image")
			before := s.tree(s.path("etc"))
			c := s.start(app()...)
			c.Ends(78)
			if log, err := os.ReadFile(s.box.TerminationLog); err != nil || !strings.Contains(string(log), test.mention) {
				t.Errorf("the termination log holds %q (%v), want %q in it", log, err, test.mention)
			}
			if after := s.tree(s.path("etc")); after != before {
				t.Errorf("%q was\n%s\nand is\n%s", image, before, after)
			}
			c.wantCount("apps that ran", len(c.Texts("stdout", "")), 0)
		})
	}
}

// The same without {candidate}: the bad one is published for the time of the check, and taken back.
func TestExit_first_rejected_published(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/a %s", s.target("a"))
	s.line("link web/b %s", s.target("b"))
	s.line("validate grep -q good %s", s.target("a"))
	s.volume("web").swap(keys{"a": "bad", "b": "bad"})
	s.write(s.target("a"), "of the image")
	before := s.tree(s.path("etc"))
	c := s.start(app()...)
	c.Ends(78)
	if after := s.tree(s.path("etc")); after != before {
		t.Errorf("the targets were\n%s\nand are\n%s", before, after)
	}
}

// The system refuses something before the app is started: 71.
func TestExit_state_in_use(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.box.TerminationLog = s.write(s.path("termination-log"), "")
	first := s.start(app()...)
	first.Says("ready", 1)
	second := s.start(app()...)
	second.Ends(71)
	second.wantMention(s.state)
	if log, err := os.ReadFile(s.box.TerminationLog); err != nil || !strings.Contains(string(log), s.state) {
		t.Errorf("the termination log holds %q (%v), want the directory in it", log, err)
	}
	if !first.Alive() {
		t.Error("the first one ended")
	}
}

func TestExit_no_volume(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/a %s", s.target("a"))
	c := s.start(app()...)
	c.Ends(78)
	c.wantMention("web")
}
