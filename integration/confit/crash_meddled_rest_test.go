package confit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// wantRest waits until confit rests, and checks what others find then.
func (b *meddled) wantRest(what string) {
	b.t.Helper()
	b.asksAnew()
	why := ""
	if !harness.Poll(b.t.Context(), func() bool {
		why = b.unrest()
		return why == "" || !b.c.Alive()
	}) || !b.c.Alive() {
		b.t.Fatalf("no rest after %s: %s; the container: %v\n%s\n%s", what, why, b.c.State(), b.before.text, b.tree(b.state))
	}
	code := 0
	if b.mounted != b.accepted {
		code = 3
	}
	b.wantOthers(code)
	b.c.Eventually("rest after a second confit and a try", func() bool { return b.unrest() == "" })
}

// wantRestAfter is wantRest for what a deed leaves. What no volume has is lost: the status says so until the next edit.
func (b *meddled) wantRestAfter(d deed) {
	b.t.Helper()
	was := b.before.App
	switch b.asksAnew(); {
	case b.endsApp(d):
		harness.Eventually(b.t, "rest, a status that says what is wrong, or the end of the container", func() bool {
			return !b.c.Alive() || b.unrest() == "" || b.before.Phase == "running" && b.report().code == 3
		})
	case !b.isLost(d):
		b.wantRest(fmt.Sprintf("%q", d))
	case !b.mayRest():
		b.c.Eventually("a status that says what is lost", func() bool { return b.report().code == 3 })
	}
	if app := b.before.App; d.moment == rests && (app.PID != was.PID || app.Restarts != was.Restarts) {
		b.t.Fatalf("%q: the app was restarted", d)
	}
}

// isLost reports that a deed takes away what no volume has: rendered files, and what an edit has taken the place of.
func (b *meddled) isLost(d deed) bool {
	return !d.keepsGeneration() && (b.kind.render || d.moment == goesBack)
}

// endsApp reports that the app may have to start without what it reads: it is lost, or something is mounted over it that only the test takes
// away. Then the container may end, or an edit be refused.
func (b *meddled) endsApp(d deed) bool {
	hidden := d.way == "mounted over" && (d.name == "live" || !d.keepsGeneration())
	return b.kind.starts && d.moment != rests && (hidden || b.isLost(d))
}

// mayRest gives confit three seconds.
func (b *meddled) mayRest() bool {
	over := time.Now().Add(3 * time.Second)
	return harness.Poll(b.t.Context(), func() bool { return b.unrest() == "" || time.Now().After(over) }) && b.unrest() == ""
}

// status is what status.json holds; it is empty while there is none.
func (b *meddled) status() (r report) {
	data, _ := os.ReadFile(b.at("status.json"))
	_ = json.Unmarshal(data, &r)
	r.text = string(data)
	return r
}

// noted are the generations that the note names, in which somebody may have written.
func (b *meddled) noted() []rung {
	var note struct{ Ladder []rung }
	_ = json.Unmarshal([]byte(b.noteText()), &note)
	return note.Ladder
}

// unrest is what keeps confit from resting. "" is nothing.
func (b *meddled) unrest() string {
	r := b.status()
	b.before = r
	for _, look := range []func(report) string{b.underWay, b.untrue, b.unread, b.astray} {
		if why := look(r); why != "" {
			return why
		}
	}
	return ""
}

// underWay is what confit still has to do.
func (b *meddled) underWay(r report) string {
	now, _ := os.Readlink(filepath.Join(b.web.dir, "..data"))
	switch {
	case r.Phase != "running" || r.PendingSince != nil || r.Candidate.Hash != "":
		return "something is under way: " + r.Phase
	case len(r.Volumes) != 1 || filepath.Base(r.Volumes[0].Mounted) != now:
		return "the status isn't about what is mounted"
	case b.mounted == b.accepted && r.Mounted.Hash != r.Live.Hash:
		return "what is mounted isn't live"
	case b.mounted != b.accepted && (r.Mounted.Hash == r.Live.Hash || r.Rejection.Hash != r.Mounted.Hash):
		return "what is mounted wasn't rejected"
	case r.Damaged, r.Trouble != "", r.Stalled != nil:
		return fmt.Sprintf("damaged %v, stalled %v, trouble %q", r.Damaged, r.Stalled, r.Trouble)
	case !b.kind.starts && r.App.Restarts > 0:
		return "the app was restarted"
	}
	return ""
}

