package confit

import (
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A gate that needs too much memory has the container killed at each start, before any app runs. That counts: after the first kill
// the app comes up on what is accepted, after the second one it stays there. Beside the app a kill doesn't count, but the gate isn't
// passed by it, either.
func TestBadEdit_killed_in_the_gate_of_a_start(t *testing.T) {
	t.Parallel()
	s, web := newKiller(t, "gate sh SCRIPT")
	web.swap(keys{"text": "first"})
	s.accept(s.printer()...)
	web.swap(keys{"text": "second"})
	c := s.start(s.printer()...)
	c.killedInHook("hooks")

	c = s.start(s.printer()...)
	c.wantPutOff("hooks", "gate")
	c.Says("read first", 1)
	c.find("sleep 7654321") // the gate, beside the app
	c.Kill()

	c = s.start(s.printer()...)
	c.logs("trying again what confit was killed with: it was put off before", 1)
	c.killedInHook("hooks")

	c = s.start(s.printer()...)
	c.Says("read first", 1)
	if e := c.wantRejected("hooks", 1); !strings.HasSuffix(e["reason"], ": suspect gate") {
		t.Errorf("logged %v, want the gate suspected", e)
	}
	web.swap(keys{"text": "third"})
	c.accepts(1)
	c.wantLogged("gate asked", 1)
}

// A trial has two steps, so its record is written twice at most in an edit that goes well, with hooks before and after the publish.
func TestBadEdit_trial_is_written_twice(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.line("validate true {candidate}")
	s.line("verify true")
	s.flag("--probation", "200ms", "--rescan", "100ms")
	web.swap(keys{"text": "first"})
	c := s.start(s.printer()...)
	c.accepts(1)
	c.Says("ready", 1)
	written := s.watchTrial()
	web.swap(keys{"text": "second"})
	c.accepts(2)
	c.Eventually("the end of the trial", func() bool { return !exists(filepath.Join(s.state, "trial")) })
	if n := written(); n != 2 {
		t.Errorf("the trial was written %d times, want twice", n)
	}
}

// watchTrial counts how often the record of the trial is written from now on.
func (s *setup) watchTrial() (written func() int) {
	s.t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = unix.Close(fd) })
	if _, err := unix.InotifyAddWatch(fd, s.state, unix.IN_MOVED_TO|unix.IN_CREATE); err != nil {
		s.t.Fatal(err)
	}
	return func() (count int) {
		var buf [64 << 10]byte
		n, _ := unix.Read(fd, buf[:])
		for at := 0; at < n; {
			e := (*unix.InotifyEvent)(unsafe.Pointer(&buf[at]))
			at += unix.SizeofInotifyEvent
			if strings.TrimRight(string(buf[at:at+int(e.Len)]), "\x00") == "trial" {
				count++
			}
			at += int(e.Len)
		}
		return count
	}
}

// What a hook changes in its candidate is found out when that is to be published, or, of a validator that runs then, before the app is
// reloaded. The app never reads it.
func TestBadEdit_changed_by_its_hook(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"validate_before": killers["validate_before"].line,
		"validate_after":  killers["validate_after"].line,
		"gate":            "gate sh SCRIPT",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newKiller(t, line)
			s.write(s.path("script"), `key=$CONFIT_CANDIDATE/web/text; grep -q second $key && chmod u+w $key && echo spoilt >>$key; exit 0`)
			web.swap(keys{"text": "first"})
			c := s.start(s.printer()...)
			c.accepts(1)
			c.Says("ready", 1)
			web.swap(keys{"text": "second"})
			if e := c.wantRejected("hooks", 1); e["reason"] != `the hook changed key "web/text" of its candidate: let it write elsewhere` {
				t.Errorf("logged %v, want the key named", e)
			}
			if name == "validate_after" { // the target leads there until then
				c.logs("generation withdrawn", 1)
			}
			s.wantFiles(keys{"text": "first"})
			web.swap(keys{"text": "third"})
			c.accepts(2)
			c.wantCount("reads of the spoilt one", len(c.Texts("stdout", "read second")), 0)
		})
	}
}
