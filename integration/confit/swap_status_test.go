package confit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

// --status makes its exit code of this. --status=json prints the status as it is, or nothing.
func TestStatus_exit_code(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		code       int
		mention    string // on stderr
	}{
		{"quiet", `{"version": 1, "mounted": {"hash": "a"}, "live": {"hash": "a"}, "accepted": {"hash": "a"}}`, 0, ""},
		{"rejected", `{"version": 1, "mounted": {"hash": "b"}, "live": {"hash": "a"}, "rejection": {"hash": "b"}}`, 3, ""},
		{"pending", `{"version": 1, "mounted": {"hash": "b"}, "rejection": {"hash": "b"}, "pendingSince": "2026-11-21T10:00:00Z"}`, 0, ""},
		{"of_a_later_confit", `{"version": 1, "mounted": {"hash": "a", "colour": "blue"}, "weather": []}`, 0, ""},
		{"too_new", `{"version": 2}`, 1, "version 2"},
		{"half", `{"version": 1, "mount`, 1, "unexpected end"},
		{"not_json", "kaputt\n", 1, "invalid character"},
		{"empty", "", 1, "unexpected end"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSetup(t)
			s.write(filepath.Join(s.state, "status.json"), test.text)
			stdout, stderr := s.runPlain(test.code, programs.confit, "--status=json", "--state", s.state)
			if want := map[bool]string{true: test.text}[test.code != 1]; stdout != want {
				t.Errorf("printed %q, want %q", stdout, want)
			}
			if !strings.Contains(stderr, test.mention) || (stderr == "") != (test.mention == "") {
				t.Errorf("on stderr %q, want %q in it", stderr, test.mention)
			}
		})
	}
}

// Without a status the code is 1, and the message says where confit looked and how to look elsewhere. It finds the state
// directory as confit itself does, whatever else is wrong with the links file.
func TestStatus_none(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	for _, dir := range []string{s.state, s.path("missing"), s.write(s.path("file"), "")} {
		stdout, stderr := s.runPlain(1, programs.confit, "--status", "--state", dir)
		if stdout != "" || !strings.Contains(stderr, dir) {
			t.Errorf("printed %q, and %q, which doesn't name %q", stdout, stderr, dir)
		}
	}
	elsewhere := s.mkdir("elsewhere")
	links := s.write(s.path("links"), "lnk web/a\nstate "+elsewhere+"\n")
	if _, stderr := s.runPlain(1, programs.confit, "--status", "--links", links); !strings.Contains(stderr, elsewhere) || !strings.Contains(stderr, "--state") {
		t.Errorf("%q doesn't say that it looked in %q, or not how to look elsewhere", stderr, elsewhere)
	}
	s.runPlain(64, programs.confit, "--status", "--stat", s.state)
}

// --status is a guest in the container: it doesn't write the container's last words.
func TestStatus_no_last_words(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.box.TerminationLog = s.write(s.path("termination-log"), "of the app")
	c := s.startCommand(programs.confit, "--status", "--state", s.state)
	c.Ends(1)
	if log, err := os.ReadFile(s.box.TerminationLog); err != nil || string(log) != "of the app" {
		t.Errorf("the termination log holds %q (%v)", log, err)
	}
}

// What a full disk had no room for is written when there is room again, though nothing has changed since.
func TestStatus_disk_full(t *testing.T) {
	t.Parallel()
	s, _ := newRelinked(t)
	s.mkdir("state")
	s.box.Mounts = []harness.Mount{harness.Tmpfs(s.state, "size=256k,mode=0755")}
	c := s.start(s.printer()...)
	c.Says("ready", 1)
	written := func() string {
		text, _ := os.ReadFile(c.inside(s.state + "/status.json")) // none at first
		return string(text)
	}
	c.Eventually("a status of the app", func() bool { return strings.Contains(written(), `"phase": "running"`) })
	filler := c.filler()
	filler.leavePages(0)
	text, err := os.ReadFile(s.path("links"))
	if err != nil {
		t.Fatal(err)
	}
	s.write(s.path("links"), string(text)+"# edited\n")
	c.logs("status not written", 1)
	filler.release()
	c.Eventually("a status that tells of the links file", func() bool { return strings.Contains(written(), `"linksChanged": "`) })
}
