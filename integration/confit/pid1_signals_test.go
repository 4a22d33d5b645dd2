package confit

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// Every signal reaches the app as it is; only TERM becomes the stop signal, and the kernel's own affairs stay with confit. (PIPE
// never arrives: one that was sent can't be told from that of a closed log pipe.)
func TestSignals_forwarded(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	c := s.start(app("-exit", "QUIT=0")...)
	c.Says("ready", 1)
	for _, sig := range []syscall.Signal{
		unix.SIGHUP, unix.SIGINT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM, unix.SIGWINCH, unix.SIGCONT,
		unix.SIGVTALRM, unix.SIGIO, unix.SIGPWR, unix.SIGTRAP, 35, 50, 64,
	} {
		c.Signal(sig)
		c.Says("signal "+harness.SignalName(sig), 1)
	}
	c.Signal(unix.SIGCHLD)
	c.Signal(unix.SIGURG)
	c.Signal(unix.SIGQUIT)
	c.Ends(0)
}

// While confit starts hooks and swaps, it loses no signal, either: each that was counted before it was sent again is counted again. Of
// a burst of one real-time signal, which the kernel queues, the app gets one at least: os/signal has one place for it.
func TestSignals_beside_hooks(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	web := s.volume("web")
	s.line("link web/a %s", s.target("a"))
	s.line("validate true")
	s.line("reload exec:true")
	web.swap(keys{"a": "swap"})
	c := s.tally()
	for i := range 50 {
		if i%10 == 0 {
			web.swap(keys{"a": fmt.Sprint("swap ", i)})
		}
		c.arrive(append([]syscall.Signal{unix.SIGTERM}, through(35, 64)...)...)
	}
	for sig := syscall.Signal(35); sig <= 64; sig++ {
		before := c.counts.got[sig].Load()
		for range 50 {
			c.Signal(sig)
		}
		c.Eventually("one of the burst reaches the app", func() bool { return c.counts.got[sig].Load() > before })
	}
}

// A signal that comes before the app runs waits for it.
func TestSignals_early(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	release := s.path("release")
	s.line("validate sh -c 'until [ -e %s ]; do sleep 0.01; done'", release)
	early := []unix.Signal{unix.SIGUSR1, unix.SIGWINCH, unix.SIGHUP}
	s.box.Blocked = early[:2] // until the app has its handlers: what comes before, a Go program drops
	c := s.start(app()...)
	c.find("until")
	for _, sig := range early {
		c.Signal(sig)
	}
	s.write(release, "")
	for _, sig := range early {
		c.Says("signal "+harness.SignalName(sig), 1)
	}
	c.wantLogged("app started", 1)
	c.stops(0)
}

// confit reaps a storm of orphans: in the end there are confit and the app, and no zombie.
func TestSignals_orphans(t *testing.T) {
	t.Parallel()
	for name, under := range map[string]bool{"pid_1": false, "subreaper": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runOrphans(t, under)
		})
	}
}

func runOrphans(t *testing.T, under bool) {
	s := newExit(t)
	s.box.Under = under
	script := `i=0; while [ $i -lt 500 ]; do ( (sleep 0.0$((i % 10))) & ); i=$((i+1)); done; echo all; exec "$@"`
	c := s.start(append([]string{"sh", "-c", script, "storm"}, app()...)...)
	c.Says("all", 1)
	c.Says("ready", 1)
	left := 2
	if under {
		left = 3 // and the PID 1 above it, which collects nothing but confit
	}
	c.Eventually("confit and the app, and nothing else", func() bool { return len(c.Processes()) == left })
	c.term()
	c.Ends(0)
}

// Orphans that die while the app ends, and an app that ends at once: the exit code is the app's.
func TestSignals_exit_code_in_a_storm(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	for i := range 20 {
		code := 10 + i
		c := s.start("sh", "-c", fmt.Sprintf(`i=0; while [ $i -lt 30 ]; do ( (exit 3) & ); i=$((i+1)); done; exit %d`, code))
		c.Ends(code)
	}
}

// A swap and signals from outside at the same time: both reach the app.
func TestSignals_during_swaps(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	web := s.volume("web")
	s.line("link web/a %s", s.target("a"))
	web.swap(keys{"a": "swap 0"})
	c := s.start(app("-print", s.target("a"))...)
	c.Says("ready", 1)
	for i := 1; i <= 20; i++ {
		web.swap(keys{"a": fmt.Sprintf("swap %d", i)})
		c.Signal(unix.SIGUSR1)
		c.Says("signal USR1", i)
	}
	c.Says("read swap 20", 1)
}

// The app starts as it would without confit: its limits, environment, directory, standard input, process group and session.
func TestSignals_app_starts_as_under_exec(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.box.NoFile = 777
	s.env = append(s.env, "ONE=1", "EMPTY=")
	s.flag("--reload", "none")
	c := s.start("sh", "-c", `echo "limit $(ulimit -Sn)"; echo "directory $PWD"; tr '\0' '\n' </proc/$$/environ | sed 's/^/variable /'
		echo "leads $(cut -d' ' -f5,6 /proc/$$/stat) $$"; exec grep -E '^Sig(Blk|Ign)' /proc/self/status`)
	c.Ends(0)
	got := strings.Join(c.Texts("stdout", ""), "\n") + "\n"
	for _, want := range []string{
		"limit 777\n", "directory " + s.dir + "\n", "variable ONE=1\n", "variable EMPTY=\n",
		"SigBlk:\t0000000000000000\n", "SigIgn:\t0000000000000000\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the app sees\n%swant %q in it", got, want)
		}
	}
	if ids := strings.Fields(c.Texts("stdout", "leads ")[0])[1:]; ids[0] != ids[2] || ids[1] != ids[2] {
		t.Errorf("the app is process %s in group %s and session %s, want it to lead its own", ids[2], ids[0], ids[1])
	}
	if strings.Contains(got, "CONFIT_") {
		t.Errorf("the app has a hook's variables:\n%s", got)
	}
}

// Without a terminal nobody types fg, so a signal of job control stops nobody who doesn't catch it, as without confit. haproxy's
// worker that dies sends TTIN to the others, who would be stopped for good in the midst of their end.
func TestSignals_stop_nobody_without_a_terminal(t *testing.T) {
	t.Parallel()
	c := newExit(t).start("sh", "-c", `for s in TTIN TTOU TSTP; do sh -c 'kill -$0 $$; echo went on after $0' $s; done; kill -TTIN $$; exit 3`)
	c.Ends(3)
	for _, name := range []string{"TTIN", "TTOU", "TSTP"} {
		c.Says("went on after "+name, 1)
	}
}
