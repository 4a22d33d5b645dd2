package harness

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	Main(m, Roles{"app": App}, func(string) error { return nil })
}

var shell = []string{"PATH=/usr/bin:/bin"}

// doomed is a test that is meant to fail: it keeps the first reason.
type doomed struct {
	*testing.T
	reason string
}

func (d *doomed) Failed() bool { return d.reason != "" }

func (d *doomed) Errorf(format string, args ...any) {
	if d.reason == "" {
		d.reason = fmt.Sprintf(format, args...)
	}
}

// Fatalf ends the attempt, which runs in a goroutine of its own.
func (d *doomed) Fatalf(format string, args ...any) {
	d.Errorf(format, args...)
	panic(d)
}

// fails runs an attempt and returns why it failed.
func fails(t *testing.T, attempt func(T)) string {
	d := &doomed{T: t}
	func() {
		defer func() {
			if got := recover(); got != nil && got != any(d) {
				panic(got)
			}
		}()
		attempt(d)
	}()
	return d.reason
}

// With PID 1 the kernel ends all of a box, and what was written before is in the transcript.
func TestRun_ends_with_PID_1(t *testing.T) {
	r := Start(t, Command{Argv: []string{"/bin/sh", "-c", "sleep 7654321 & echo up; wait"}, Env: shell})
	r.Says("up", 1)
	r.Eventually("two processes", func() bool { return len(r.Processes()) == 2 })
	r.Kill()
	if left := r.Processes(); len(left) > 0 || r.State().ExitCode() != -1 {
		t.Errorf("%v are left, and PID 1 ended with %v", left, r.State())
	}
}

// A test that waits for what can't come fails when the box ends, and says how.
func TestRun_fails(t *testing.T) {
	for want, attempt := range map[string]func(T, *Run){
		`sh ended (exit status 3) before: line 2 of standard output that starts with "up"`: func(_ T, r *Run) { r.Says("up", 2) },
		"PID 1 ended with exit status 3, want exit code 4":                                 func(_ T, r *Run) { r.Ends(4) },
	} {
		got := fails(t, func(d T) {
			attempt(d, Start(d, Command{Argv: []string{"/bin/sh", "-c", "echo up; exit 3"}, Env: shell}))
		})
		if got != want {
			t.Errorf("failed because %q, want %q", got, want)
		}
	}
}

// Where PID 1 isn't the program, it tells what the program left.
func TestBox_under(t *testing.T) {
	r := Start(t, Command{Box: Box{Under: true}, Argv: []string{"/bin/sh", "-c", "exit 7"}, Env: shell})
	r.Ends(7)
	if left := r.Texts("stdout", "left behind"); len(left) > 0 {
		t.Errorf("nobody was left, but it says %q", left)
	}
}

// What a program starts with is what its box says, and nothing of the suite's own.
func TestBox_inside(t *testing.T) {
	for want, b := range map[string]Box{
		"0 0027":           {Umask: 0o027},
		"65534 0022":       {UID: 65534},
		"SigIgn:\t400001":  {Ignored: []unix.Signal{unix.SIGHUP, unix.SIGURG}},
		"1 network device": {Net: true},
	} {
		const script = `echo $(id -u) $(umask); grep SigIgn /proc/self/status | sed s/0000000000//; echo $(grep -c : /proc/net/dev) network device`
		r := Start(t, Command{Box: b, Argv: []string{"/bin/sh", "-c", script}, Env: shell})
		r.Ends(0)
		if !r.Contains(want) {
			t.Errorf("%+v: no %q in it", b, want)
		}
	}
}

func TestTranscript(t *testing.T) {
	var tr Transcript
	out := tr.Stream("stdout")
	fmt.Fprintf(out, "first\nsec")
	fmt.Fprintf(out, "ond\n%s\nthe end", strings.Repeat("x", 2*maxLine))
	if got := tr.Texts("stdout", "sec"); len(got) != 1 || got[0] != "second" {
		t.Errorf("a line in two parts is %q", got)
	}
	if text := tr.Text("stdout"); len(text) != len("first\nsecond\n\nthe end")+maxLine || !strings.HasSuffix(text, "\nthe end") {
		t.Errorf("%d bytes are kept: %.40q…", len(text), text)
	}
	if got, want := tr.Size("stdout"), len("first\nsecond\n\nthe end")+2*maxLine; got != want {
		t.Errorf("%d bytes were counted, want %d", got, want)
	}
	if len(tr.Lines("s", "t\n")) != 1 || tr.Contains("the end") {
		t.Error("only finished lines are to be found, and a line feed is the end of one")
	}
}

func TestPollEvery(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	looks := 0
	if PollEvery(ctx, time.Microsecond, func() bool { looks++; cancel(); return false }) || looks < 1 {
		t.Errorf("true after %d looks", looks)
	}
	if !PollEvery(ctx, time.Hour, func() bool { return true }) {
		t.Error("it has to look once, even if the context has ended")
	}
}

// A process that executes another program meanwhile has the former command line or the new one, never a part of each.
func TestProcesses_command_of_one_program(t *testing.T) {
	const again = `i=$(($1+1)); [ $i -lt 2000 ] || exec sleep 7654321; [ ${#2} = 2 ] && exec sh -c "$0" "$0" $i axxxxb; exec sh -c "$0" "$0" $i ab`
	whole := regexp.MustCompile("^(enter|.* [0-9]+ (ab|axxxxb)|sleep 7654321|)$")
	r := Start(t, Command{Argv: []string{"/bin/sh", "-c", again, again, "0", "ab"}, Env: shell})
	r.Eventually("the last program", func() bool {
		p, err := readProcess(r.Proc())
		for range 1000 {
			if err != nil || !whole.MatchString(p.Command) {
				t.Fatalf("command line %q: %v", p.Command, err)
			}
			p, err = readProcess(r.Proc())
		}
		return p.Command == "sleep 7654321"
	})
}
