package confit

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// nginx replaces itself at USR2, WINCH and QUIT, as its manual has it (Upgrading Executable on the Fly). The new master is the
// old one's child, and PID 1's once the old one is gone. It becomes the app: the next swap reloads it.
func TestAdopt_nginx_upgrade(t *testing.T) {
	t.Parallel()
	s := newNginx(t)
	web := s.volume("web")
	s.flag("--adopt", "--stop-signal", "QUIT")
	web.swap(s.site("conf.d", page("a", "first")))
	// Not in the foreground: there nginx takes an unchanged parent for an upgrade that is under way, and ignores USR2. So
	// the first to be adopted is the daemon itself, when the process that was started ends.
	path, err := exec.LookPath("nginx") // nginx executes what its first argument says
	if err != nil {
		t.Fatal(err)
	}
	c := s.start(path, "-e", "stderr", "-c", s.target("nginx.conf"))
	c.serves("a", "first")
	old := c.logs("app adopted", 1)["pid"]
	for round := 1; round <= 2; round++ { // the successor can have a successor
		c.Signal(syscall.SIGUSR2)
		c.Eventually("a second master", func() bool { return len(c.running("nginx: master")) == 2 })
		// It has to learn who its parent is: when that is gone before, it takes PID 1 for it, and ignores the next USR2.
		c.Eventually("that it has begun", func() bool { return len(c.Lines("using inherited sockets")) == round })
		c.Signal(syscall.SIGWINCH)
		c.Signal(syscall.SIGQUIT)
		successor := c.logs("app adopted", round+1)["pid"]
		if successor == old {
			t.Errorf("process %s was adopted in its own place", successor)
		}
		old = successor
		text := fmt.Sprintf("swap %d", round)
		web.swap(s.site("conf.d", page("a", text)))
		c.serves("a", text)
		if reloaded := c.logs("app reloaded", round)["pid"]; reloaded != successor {
			t.Errorf("process %s was reloaded, the app is %s", reloaded, successor)
		}
	}
	c.stops(0)
}

// A supervisor that starts its successor and ends once that is there, as fluentd does at USR2 from 1.18 on.
const successor = `
if [ "$1" = successor ]; then echo successor; : >$0.up; trap 'echo reloaded' HUP; trap 'exit 9' TERM; while :; do sleep 0.05; done; fi
trap 'setsid sh $0 successor & until [ -e $0.up ]; do sleep 0.05; done; exit 0' USR2; echo ready; while :; do sleep 0.05; done`

// Without --adopt the end of the first is the end of all.
func TestAdopt_successor(t *testing.T) {
	t.Parallel()
	for _, adopt := range []bool{true, false} {
		t.Run(fmt.Sprint(adopt), func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			web := s.volume("web")
			s.line("link web/a %s", s.target("a"))
			s.flag(fmt.Sprintf("--adopt=%v", adopt))
			web.swap(keys{"a": "first"})
			c := s.start("sh", s.write(s.path("daemon"), successor))
			c.Says("ready", 1)
			c.Signal(syscall.SIGUSR2)
			c.Says("successor", 1)
			if !adopt {
				c.Ends(0)
				return
			}
			c.logs("app adopted", 1)
			web.swap(keys{"a": "second"})
			c.Says("reloaded", 1)
			c.stops(9)
		})
	}
}

// A successor that stays in the group of the app before it isn't a leader. --signal-group reaches it all the same.
func TestAdopt_signal_group(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	web := s.volume("web")
	s.line("link web/a %s", s.target("a"))
	s.flag("--adopt", "--signal-group")
	web.swap(keys{"a": "first"})
	c := s.start("sh", s.write(s.path("daemon"), strings.Replace(successor, "setsid ", "", 1)))
	c.Says("ready", 1)
	c.Signal(syscall.SIGUSR2)
	c.Says("successor", 1)
	c.logs("app adopted", 1)
	web.swap(keys{"a": "second"})
	c.Says("reloaded", 1)
	c.stops(9)
}

// twins are an app and a process that could be its successor. Both end when nobody holds their gate open for writing any more,
// the successor a little later. A crowd of the same program has to be reaped with them.
const twins = `exec 4<"$1"; if [ "$2" = successor ]; then echo successor; read x <&4; sleep $3; exit 9; fi
i=0; while [ $i -lt 100 ]; do (read x <&4) & i=$((i+1)); done
sh "$0" "$1" successor $2 & echo ready; read x <&4; exit 3`

const twinRounds = 30

// A successor may end in the same moment as the app. Then it is none, or it is the app for that moment: confit ends with the code
// of one of them, and never waits for a process that is gone.
func TestPID1_adopt_a_dying_successor(t *testing.T) {
	t.Parallel()
	codes := map[int]int{}
	for round := range twinRounds {
		s := newExit(t)
		s.flag("--adopt")
		path := s.path("gate")
		if err := syscall.Mkfifo(path, 0o666); err != nil {
			t.Fatal(err)
		}
		gate, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		c := s.start("sh", s.write(s.path("daemon"), twins), path, fmt.Sprintf("0.%03d", round))
		c.Says("ready", 1)
		c.Says("successor", 1)
		gate.Close()
		harness.Eventually(t, fmt.Sprintf("the end of round %d", round), func() bool { return !c.Alive() })
		codes[c.State().ExitCode()]++
	}
	if codes[1]+codes[3]+codes[9] != twinRounds {
		t.Errorf("exit codes %v, want 1, 3 or 9", codes)
	}
}
