package confit

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// A report that isn't taken is tried again, also by the next confit, and no gate is asked meanwhile. In the end it was told once.
func TestReport_fails(t *testing.T) {
	t.Parallel()
	g := newGated(t)
	c := g.start()
	c.Says("read first", 1)
	g.write(g.path("deaf"), "")
	g.answer("second", "exit 0")
	g.answer("third", "exit 0")
	g.web.swap(keys{"text": "second"})
	c.Says("read second", 1)
	c.accepts(1)
	c.logs("outcome not reported", 1)
	g.web.swap(keys{"text": "third"})
	c.tells(0, "the wait", func(st report) bool {
		return st.Phase == "gating" && st.Report.Outcome == "accepted" && !st.Report.Delivered && st.Report.Error != "" && strings.HasPrefix(st.Gate.Waits, "accepted of ")
	})
	g.tries(c, 4)
	g.reads(c, "asked second")
	c.Kill()

	g.web.swap(keys{"text": "second"})
	c = g.start()
	c.Says("read second", 1)
	g.web.swap(keys{"text": "third"})
	c.tells(0, "the wait of the next", func(st report) bool { return st.Phase == "gating" })
	g.reads(c, "asked second")
	if err := os.Remove(g.path("deaf")); err != nil {
		t.Fatal(err)
	}
	c.Says("read third", 1)
	g.reads(c, "asked second", "told second accepted, mounted", "asked third", "told third accepted, mounted")
	g.lists(c, "")
}

// The disk is full when the gate answers: what it decided is told all the same, once, and the note says nothing of it when there is room again.
func TestReport_on_a_full_disk(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.mkdir("state")
	s.box.Mounts = []harness.Mount{harness.Tmpfs(s.state, "size=512k,nr_inodes=120,mode=0755")}
	s.flag("--rescan", "300ms")
	web.swap(keys{"text": "first"})
	g := newHooks(s, web)
	c := g.startWaiting()
	f := c.filler()
	f.leaveInodes(0)
	g.answer("second", "rm answer.second; exit 1")
	c.Eventually("what the hook is told", func() bool { return len(g.diary()) >= 2 }) // a question that the note still has may be asked again
	f.release()
	g.reads(c, "asked second", "told second rejected at gate, stored", "asked second")
	note, err := os.ReadFile(c.Proc("root", s.state, "note.json"))
	if err != nil || strings.Contains(string(note), "rejected") {
		t.Errorf("the note holds %q (%v), want no outcome", note, err)
	}
}

// What the gate let through and the app dies of is told, though the app is drained meanwhile.
func TestReport_rolled_back(t *testing.T) {
	t.Parallel()
	g := newGated(t)
	g.flag("--probation", "1h")
	c := g.start()
	c.Says("ready", 1)
	g.answer("die 3", "exit 0")
	g.web.swap(keys{"text": "die 3"})
	c.wantRejected("probation", 1)
	c.Says("ready", 2)
	g.reads(c, "asked die 3", "told die 3 rolled-back at probation, stored")
}

// A report that hangs is killed after the timeout. Neither a swap nor the end waits for it, and it doesn't outlive confit.
func TestReport_hangs(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.line("report sh -c 'echo told $CONFIT_OUTCOME >&2; exec sleep 7654321'")
	web.swap(keys{"text": "first"})
	c := s.start(s.printer()...)
	c.find("sleep 7654321")
	c.Says("ready", 1)
	web.swap(keys{"text": "second"})
	c.Says("read second", 1)
	c.Signal(syscall.SIGTERM)
	c.Ends(0)
}

// The timeout of a report, and the next one after it.
func TestReport_times_out(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.line("hook-timeout 1s")
	s.line("report sh -c 'echo told $CONFIT_OUTCOME >&2; exec sleep 7654321'")
	web.swap(keys{"text": "first"})
	c := s.start(s.printer()...)
	if e := c.logs("outcome not reported", 1); !strings.HasPrefix(e["error"], `report "sh -c 'echo told `) || !strings.HasSuffix(e["error"], `" was killed after 1s`) || e["nextTry"] != "" {
		t.Errorf("logged %v", e)
	}
	c.gone("sleep 7654321")
	c.Says("ready", 1)
	web.swap(keys{"text": "second"})
	c.logs("outcome not reported", 1)
	c.Eventually("the second report", func() bool { return len(c.Texts("stderr", "told accepted")) == 2 })
}

// Without a gate each outcome is told once, with what it is about. No value of a key is in it.
func TestReport_without_a_gate(t *testing.T) {
	t.Parallel()
	s, web := newChecked(t)
	s.line("report sh -c 'echo told ${#CONFIT_HASH} $CONFIT_OUTCOME $CONFIT_STEP $CONFIT_SOURCE: $CONFIT_REASON >&2'")
	s.line("retry 100ms")
	web.swap(keys{"text": "first", "check": "exit 0"})
	c := s.start(app("-print", s.target("text"))...)
	c.Says("ready", 1)
	told := func(n int, want string) {
		t.Helper()
		c.Eventually(want, func() bool { return len(c.Texts("stderr", "told ")) >= n })
		if got := c.Texts("stderr", "told ")[n-1]; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	told(1, "told 64 accepted mounted:")
	web.swap(keys{"text": "bad", "check": "exit 3"})
	told(2, "told 64 rejected validate stored: validate \"sh {candidate}/web/check\" ended with exit 3")
	c.wantRejected("validate", 3)
	web.swap(keys{"text": "worse"})
	c.wantRejected("stage", 1+len(c.entries("candidate rejected")))
	c.Eventually("what has no hash", func() bool {
		return strings.HasPrefix(c.Texts("stderr", "told ")[len(c.Texts("stderr", "told "))-1], "told 0 rejected stage stored:")
	})
	web.swap(keys{"text": "second", "check": "exit 0"})
	told(4, "told 64 accepted mounted:")
	c.wantCount("reports", len(c.Texts("stderr", "told ")), 4)
}
