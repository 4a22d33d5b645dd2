package confit

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// newSpeaker is a setup for an app that speaks sd_notify.
func newSpeaker(t *testing.T, action, probation string) (*setup, *volume) {
	t.Helper()
	s, web := newReload(t, action)
	s.flag("--probation", probation)
	return s, web
}

// speaker is an app: a shell that runs some commands at its start and some at each HUP. Among them are say, shout and babble, so
// a child speaks all of its words.
func (s *setup) speaker(start, reload string) []string {
	return []string{"sh", "-c", fmt.Sprintf(`
for role in say shout babble; do eval "$role() { %s=$role %s \"\$@\"; }"; done
trap '%s' HUP
%s
echo ready
while :; do sleep 1 & wait $!; done
`, harness.RoleVariable, programs.app, reload, start)}
}

// speaker is the app itself: what it forks has the same command line for a moment.
func (c *confit) speaker() harness.Process {
	c.t.Helper()
	pid := c.logs("app started", 1)["pid"]
	for _, p := range c.Processes() {
		if strconv.Itoa(p.Inner) == pid {
			return p
		}
	}
	c.t.Fatalf("no process %s", pid)
	return harness.Process{}
}

// wantAccepted waits for the nth generation to be accepted, and checks why it was.
func (c *confit) wantAccepted(n int, proof string) {
	c.t.Helper()
	if e := c.logs("generation accepted", n); e["generation"] != strconv.Itoa(n) || e["proof"] != proof {
		c.t.Errorf("accepted %v, want generation %d with proof %q", e, n, proof)
	}
}

// wantStatusText waits until the status shows what the app says of itself.
func (c *confit) wantStatusText(want string) {
	c.t.Helper()
	c.reports("the app says "+want, func(r report) bool { return r.App.Text == want })
}

// READY=1 shows that the app answers, not that it can live. So the probation goes on; it is longer than any test here.
func TestNotify_ready_is_no_proof(t *testing.T) {
	t.Parallel()
	s, _ := newSpeaker(t, "signal:HUP", "1h")
	c := s.start(s.speaker("say READY=1 STATUS=started", "")...)
	c.wantStatusText("started")
	c.wantLogged("generation accepted", 0)
}

// An app that says READY=1 at each start, or after RELOADING=1 in each reload, keeps its word. The proof is that it lives.
func TestNotify_ready(t *testing.T) {
	t.Parallel()
	for name, action := range map[string]string{"reload": "signal:HUP", "restart": "restart"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newSpeaker(t, action, "100ms")
			c := s.start(s.speaker("say READY=1", "say RELOADING=1 READY=1")...)
			c.wantAccepted(1, "probation")
			for n := 2; n < 5; n++ {
				web.swap(keys{"a": fmt.Sprint("content ", n)})
				c.wantAccepted(n, "probation")
			}
			c.wantLogged("app started", map[string]int{"signal:HUP": 1, "restart": 4}[action])
		})
	}
}

// RELOADING=1 announces READY=1, which confit waits for when the probation is over. An earlier READY=1 isn't the answer: php-fpm
// repeats its own every ten seconds.
func TestNotify_announced(t *testing.T) {
	t.Parallel()
	s, web := newSpeaker(t, "signal:HUP", "5s")
	c := s.start(s.speaker("say READY=1", "say READY=1; say RELOADING=1; sleep 8; touch "+s.path("read")+"; say READY=1")...)
	c.wantAccepted(1, "probation")
	web.swap(keys{"a": "second"})
	c.wantAccepted(2, "probation")
	if _, err := os.Stat(s.path("read")); err != nil {
		t.Errorf("accepted before the app was ready: %v", err)
	}
}

// An app that dies instead of saying READY=1 was not ready.
func TestNotify_announced_and_dies(t *testing.T) {
	t.Parallel()
	s, web := newSpeaker(t, "signal:HUP", "3s") // in which it says RELOADING=1 on a busy machine, too
	c := s.start(s.speaker("say READY=1", "say RELOADING=1; sleep 3; exit 4")...)
	c.wantAccepted(1, "probation")
	web.swap(keys{"a": "second"})
	c.wantRejected("probation", 1)
	c.logs("rolled back", 1)
	c.wantLogged("app started", 2)
}

// Where a hook knows better, being ready isn't being well.
func TestNotify_verify(t *testing.T) {
	t.Parallel()
	s, _ := newSpeaker(t, "signal:HUP", "0s")
	s.flag("--verify", "test -e "+s.path("well"), "--verify-timeout", "1h")
	c := s.start(s.speaker("say READY=1 STATUS=started", "")...)
	c.wantStatusText("started")
	c.wantLogged("generation accepted", 0)
	s.write(s.path("well"), "")
	c.wantAccepted(1, "verify")
}

// The status shows what the app said last, and nothing that a terminal would act on. A confit that was killed leaves its socket
// behind, which is no obstacle.
func TestNotify_status(t *testing.T) {
	t.Parallel()
	s, _ := newSpeaker(t, "signal:HUP", "0s")
	app := s.speaker(`say READY=1 STATUS=first "STATUS=$(printf "\033[31mred")"`, "say STATUS=")
	for range 2 {
		c := s.start(app...)
		c.wantStatusText(" [31mred")
		c.signalProcess(c.speaker(), syscall.SIGHUP)
		c.wantStatusText("")
		c.Kill()
	}
}

