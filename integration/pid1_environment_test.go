package integration

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// hostile are variables on which the Go runtime and its libraries act: they print, end the program, or open a file that never
// answers.
func (s *setup) hostile() []string {
	s.t.Helper()
	silent := s.path("silent")
	if err := syscall.Mkfifo(silent, 0o666); err != nil {
		s.t.Fatal(err)
	}
	return []string{
		"GODEBUG=gctrace=1,schedtrace=1,inittrace=1", "GOMEMLIMIT=512Mi", "GOGC=1", "GOTRACEBACK=crash", "GOMAXPROCS=7",
		"GOCOVERDIR=/nowhere", "FSNOTIFY_DEBUG=1", "TZ=:" + silent, "ZONEINFO=" + silent, "PWD=/", "GO", "G=", "GODEBUG=again",
	}
}

// The Go runtime would act on these variables. The app and the hooks get them byte for byte, and confit ignores them.
func TestPID1_variables_of_the_app(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.program = programs.shipped
	s.env = append(append(s.env, "NOTIFY_SOCKET=/run/somebody/else"), s.hostile()...)
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
	if got := s.environment("app"); !strings.Contains(got, "\x00GOMEMLIMIT=512Mi\x00") { // the shell has put PWD right, and dropped what stands there twice
		t.Errorf("the app sees %q", got)
	}
	c.Says(s.dir, 1)
	for _, printed := range []string{"gc 1 @", "SCHED ", "init ", "FSNOTIFY_DEBUG: "} {
		if lines := c.Texts("stderr", printed); len(lines) > 0 {
			t.Errorf("confit prints %q", lines)
		}
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

// The same without /proc, where nobody else could say what the environment was.
func TestPID1_variables_without_proc(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.program, s.box.NoProc = programs.shipped, true
	s.env = append(s.env, "GOGC=1", "NOTIFY_SOCKET=/run/somebody/else", "GOMEMLIMIT=512Mi", "GOGC=2", "")
	c := s.start("env", "-u", harness.RoleVariable, "printenv", "GOGC", "GOMEMLIMIT")
	c.Ends(0)
	got := c.Texts("stdout", "")
	if !slices.Contains(got, "512Mi") || !slices.Contains(got, "1") {
		t.Errorf("the app sees %q", got)
	}
}

// A runtime that traces its collector writes to standard error itself, and would wait for a reader that hangs.
func TestPID1_variables_and_a_full_log(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.program = programs.shipped
	s.env = append(s.env, s.hostile()...)
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
