package confit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

const stranger = 1234

// Another container has the state directory mounted read-only, at another place, and runs as another user. confit is root, or
// nobody in a directory that is open to all, as the kubelet makes it. --status needs nothing else of confit.
func TestSidecar_other_user(t *testing.T) {
	for _, user := range []int{0, nobody} {
		t.Run(fmt.Sprintf("confit_is_%d", user), func(t *testing.T) {
			t.Parallel()
			s, web := newChecked(t)
			if err := errors.Join(os.Chmod(s.mkdir("state"), 0o777), os.Chmod(s.mkdir("etc", "app"), 0o777)); err != nil {
				t.Fatal(err)
			}
			s.box.UID = user
			web.swap(keys{"text": "first", "check": "exit 0"})
			c := s.start(app("-print", s.target("text"))...)
			c.Says("ready", 1)
			c.reports("quiet", report.quiet)
			s.sidecar(0)
			web.swap(keys{"text": "bad", "check": "exit 1"})
			c.reports("rejected", report.refused)
			s.sidecar(3)
			if r := s.report(); r.Rejection.Step != "validate" {
				t.Errorf("the status is %s", r.text)
			}
		})
	}
}

// sidecar asks for the status in another container.
func (s *setup) sidecar(code int) {
	s.t.Helper()
	beside := *s
	beside.state = s.mkdir("elsewhere", "confit-state")
	beside.box = harness.Box{
		Mounts: []harness.Mount{harness.Bind(s.state, beside.state), harness.ReadOnly(beside.state)}, UID: stranger,
	}
	c := beside.startCommand(programs.confit, "--status=json", "--state", beside.state)
	c.Ends(code)
	if text := strings.Join(c.Texts("stdout", ""), "\n"); !json.Valid([]byte(text)) {
		s.t.Errorf("the sidecar reads %q", text)
	}
}

// Two hundred swaps, good and bad, while a reader that never pauses reads the file itself. Each time it finds one whole status,
// and none that is older than the one before.
func TestSidecar_reads_whole(t *testing.T) {
	t.Parallel()
	s, web := newChecked(t)
	s.line("probation 0")
	web.swap(keys{"text": "0", "check": "exit 0"})
	c := s.start(app()...)
	c.Says("ready", 1)
	c.reports("quiet", report.quiet)
	reading, stop := context.WithCancel(t.Context())
	readings := make(chan error, 1)
	go func() { readings <- readOn(reading, filepath.Join(s.state, "status.json")) }()
	for n := 1; n <= 200; n++ {
		web.swap(keys{"text": fmt.Sprint(n), "check": fmt.Sprint("exit ", n%2)})
	}
	last := c.reports("the last swap", func(r report) bool { return r.quiet() && r.Keys["web/text"] == sum("200") })
	stop()
	if err := <-readings; err != nil {
		t.Error(err)
	}
	if n := last.Counters; n.Swaps < 1 || n.Reloads < 1 || n.Reloads > 200 || n.Rejections > 200 {
		t.Errorf("counted %+v", n)
	}
	s.wantNothingTemporary()
}

// readOn reads a status again and again until it is told to stop.
func readOn(reading context.Context, path string) error {
	for before := (report{}); reading.Err() == nil; {
		var now report
		text, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(text, &now)
		}
		if err != nil {
			return fmt.Errorf("read %q: %w", text, err)
		}
		if now.Counters.Swaps < before.Counters.Swaps || now.Live.Generation < before.Live.Generation {
			return fmt.Errorf("%s\ncame after %+v", text, before)
		}
		before = now
	}
	return nil
}

func (s *setup) wantNothingTemporary() {
	s.t.Helper()
	harness.Eventually(s.t, "nothing temporary in the state directory", func() bool { // confit may be writing something
		entries, err := os.ReadDir(s.state)
		return err == nil && !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.Contains(e.Name(), "tmp") })
	})
}

// The status can't be written: confit logs that once, the app and its reloads go on, and the next transition writes it when it
// can be written again.
func TestSidecar_not_written(t *testing.T) {
	t.Parallel()
	s, web := newChecked(t)
	s.line("probation 0")
	inTheWay := s.mkdir("state", "status.json")
	s.box.Mounts = append(s.box.Mounts, harness.Tmpfs(inTheWay, "")) // else it is moved aside
	web.swap(keys{"text": "first", "check": "exit 0"})
	c := s.start(app("-print", s.target("text"))...)
	c.Says("ready", 1)
	for n, text := range []string{"second", "third"} {
		web.swap(keys{"text": text, "check": "exit 0"})
		c.Says("read "+text, 1)
		c.logs("generation accepted", n+1)
	}
	c.wantLogged("status not written", 1)
	if out, err := c.Visit("-m", "umount", inTheWay).CombinedOutput(); err != nil {
		t.Fatalf("cannot unmount: %v: %s", err, out)
	}
	web.swap(keys{"text": "fourth", "check": "exit 0"})
	c.reports("written again", func(r report) bool { return r.quiet() && r.Keys["web/text"] == sum("fourth") })
	s.wantNothingTemporary()
}

// A confit that was killed leaves its status; the next one on the same directory replaces it, and counts from 0.
func TestSidecar_outlives(t *testing.T) {
	t.Parallel()
	s, web := newChecked(t)
	web.swap(keys{"text": "first", "check": "exit 0"})
	c := s.start(app()...)
	c.Says("ready", 1)
	c.reports("quiet", report.quiet)
	web.swap(keys{"text": "bad", "check": "exit 1"})
	c.reports("rejected", report.refused)
	c.Signal(syscall.SIGSTOP) // it writes nothing any more
	c.Eventually("confit is stopped", func() bool { return c.stopped() == 1 })
	bad := s.report()
	c.Kill()
	if r := s.report(); r.text != bad.text || !r.refused() {
		t.Errorf("after the end the status is %s", r.text)
	}
	web.swap(keys{"text": "second", "check": "exit 0"})
	next := s.start(app()...)
	next.Says("ready", 1)
	r := next.reports("replaced", func(r report) bool { return r.quiet() && r.Keys["web/text"] == sum("second") })
	if r.Rejection.Hash != "" || r.Counters.Rejections != 0 {
		t.Errorf("the next confit tells of the former's rejections: %s", r.text)
	}
	next.stops(0)
}

// The first configuration is rejected: confit leaves with 78, and a status that says why.
func TestSidecar_first_rejected(t *testing.T) {
	t.Parallel()
	s, web := newChecked(t)
	web.swap(keys{"text": "bad", "check": "echo not good enough; exit 1"})
	c := s.start(app()...)
	c.Ends(78)
	r := s.report()
	if r.code != 3 || r.Phase != "done" || r.Live.Hash != "" || r.Rejection.Step != "validate" || r.Rejection.Output != "not good enough\n" {
		t.Errorf("exit code %d: %s", r.code, r.text)
	}
}