// confit believes only the app: no hook, no shell that came in from outside, as kubectl exec makes one, nobody in another
// container. Their messages are in the socket's queue before the app's last one.
func TestNotify_stranger(t *testing.T) {
	t.Parallel()
	s, web := newSpeaker(t, "exec:./stranger", "0s")
	stranger := s.write(s.path("stranger"), fmt.Sprintf("#!/bin/sh\n"+
		"NOTIFY_SOCKET=$(cat %s) %s=shout exec %s RELOADING=1 READY=1 STATUS=stranger\n", s.path("socket"), harness.RoleVariable, programs.app))
	c := s.start(s.speaker("echo $NOTIFY_SOCKET >"+s.path("socket")+"; say READY=1 STATUS=started", "say STATUS=reloaded")...)
	c.wantStatusText("started")
	web.swap(keys{"a": "second"})
	c.logs("app reloaded", 1)
	for _, cmd := range []*exec.Cmd{exec.Command(stranger), c.Visit("-p", "-m", stranger)} {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v %s", cmd.Args, err, out)
		}
	}
	c.wantStatusText("started")
	c.signalProcess(c.speaker(), syscall.SIGHUP)
	c.wantStatusText("reloaded")
}

// A process that spoke and died at once is an orphan that confit itself reaps. It reads the message first.
func TestNotify_orphan(t *testing.T) {
	t.Parallel()
	s, _ := newSpeaker(t, "signal:HUP", "0s")
	orphan := fmt.Sprintf("n=$((n + 1)); (%s=shout exec %s STATUS=orphan$n &)", harness.RoleVariable, programs.app)
	c := s.start(s.speaker(orphan, orphan)...)
	for n := 1; n < 30; n++ {
		c.wantStatusText(fmt.Sprint("orphan", n))
		c.signalProcess(c.speaker(), syscall.SIGHUP)
	}
}

// An app that has become another user can write to the socket.
func TestNotify_other_user(t *testing.T) {
	t.Parallel()
	s, _ := newSpeaker(t, "signal:HUP", "0s")
	nobody := []string{"setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"}
	c := s.start(append(nobody, s.speaker("say READY=1 STATUS=started", "")...)...)
	c.wantStatusText("started")
}

// A process that never stops talking delays neither reloads nor the end.
func TestNotify_babble(t *testing.T) {
	t.Parallel()
	s, web := newSpeaker(t, "signal:HUP", "0s")
	c := s.start(s.speaker("babble & babble & babble &", "echo reloaded; say RELOADING=1 READY=1")...)
	c.wantAccepted(1, "none")
	web.swap(keys{"a": "second"})
	c.Says("reloaded", 1)
	c.wantAccepted(2, "none")
	c.stops(128 + int(syscall.SIGTERM))
}

// confit passes a socket that it was given on to the app, and offers none of its own.
func TestNotify_given(t *testing.T) {
	t.Parallel()
	s, _ := newReload(t, "signal:HUP")
	s.flag("--probation", "100ms")
	s.env = append(s.env, "NOTIFY_SOCKET=/run/systemd/notify")
	c := s.start(s.speaker("echo socket $NOTIFY_SOCKET", "")...)
	if said := c.Says("socket", 1); said != "socket /run/systemd/notify" {
		t.Errorf("the app says %q", said)
	}
	c.wantAccepted(1, "probation")
	sockets, err := filepath.Glob(filepath.Join(s.state, "*notify*"))
	if len(sockets) != 0 || err != nil {
		t.Errorf("there are sockets: %v, %v", sockets, err)
	}
}

// say is a part: it sends each argument to $NOTIFY_SOCKET and waits until confit has read all of them, as systemd-notify(1) does.
// It sends a descriptor as a barrier, which the receiver closes.
func say() int {
	read, write, err := os.Pipe()
	if err != nil {
		return sayFailed(err)
	}
	if err := send(unix.UnixRights(int(write.Fd())), append(os.Args[1:], "BARRIER=1")...); err != nil {
		return sayFailed(err)
	}
	write.Close()
	_, _ = io.ReadAll(read)
	return 0
}

// shout is a part: it sends each argument and leaves at once.
func shout() int {
	if err := send(nil, os.Args[1:]...); err != nil {
		return sayFailed(err)
	}
	return 0
}

// babble is a part: it never stops sending.
func babble() int {
	for {
		if err := send(nil, "STATUS=babbling", "READY=1", "nonsense"); err != nil {
			return sayFailed(err)
		}
	}
}

func sayFailed(err error) int {
	fmt.Fprintln(os.Stderr, "say:", err)
	return 1
}

// send gives the control message to the last one.
func send(control []byte, texts ...string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	to := &unix.SockaddrUnix{Name: os.Getenv("NOTIFY_SOCKET")}
	for i, text := range texts {
		var with []byte
		if i == len(texts)-1 {
			with = control
		}
		if err := unix.Sendmsg(fd, []byte(text), with, to, 0); err != nil {
			return fmt.Errorf("cannot send %q to %q: %w", text, to.Name, err)
		}
	}
	return nil
}
