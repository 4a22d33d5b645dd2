package confit

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// The life of a configuration: good, bad, reverted, fixed. The three hashes show at each step which one it is, the last
// rejection stays on record, and the counters count.
func TestDrift_life(t *testing.T) {
	t.Parallel()
	s, web := newChecked(t)
	s.line("probation 0")
	good := keys{"text": "first", "check": "exit 0"}
	web.swap(good)
	c := s.start(app("-print", s.target("text"))...)
	c.Says("ready", 1)
	first := c.reports("quiet, with the keys", func(r report) bool { return r.quiet() && r.Keys["web/text"] == sum("first") })
	c.wantWhole(first, web, good)

	web.swap(keys{"text": "hunter2", "check": "echo not good enough; exit 3"})
	bad := c.reports("rejected", report.refused)
	if r := bad.Rejection; r.Step != "validate" || r.Reason == "" || r.Output != "not good enough\n" || r.Attempts != 1 || r.NextTry == nil {
		t.Errorf("the rejection is %+v", r)
	}
	if bad.Live != first.Live || bad.Accepted != first.Accepted || bad.Candidate.Hash != "" || bad.PendingSince != nil {
		t.Errorf("while it is rejected the status is %s", bad.text)
	}

	web.swap(good)
	reverted := c.reports("reverted", report.quiet)
	if reverted.Live != first.Live || reverted.Rejection.Hash != bad.Rejection.Hash || reverted.Rejection.NextTry != nil {
		t.Errorf("after it was reverted the status is %s", reverted.text)
	}

	web.swap(keys{"text": "second", "check": "exit 0"})
	fixed := c.reports("fixed", func(r report) bool {
		return r.quiet() && r.Live.Generation > first.Live.Generation && r.Keys["web/text"] == sum("second")
	})
	if n := fixed.Counters; n.Reloads != 1 || n.Rejections != 1 || n.RollBacks != 0 || n.Swaps < first.Counters.Swaps+3 {
		t.Errorf("counted %+v, at first %+v", n, first.Counters)
	}
	for _, r := range []report{first, bad, reverted, fixed} {
		if strings.Contains(r.text, "hunter2") || strings.Contains(r.text, "exit 0") {
			t.Errorf("the status holds the value of a key: %s", r.text)
		}
	}

	c.stops(0)
	if last := s.report(); last.Phase != "done" || last.App.PID != 0 || last.App.LastExit == nil || last.App.LastExit.Status != "exit 0" {
		t.Errorf("the last words are %s", last.text)
	}
}

// wantWhole checks what a status says of the app, the volume and its keys.
func (c *confit) wantWhole(r report, web *volume, k keys) {
	c.t.Helper()
	if p := c.find(programs.app); r.App.PID != p.Inner || r.App.Restarts != 0 || r.App.LastExit != nil {
		c.t.Errorf("the app is %+v, its process %+v", r.App, p)
	}
	data, err := os.Readlink(filepath.Join(web.dir, "..data"))
	if err != nil {
		c.t.Fatal(err)
	}
	if len(r.Volumes) != 1 || r.Volumes[0].Path != web.dir || r.Volumes[0].Kind != "atomic" ||
		r.Volumes[0].Watched != "inotify" || r.Volumes[0].Mounted != data {
		c.t.Errorf("the volumes are %+v, want %s, whose ..data is %s", r.Volumes, web.dir, data)
	}
	want := map[string]string{}
	for name, text := range k {
		want["web/"+name] = sum(text)
	}
	if !reflect.DeepEqual(r.Keys, want) {
		c.t.Errorf("the keys are %v, want %v", r.Keys, want)
	}
	if len(r.Live.Hash) != 64 || !c.Contains("hash="+r.Live.Hash[:12]) {
		c.t.Errorf("the log doesn't tell of the hash %s", r.Live.Hash)
	}
}

// While a slow validator runs, the change has an age and is a candidate. That is no reason for an alarm, and neither is the next
// swap, which comes in after a rejection.
func TestDrift_pending(t *testing.T) {
	t.Parallel()
	s, web := newChecked(t)
	web.swap(keys{"text": "first", "check": "exit 0"})
	c := s.start(app()...)
	c.Says("ready", 1)
	first := c.reports("quiet", report.quiet)
	gate := s.path("gate")
	slow := fmt.Sprintf("while ! [ -e %s ]; do sleep 0.01; done; rm %s; exit ", gate, gate)
	for _, code := range []string{"1", "0"} {
		web.swap(keys{"text": "slow" + code, "check": slow + code})
		pending := c.reports("pending", func(r report) bool { return r.Phase == "validating" })
		if r := pending; r.code != 0 || r.PendingSince == nil || r.PendingSince.Before(first.Mounted.Since) || r.Live != first.Live ||
			r.Candidate.Hash == "" || r.Candidate.Hash != r.Mounted.Hash || r.Candidate.Hash == first.Live.Hash {
			t.Errorf("exit code %d while it is validated: %s", r.code, r.text)
		}
		s.write(gate, "")
		if code == "1" {
			c.reports("rejected", report.refused)
		} else {
			c.reports("accepted", func(r report) bool { return r.quiet() && r.Live.Hash == pending.Candidate.Hash })
		}
	}
}

