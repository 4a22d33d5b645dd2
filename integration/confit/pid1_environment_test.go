package confit

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// settings are variables of the Go runtime that are the app's, and what may stand in an environment besides.
var settings = []string{
	"GOMEMLIMIT=1MiB", "GOGC=1", "GOTRACEBACK=crash", "GOMAXPROCS=7", "GOCOVERDIR=/nowhere", "PWD=/", "GO", "G=", "GOGC=again",
}

// The app and the hooks get the environment byte for byte, and confit itself has its own settings of the Go runtime.
func TestPID1_variables_of_the_app(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.env = append(append(s.env, "NOTIFY_SOCKET=/run/somebody/else"), settings...)
	s.line("validate cp /proc/self/environ %s", s.path("hook"))
	c := s.start("sh", "-c", fmt.Sprintf("cp /proc/1/environ %s; pwd; exec cp /proc/self/environ %s", s.path("pid1"), s.path("app")))
	c.Ends(0)
	want := strings.Join(s.env, "\x00") + "\x00"
	if got := s.environment("pid1"); got != want {
		t.Errorf("/proc/1/environ is %q, want %q", got, want)
	}
	if got, _, _ := strings.Cut(s.environment("hook"), "CONFIT_"); got != want {
		t.Errorf("the hook sees %q, want %q", got, want)
	}
	if got := s.environment("app"); !strings.Contains(got, "\x00GOMEMLIMIT=1MiB\x00") { // the shell has put PWD right, and dropped what stands there twice
		t.Errorf("the app sees %q", got)
	}
	c.Says(s.dir, 1)
}

// What would print, end confit or make it wait can be given to the app alone, as docs/reference.md says: confit doesn't see it.
func TestPID1_variables_for_the_app_alone(t *testing.T) {
	t.Parallel()
	silent := filepath.Join(t.TempDir(), "silent")
	if err := syscall.Mkfifo(silent, 0o666); err != nil {
		t.Fatal(err)
	}
	hostile := []string{"GODEBUG=gctrace=1,schedtrace=1,inittrace=1", "GOMEMLIMIT=512Mi", "TZ=:" + silent, "ZONEINFO=" + silent, "FSNOTIFY_DEBUG=1"}
	s := newExit(t)
	argv := append(append([]string{"env"}, hostile...), "cp", "/proc/self/environ", s.path("app"))
	c := s.start(argv...)
	c.Ends(0)
	if got := s.environment("app"); !strings.Contains(got, strings.Join(hostile, "\x00")+"\x00") {
		t.Errorf("the app sees %q", got)
	}
	for _, printed := range []string{"gc 1 @", "SCHED ", "init ", fsnotifyTrace} {
		if lines := c.Texts("stderr", printed); len(lines) > 0 {
			t.Errorf("confit prints %q", lines)
		}
	}
}

// fsnotifyTrace begins what fsnotify prints of itself.
const fsnotifyTrace = "FSNOTIFY_DEBUG: "

// What confit was started with itself traces confit.
func TestPID1_variables_of_confit(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.env = append(s.env, "FSNOTIFY_DEBUG=1")
	c := s.start("true")
	c.Ends(0)
	if len(c.Texts("stderr", fsnotifyTrace)) == 0 {
		t.Error("nothing is printed")
	}
}

// environment is what a process has copied to a file.
func (s *setup) environment(name string) string {
	s.t.Helper()
	got, err := os.ReadFile(s.path(name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(got)
}

// Without /proc the app lacks only what is empty or repeats a name.
func TestPID1_variables_without_proc(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.program, s.box.NoProc = programs.shipped, true // the race detector needs /proc
	s.env = append(s.env, "GOGC=1", "NOTIFY_SOCKET=/run/somebody/else", "GOMEMLIMIT=1MiB", "GOGC=2", "")
	c := s.start("env", "-u", harness.RoleVariable, "printenv", "GOGC", "GOMEMLIMIT")
	c.Ends(0)
	got := c.Texts("stdout", "")
	if !slices.Contains(got, "1MiB") || !slices.Contains(got, "1") {
		t.Errorf("the app sees %q", got)
	}
}

// Settings that would have the collector run all the time do nothing to confit, also where the reader of its log hangs.
func TestPID1_variables_and_a_full_log(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.env = append(s.env, settings...)
	web := s.volume("web")
	s.line("link web/a %s", s.target("a"))
	s.line(`validate sh -c "head -c 1000000 /dev/zero; test -e {candidate}/web/a"`)
	web.swap(keys{"a": "swap 0"})
	calm := []string{"env", "-i", harness.RoleVariable + "=app"} // the app is a Go program, too
	c := s.unread(append(calm, app("-print", s.target("a"), "-exit", "TERM=7")...)...)
	c.Says("ready", 1)
	for i := 1; i <= 5; i++ {
		web.swap(keys{"a": fmt.Sprintf("swap %d", i)})
		c.Says(fmt.Sprintf("read swap %d", i), 1)
	}
	c.stops(7)
}
