package confit

import (
	"strings"
	"testing"
	"time"
)

// neverExecutes is a script that could execute something, and stays: it is the app. It says which edition it has read.
const neverExecutes = `[ -z "$NEVER" ] || exec true
trap 'exit 7' TERM
echo "read $(cat etc/app/text)"
while :; do sleep 0.05; done`

// newNever is a setup whose app is such a script, and of which a former container has accepted "first".
func newNever(t *testing.T, script string) (e *scripted, argv []string) {
	t.Helper()
	e, _ = newWaiting(t)
	argv = []string{"bash", e.write(e.path("start.sh"), script)}
	flags := e.flags
	e.flag("--probation", "0s") // which waits for no beginning
	e.accept(argv...)
	e.flags = flags
	return e, argv
}

// That the edit waits is said at once, for which program, until when and what to do.
func TestEntry_never(t *testing.T) {
	t.Parallel()
	e, argv := newNever(t, neverExecutes)
	c := e.start(argv...)
	c.Says("read first", 1)
	e.editWaits(c, "second")
	said := c.logs("edit waits for the app's entrypoint", 1)
	longest, err := time.ParseDuration(said["longest"])
	if err != nil || longest < 20*time.Minute || longest > 30*time.Minute || said["level"] != "INFO" || said["hash"] == "" ||
		!strings.Contains(said["todo"], "--entrypoint-timeout 0") {
		t.Errorf("said %v", said)
	}
	c.tells(0, "until when it waits", func(r report) bool {
		return r.App.Entrypoint.Until.After(time.Now().Add(20*time.Minute)) && r.PendingSince != nil
	})
	asked{c, false}.want("--status=text", 0, true, "start.sh")
	c.wantLogged("app started", 1)
}

// A script that has outlasted its time isn't waited for again in this container: neither by an edit, nor by the proof of one.
func TestEntry_outlasts(t *testing.T) {
	t.Parallel()
	e, argv := newNever(t, neverExecutes)
	e.flag("--entrypoint-timeout", "12s")
	c := e.start(argv...)
	c.Says("read first", 1)
	e.editWaits(c, "second")
	c.Says("read second", 1)
	c.accepts(1)
	e.web.swap(keys{"text": "third"})
	c.Says("read third", 1)
	c.accepts(2)
	c.wantLogged("app has not begun in time: its entrypoint is no longer waited for", 1)
	c.wantLogged("edit waits for the app's entrypoint", 1)
}

// hostScript waits for what the edit names, as for a host.
const hostScript = `rm -f up
until [ -e "$(cat etc/app/text)" ]; do sleep 0.05; done
touch up
exec `

// newHost is a container whose app has begun on "first". Nothing else is there.
func newHost(t *testing.T, lines ...string) (*scripted, *confit) {
	t.Helper()
	e := newEntry(t, append(lines, "reload restart")...)
	e.write(e.path("first"), "")
	e.web.swap(keys{"text": "first"})
	c := e.start("bash", e.write(e.path("start.sh"), hostScript+e.app()))
	c.accepts(1)
	c.Says("read first", 1)
	return e, c
}

// A later start has ten seconds. Then verify takes an edit back whose script waits for ever.
func TestEntry_later_verified(t *testing.T) {
	t.Parallel()
	e, c := newHost(t, "verify test -e up", "verify-timeout 3s")
	e.web.swap(keys{"text": "nowhere"})
	c.wantOutlasted("10s")
	c.wantRejected("verify", 1)
	c.wantRolledBack(1, "1")
	c.Says("read first", 2)
}

// Where nothing verifies, somebody reverts it.
func TestEntry_later_reverted(t *testing.T) {
	t.Parallel()
	e, c := newHost(t)
	e.web.swap(keys{"text": "nowhere"})
	c.logs("app started", 2)
	e.web.swap(keys{"text": "first"})
	c.wantOutlasted("10s")
	c.Says("read first", 2)
	c.tells(0, "what is in force", report.quiet)
}

// wantOutlasted waits until confit no longer waits for the script, and checks how long that was.
func (c *confit) wantOutlasted(waited string) {
	c.t.Helper()
	said := c.logs("app has not begun in time: its entrypoint is no longer waited for", 1)
	if whole, err := time.ParseDuration(said["waited"]); err != nil || whole.Truncate(time.Second).String() != waited {
		c.t.Errorf("said %v, want that it waited %s", said, waited)
	}
}
