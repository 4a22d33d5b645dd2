package confit

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"confit/integration/internal/harness"
)

// sink keeps all that is written to it. A transcript cuts long lines.
type sink struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

// lines are those that have an end.
func (s *sink) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := strings.Split(s.text.String(), "\n")
	return list[:len(list)-1]
}

// record is a line of a log in JSON.
type record struct {
	Time       time.Time
	Level, Msg string
	Hook       string
	Line       *string
	NextTry    any
	Settings   struct{ Probation, Rescan any }
}

// records are all lines but the app's. Each must be one.
func (s *sink) records(t *testing.T, app ...string) (list []record) {
	t.Helper()
	for _, line := range s.lines() {
		if slices.Contains(app, line) {
			continue
		}
		var r record
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Time.IsZero() || r.Level == "" || r.Msg == "" {
			t.Fatalf("not a record (%v): %.300q", err, line)
		}
		list = append(list, r)
	}
	return list
}

// startInto runs confit with its standard error in a sink.
func (s *setup) startInto(app ...string) (*confit, *sink) {
	s.t.Helper()
	into := &sink{}
	return s.run(harness.Command{Argv: append(append(s.command("--log-format", "json"), "--"), app...), Stderr: into}), into
}

// printed is what a hook has printed.
func printed(list []record, hook string) (lines []string) {
	for _, r := range list {
		if r.Msg == "hook output" && r.Hook == hook && r.Line != nil {
			lines = append(lines, *r.Line)
		}
	}
	return lines
}

// With --log-format json all hooks print into records, whatever they print, and nothing is lost. What the app prints stays as it is.
// All of it fits what the log holds, so that a slow reader loses no line of confit's own.
func TestJSON_hooks(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	for _, hook := range []string{"render", "validate", "gate", "verify", "report"} {
		s.line("%s sh %s/%[1]s", hook, s.dir)
		s.write(s.path(hook), "echo "+hook+" to stdout; echo "+hook+" to stderr >&2\n")
	}
	s.lines = slices.DeleteFunc(s.lines, func(line string) bool { return strings.HasPrefix(line, "reload ") })
	s.line("reload exec:sh -c 'echo reload to stdout; printf partial'")
	s.line("probation 50ms")
	s.write(s.path("validate"), `cd "$CONFIT_CANDIDATE"
printf 'byte \377 and \000 and \033[31m\n'
head -c 30000 /dev/zero | tr '\0' x; echo
seq 1000
grep -q good web/text && exit
printf 'no\nlast words'; exit 1
`)
	web.swap(keys{"text": "good one"})
	c, into := s.startInto("sh", "-c", `until [ -e $0 ]; do sleep 0.02; done; echo app to stdout; echo '{"app": to stderr' >&2; exec "$@"`, s.path("go"), programs.app)
	harness.Eventually(t, "all that the validator printed", func() bool { // a pipe may tear what is longer than a page
		return slices.ContainsFunc(into.lines(), func(line string) bool { return strings.Contains(line, `"msg":"app started"`) })
	})
	s.write(s.path("go"), "")
	c.Says("app to stdout", 1)
	c.reports("accepted", report.quiet)
	web.swap(keys{"text": "good two"})
	c.reports("accepted", func(r report) bool { return r.quiet() && r.Live.Generation == 2 && r.Report.Delivered })
	web.swap(keys{"text": "bad"})
	c.reports("rejected", func(r report) bool { return r.refused() && strings.HasSuffix(r.Rejection.Output, "no\nlast words") })
	c.stops(0)

	list := into.records(t, `{"app": to stderr`)
	if n := len(into.lines()); n != len(list)+1 {
		t.Errorf("%d lines, %d of them records: the app printed one", n, len(list))
	}
	for _, hook := range []string{"render", "gate", "verify", "report"} {
		if lines := printed(list, hook); len(lines) < 2 || lines[0] != hook+" to stdout" || lines[1] != hook+" to stderr" {
			t.Errorf("%s printed %q", hook, lines)
		}
	}
	if lines, want := printed(list, "reload"), []string{"reload to stdout", "partial"}; !slices.Equal(lines, want) {
		t.Errorf("reload printed %q, want %q", lines, want)
	}
	wantValidated(t, printed(list, "validate"))
	wantReadable(t, list)
}

// wantValidated checks what three runs of the validator have printed.
func wantValidated(t *testing.T, lines []string) {
	t.Helper()
	var once []string
	once = append(once, "byte \uFFFD and \x00 and \x1b[31m")
	for rest := 30000; rest > 0; rest -= 8192 {
		once = append(once, strings.Repeat("x", min(rest, 8192)))
	}
	for n := range 1000 {
		once = append(once, strconv.Itoa(n+1))
	}
	want := append(slices.Repeat(once, 3), "no", "last words")
	if !slices.Equal(lines, want) {
		t.Errorf("validate printed %d lines, want %d; the last are %.30q", len(lines), len(want), lines[max(0, len(lines)-5):])
	}
}

// wantReadable checks that durations are texts.
func wantReadable(t *testing.T, list []record) {
	t.Helper()
	found := map[string]any{}
	for _, r := range list {
		switch r.Msg {
		case "confit started":
			found["probation"], found["rescan"] = r.Settings.Probation, r.Settings.Rescan
		case "candidate rejected":
			found["nextTry"] = r.NextTry
		}
	}
	if found["probation"] != "50ms" || found["rescan"] != "1h0m0s" || found["nextTry"] != "10s" {
		t.Errorf("durations are %v", found)
	}
}

// The log's level is confit's own: what a hook prints is never left out.
func TestJSON_level(t *testing.T) {
	t.Parallel()
	s, web := newChecked(t)
	s.flag("--log-level", "error")
	web.swap(keys{"text": "first", "check": "echo said"})
	c, into := s.startInto(app()...)
	c.Says("ready", 1)
	c.stops(0)
	if list := into.records(t); len(list) != 1 || list[0].Hook != "validate" || *list[0].Line != "said" {
		t.Errorf("logged %q", into.lines())
	}
}

// Why confit doesn't start is a record, too, and all of it is one.
func TestJSON_last_words(t *testing.T) {
	for name, test := range map[string]struct {
		line, check string
		code        int
		mention     string
	}{
		"rejected":     {"settle 0", "echo no; exit 1", 78, "cannot start: the first configuration was rejected: "},
		"wrong_lines":  {"rescan soon\nsettle soon", "exit 0", 64, "\n"},
		"wrong_system": {"state /proc/self/status", "exit 0", 71, "/proc/self/status"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newChecked(t)
			s.line("%s", test.line)
			web.swap(keys{"text": "first", "check": test.check})
			if test.code == 71 {
				s.state = "/proc/self/status"
			}
			c, into := s.startInto(app()...)
			c.Ends(test.code)
			list := into.records(t)
			if len(list) == 0 {
				t.Fatal("it ended without a word")
			}
			if last := list[len(list)-1]; last.Level != "ERROR" || !strings.Contains(last.Msg, test.mention) {
				t.Errorf("the last words are %q", into.lines())
			}
		})
	}
}
