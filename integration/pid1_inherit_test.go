package integration

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

// The app inherits everything as if there were no confit in between: limits, priority, masks, descriptors.
func TestInherit_everything(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		uid     int
		signals string // options of env(1)
	}{
		"root":                {0, ""},
		"root_with_signals":   {0, "--ignore-signal=HUP,INT,SEGV,TTOU,PROF,RTMIN --block-signal=TERM,QUIT,ILL,USR1,RTMAX"},
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
		"NOTIFY_SOCKET=/run/somebody/else"} // or confit would offer its own
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
	s.program = programs.shipped
	s.line("validate cp /proc/self/status %s", s.path("status"))
	env := []string{"/usr/bin/env", "--ignore-signal=HUP,SEGV", "--block-signal=TERM,USR1"}
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

// nohup in front of confit: confit ignores HUP, and TERM still ends it. This holds without the entry point, too.
func TestInherit_nohup(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	argv := append([]string{"/usr/bin/env", "--ignore-signal=HUP"}, s.command()...)
	c := s.startCommand(append(argv, "--", "sh", "-c", "echo ready; exec sleep 7654321")...)
	c.Says("ready", 1)
	c.Signal(unix.SIGHUP)
	c.term()
	c.Ends(128 + int(unix.SIGTERM))
}

// Socket activation: the app has the descriptors that confit was given, in each of its lives; a hook hasn't.
func TestInherit_listen_pid(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	web := s.volume("web")
	s.line("link web/a %s", s.target("a"))
	s.line("validate sh -c 'echo $LISTEN_PID >%s'", s.path("hook"))
	s.line("reload restart")
	web.swap(keys{"a": "one"})
	s.env = append(s.env, "LISTEN_FDS=1", "LISTEN_PID=1", "LISTEN_FDNAMES=web")
	script := `cat <&3; echo "$LISTEN_FDNAMES $LISTEN_FDS $LISTEN_PID $$"; exec sleep 7654321`
	with := append([]string{"/bin/sh", "-c", `exec 3<"$0"; exec "$@"`, s.write(s.path("passed"), "passed on\n")}, s.command()...)
	c := s.startCommand(append(with, "--", "sh", "-c", script)...)
	for n := 1; n <= 2; n++ {
		fields := strings.Fields(c.Says("web 1 ", n))
		if fields[2] != fields[3] {
			t.Errorf("LISTEN_PID is %s, the app is %s", fields[2], fields[3])
		}
		web.swap(keys{"a": "two"})
	}
	c.Says("passed on", 1)
	if hook, err := os.ReadFile(s.path("hook")); err != nil || string(hook) != "1\n" {
		t.Errorf("LISTEN_PID of the hook is %q, %v", hook, err)
	}
}

// LISTEN_PID of another process stays as it is.
func TestInherit_listen_pid_of_another(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.env = append(s.env, "LISTEN_FDS=1", "LISTEN_PID=77")
	s.start("sh", "-c", `[ $LISTEN_PID = 77 ]`).Ends(0)
}

// With socket activation, too, a program that can't be started is named and gives a shell's code, and the shell runs a script
// without #!.
func TestInherit_listen_pid_codes(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.env = append(s.env, "LISTEN_PID=1")
	noInterpreter := s.write(s.path("noInterpreter"), "#!/etc/passwd\n")
	for program, code := range map[string]int{
		"no-such-program": 127, s.write(s.path("orphaned"), "#!/nowhere/sh\n"): 127, s.dir: 126, noInterpreter: 126,
	} {
		c := s.start(program)
		c.Ends(code)
		if !c.Contains(fmt.Sprintf("confit: cannot start %q: ", program)) {
			t.Errorf("%s isn't named", program)
		}
	}
	s.start(s.write(s.path("script"), "exit 5\n")).Ends(5)
}