// untrue is what the status, the note and the links don't agree in.
func (b *meddled) untrue(r report) string {
	live, _ := os.Readlink(b.at("live"))
	target, _ := os.Readlink(b.target("text"))
	text, _ := os.ReadFile(b.at(live, "web/text"))
	noted := b.noted()
	switch {
	case live != "generations/"+strconv.Itoa(r.Live.Generation):
		return fmt.Sprintf("live leads to %q, and generation %d is live", live, r.Live.Generation)
	case r.Accepted.Generation != r.Live.Generation || r.Accepted.Hash != r.Live.Hash:
		return "what is live isn't accepted"
	case len(noted) == 0 || noted[0].Number != r.Accepted.Generation || noted[0].Hash != r.Accepted.Hash:
		return fmt.Sprintf("the note has %v", noted)
	case target != b.at("live/web/text"):
		return fmt.Sprintf("the target leads to %q", target)
	case string(text) != b.accepted:
		return fmt.Sprintf("%q is live, and %q accepted", text, b.accepted)
	}
	return ""
}

// askAgain is after how long the app is asked once more. It may have been about to end, or have had no socket to answer on.
const askAgain = 500 * time.Millisecond

// unread asks the app what it reads, and says what else that is. The app answers on the socket, so that stands, too.
func (b *meddled) unread(r report) string {
	question, text, _ := strings.Cut(r.App.Text, ": ")
	if question == strconv.Itoa(b.question) && text == b.accepted {
		return ""
	}
	if time.Since(b.askedAt) > askAgain {
		b.asksAnew()
		b.askedAt = time.Now()
		b.replace(b.path("question"), strconv.Itoa(b.question))
		_ = b.c.Send(unix.SIGUSR1)
	}
	return fmt.Sprintf("the app was asked %d, and says %q", b.question, r.App.Text)
}

// astray is what stands in the state directory, and shouldn't, or what doesn't, and should.
func (b *meddled) astray(r report) string {
	entries, _ := os.ReadDir(b.state)
	names := append([]string{"generations", "live", "lock", "note.json", "notify", "status.json", "targets.json"}, b.strange...)
	for _, e := range entries {
		if name := e.Name(); !slices.Contains(names, name) && !strings.HasSuffix(name, aside) && !strings.HasPrefix(name, ".confit-replaced-") {
			return "left in the state directory: " + name
		}
	}
	kept, _ := filepath.Glob(b.at("generations", "*"))
	kept = slices.DeleteFunc(kept, func(path string) bool {
		return strings.HasSuffix(path, aside) || slices.Contains(b.strange, filepath.Base(path))
	})
	if n := len(b.noted()); len(kept) < n || len(kept) > n && !b.hidden {
		return fmt.Sprintf("generations: %q", kept)
	}
	if !b.isLocked() {
		return "nobody has the lock"
	}
	return ""
}

// asksAnew has no former answer of the app count any more.
func (b *meddled) asksAnew() {
	b.question++
	b.askedAt = time.Time{}
}

// isLocked reports that confit has locked the file that others would lock: proc_locks(5).
func (b *meddled) isLocked() bool {
	info, err := os.Stat(b.at("lock"))
	if err != nil {
		return false
	}
	st := info.Sys().(*syscall.Stat_t)
	file := fmt.Sprintf(" %02x:%02x:%d ", unix.Major(st.Dev), unix.Minor(st.Dev), st.Ino)
	locks, _ := os.ReadFile("/proc/locks")
	for line := range bytes.Lines(locks) {
		if bytes.Contains(line, []byte(" FLOCK ")) && bytes.Contains(line, []byte(file)) {
			return true
		}
	}
	return false
}