// A required key is gone: what is mounted has no hash, and neither has the rejection.
func TestDrift_missing_key(t *testing.T) {
	t.Parallel()
	s, web := newChecked(t)
	web.swap(keys{"text": "first", "check": "exit 0"})
	c := s.start(app()...)
	c.Says("ready", 1)
	first := c.reports("quiet", report.quiet)
	web.swap(keys{"text": "alone"})
	r := c.reports("rejected", report.refused)
	if r.Rejection.Step != "stage" || r.Rejection.Hash != "" || r.Mounted.Hash != "" || r.Live != first.Live {
		t.Errorf("the status is %s", r.text)
	}
	if !strings.Contains(r.Rejection.Reason, "check") {
		t.Errorf("the reason %q doesn't name the key", r.Rejection.Reason)
	}
}

// A generation that was reloaded and doesn't prove itself is taken back and counted.
func TestDrift_rolled_back(t *testing.T) {
	t.Parallel()
	s, web := newReload(t, "restart")
	s.line("verify grep -qv bad %s", s.target("a"))
	s.line("verify-timeout 3s")
	s.line("probation 0")
	c := s.start(app("-print", s.target("a"))...)
	c.Says("ready", 1)
	first := c.reports("quiet", report.quiet)
	web.swap(keys{"a": "bad"})
	c.Says("read first", 2)
	r := c.reports("rolled back", func(r report) bool { return r.refused() && r.App.Restarts == 2 && r.Phase == "running" })
	if r.Rejection.Step != "verify" || r.Counters.RollBacks != 1 || r.App.LastExit == nil || r.App.LastExit.Status != "exit 0" {
		t.Errorf("the status is %s", r.text)
	}
	if r.Live.Hash != first.Live.Hash || r.Accepted != first.Accepted {
		t.Errorf("live was %+v and accepted %+v; then %s", first.Live, first.Accepted, r.text)
	}
}

// A rejection stays in the status while the candidate is tried again, whatever step that is at, until a try is accepted.
func TestDrift_tried_again(t *testing.T) {
	t.Parallel()
	s, web := newChecked(t)
	s.line("retry 100ms")
	s.line("probation 0")
	web.swap(keys{"text": "first", "check": "exit 0"})
	c := s.start(app()...)
	c.Says("ready", 1)
	c.reports("quiet", report.quiet)
	name := s.path("name") // that must be resolved, say
	web.swap(keys{"text": "second", "check": "sleep 0.1; test -e " + name})
	c.reports("rejected", report.refused)
	c.Eventually("a third try", func() bool {
		r := s.report()
		if r.code != 3 {
			t.Fatalf("exit code %d while it is tried again: %s", r.code, r.text)
		}
		return r.Rejection.Attempts >= 3
	})
	s.write(name, "")
	r := c.reports("accepted", func(r report) bool { return r.quiet() && r.Keys["web/text"] == sum("second") })
	if r.Rejection.NextTry != nil || r.Counters.Rejections < 3 {
		t.Errorf("the status is %s", r.text)
	}
}

// A change that the system refuses isn't rejected: it waits, has an age and a reason, is told by 3, and is applied when the refusal is over.
func TestDrift_trouble(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/*.conf %s/", s.target("conf.d"))
	s.line("rescan 100ms")
	s.line("probation 0")
	web := s.volume("web")
	web.swap(keys{"a.conf": "first"})
	c := s.start(app()...)
	c.Says("ready", 1)
	c.reports("quiet", report.quiet)
	inTheWay := s.mkdir("etc", "app", "conf.d", "b.conf", "full")
	web.swap(keys{"a.conf": "second", "b.conf": "new"})
	r := c.reports("trouble", func(r report) bool { return r.Trouble != "" && r.PendingSince != nil })
	if r.code != 3 || !strings.Contains(r.Trouble, s.target("conf.d/b.conf")) || r.Rejection.Step != "" {
		t.Errorf("exit code %d: %s", r.code, r.text)
	}
	if err := os.RemoveAll(filepath.Dir(inTheWay)); err != nil {
		t.Fatal(err)
	}
	c.reports("no trouble", func(r report) bool {
		return r.quiet() && r.Trouble == "" && r.Keys["web/b.conf"] == sum("new")
	})
}

// Replicas with the same keys have the same hash, whatever happened to each before.
func TestDrift_replicas(t *testing.T) {
	t.Parallel()
	hashes := map[string]bool{}
	for _, before := range []string{"same", "other"} {
		s, web := newChecked(t)
		web.swap(keys{"text": before, "check": "exit 0"})
		c := s.start(app()...)
		c.Says("ready", 1)
		c.reports("quiet", report.quiet)
		web.swap(keys{"text": "same", "check": "exit 0"})
		r := c.reports("the same keys", func(r report) bool { return r.quiet() && r.Keys["web/text"] == sum("same") })
		hashes[r.Live.Hash] = true
	}
	if len(hashes) != 1 {
		t.Errorf("the hashes are %v", hashes)
	}
}
