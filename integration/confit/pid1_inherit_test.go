package confit

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// surroundings sets up a process's inheritance, then runs a probe as it is, and once more as the app of a confit that takes the
// place of the shell. Its arguments are the probe and confit's command line. It is bash, as dash clears the mask of signals.
const surroundings = `set -e
umask 027
ulimit -S -n 300; ulimit -H -n 700; ulimit -c 0; ulimit -s 7000; ulimit -u 4000; ulimit -f 90000
echo 321 >/proc/self/oom_score_adj
echo 0x21 >/proc/self/coredump_filter
echo 70000 >/proc/self/timerslack_ns
cd /usr/share
exec 3</etc/hostname 5</etc/passwd 9>/dev/null
probe=$1
shift
exec nice -n 7 env %s bash -c 'bash "$0"; exec "$@" bash "$0"' "$probe" "$@"`

// probe prints it, with a single program that changes nothing of it.
const probe = `cat /proc/self/status /proc/self/limits /proc/self/oom_score_adj /proc/self/coredump_filter /proc/self/timerslack_ns
cut -d ' ' -f 18,19,40,41 /proc/self/stat
find /proc/self/fd /proc/self/cwd /proc/self/root /proc/self/ns -printf '%p %l\n'
echo end`

// The app inherits everything as if there were no confit in between: limits, priority, descriptors, and of masks what the Go runtime
// leaves: it unblocks TERM, HUP, faults and the like, in itself and in what it starts.
func TestInherit_everything(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		uid     int
		signals string // options of env(1)
	}{
		"root":                {0, ""},
		"root_with_signals":   {0, "--ignore-signal=HUP,INT --block-signal=USR1,TTIN,RTMAX"},
		"nobody":              {nobody, ""},
		"nobody_with_signals": {nobody, "--ignore-signal=HUP --block-signal=USR1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newExit(t)
			s.program, s.box.UID = programs.shipped, tt.uid
			if err := os.Chown(s.dir, tt.uid, tt.uid); err != nil {
				t.Fatal(err)
			}
			argv := []string{"/bin/bash", "-c", fmt.Sprintf(surroundings, tt.signals), "bash", s.write(s.path("probe"), probe)}
			c := s.startCommand(append(append(argv, s.command()...), "--")...)
			c.Ends(0)
			runs := strings.Split(strings.Join(c.Texts("stdout", ""), "\n"), "\nend")
			if len(runs) != 3 {
				t.Fatalf("the probe ran %d times", len(runs)-1)
			}
			compareSurroundings(t, runs[0], runs[1])
		})
	}
}

// compareSurroundings leaves out what differs between any two processes.
func compareSurroundings(t *testing.T, without, with string) {
	t.Helper()
	kept := func(text string) []string {
		return slices.DeleteFunc(strings.Split(strings.TrimSpace(text), "\n"), func(line string) bool {
			key, _, _ := strings.Cut(line, ":")
			own := []string{"Tgid", "Pid", "PPid", "NStgid", "NSpid", "NSpgid", "NSsid", "SigQ", "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches"}
			return slices.Contains(own, key) || strings.HasPrefix(key, "Vm") || strings.HasPrefix(key, "Rss") ||
				strings.HasSuffix(line, "/fd") // by which find reads
		})
	}
	want, got := kept(without), kept(with)
	if len(want) < 60 || !slices.Contains(want, "321") {
		t.Errorf("the probe saw little:\n%s", without)
	}
	for i := range max(len(want), len(got)) {
		if w, g := at(want, i), at(got, i); w != g {
			t.Errorf("the app sees %q, without confit it is %q", g, w)
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// The app gets the environment byte for byte: variables that stand in it twice, are empty, or have no =.
func TestInherit_environment(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.env = []string{"B=1", "A=2", "B=3", "=x", "no_value", "EMPTY=", "LINES=a\nb", "", "PATH=/usr/bin:/bin", "BYTES=\x01é", "PATH=/nowhere",
		"LISTEN_PID=1", "NOTIFY_SOCKET=/run/somebody/else"} // or confit would offer its own
	out := s.path("environ")
	c := s.start("cp", "/proc/self/environ", out)
	c.Ends(0)
	got, err := os.ReadFile(out)
	if want := strings.Join(s.env, "\x00") + "\x00"; err != nil || string(got) != want {
		t.Errorf("the environment is %q, %v, want %q", got, err, want)
	}
}

// A hook is started with the same signals as the app.
func TestInherit_hook(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.line("validate cp /proc/self/status %s", s.path("status"))
	env := []string{"/usr/bin/env", "--ignore-signal=HUP", "--block-signal=USR1"}
	without, err := exec.Command(env[0], append(env[1:], "cat", "/proc/self/status")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	argv := append(env, s.command()...)
	c := s.startCommand(append(argv, "--", "cat", "/proc/self/status")...)
	c.Ends(0)
	hook, err := os.ReadFile(s.path("status"))
	if err != nil {
		t.Fatal(err)
	}
	for want := range strings.Lines(string(without)) {
		if !strings.HasPrefix(want, "SigBlk:") && !strings.HasPrefix(want, "SigIgn:") {
			continue
		}
		if !strings.Contains(string(hook), want) {
			t.Errorf("the hook lacks %q:\n%s", want, hook)
		}
		c.Says(strings.TrimSpace(want), 1)
	}
}

// nohup in front of confit: HUP and INT are ignored by confit and by the app, which isn't sent them even if it has a handler. Any
// other signal reaches it, and TERM still ends it.
func TestInherit_nohup(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	argv := append([]string{"/usr/bin/env", "--ignore-signal=HUP,INT"}, s.command()...)
	script := `$| = 1; print "HUP $SIG{HUP} INT $SIG{INT}\n"; $SIG{$_} = sub { print "got $_[0]\n" } for "HUP", "INT", "USR1"; print "ready\n"; sleep 1 while 1`
	c := s.startCommand(append(argv, "--", "perl", "-e", script)...)
	c.Says("HUP IGNORE INT IGNORE", 1)
	c.Says("ready", 1)
	for _, sig := range []unix.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGUSR1} {
		c.Signal(sig)
	}
	c.Says("got USR1", 1)
	if got := c.Texts("stdout", "got "); len(got) != 1 {
		t.Errorf("the app has %q", got)
	}
	c.Signal(unix.SIGTERM)
	c.Ends(128 + int(unix.SIGTERM))
}

// Socket activation: the app has the descriptors that confit was given, in each of its lives. LISTEN_PID is confit's, and a shell
// makes it the app's, as docs/daemons.md says.
func TestInherit_socket_activation(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	web := s.volume("web")
	s.line("link web/a %s", s.target("a"))
	s.line("reload restart")
	web.swap(keys{"a": "one"})
	s.env = append(s.env, "LISTEN_FDS=1", "LISTEN_PID=1", "LISTEN_FDNAMES=web")
	script := `cat <&3; echo "$LISTEN_FDNAMES $LISTEN_FDS $LISTEN_PID $$"; exec sleep 7654321`
	with := append([]string{"/bin/sh", "-c", `exec 3<"$0"; exec "$@"`, s.write(s.path("passed"), "passed on\n")}, s.command()...)
	c := s.startCommand(append(with, "--", "sh", "-c", `LISTEN_PID=$$ exec sh -c "$0"`, script)...)
	for n := 1; n <= 2; n++ {
		fields := strings.Fields(c.Says("web 1 ", n))
		if fields[2] != fields[3] {
			t.Errorf("LISTEN_PID is %s, the app is %s", fields[2], fields[3])
		}
		web.swap(keys{"a": "two"})
	}
	c.Says("passed on", 1)
}
