package confit

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

const startsOnStored = "starting on the last accepted generation: what is mounted can't be used"

// A container comes up again while a bad edit is mounted: the app starts on the last accepted generation.
func TestStored_starts_on_it(t *testing.T) {
	for _, test := range []struct {
		name, step string
		first, bad keys
	}{
		{"validator", "validate", keys{"text": "first", "needed": ""}, keys{"text": "bad", "needed": ""}},
		{"missing_key", "stage", keys{"text": "first", "needed": ""}, keys{"text": "second"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, web := newProved(t)
			s.line("link web/needed %s", s.target("needed"))
			s.line("validate sh -c '! grep -q bad {candidate}/web/text'")
			s.flag("--retry", "200ms")
			web.swap(test.first)
			s.accept(app()...)
			web.swap(test.bad)

			c := s.start(s.printer()...)
			c.Says("ready", 1)
			e := c.logs(startsOnStored, 1)
			if e["level"] != "WARN" || e["generation"] != "1" {
				t.Errorf("logged %v, want a warning that names generation 1", e)
			}
			c.wantCount("reads of the accepted one", len(c.Texts("stdout", "read first")), 1)
			if first := c.wantRejected(test.step, 1); first["nextTry"] != "200ms" {
				t.Errorf("the rejection says nextTry %q: %v", first["nextTry"], first)
			}
			c.tells(3, "the rejection of what is mounted", func(st report) bool {
				return st.Rejection.Step == test.step && st.Rejection.Hash == st.Mounted.Hash && st.Rejection.NextTry != nil &&
					st.Live.Hash == st.Accepted.Hash && st.Live.Hash == s.stored().Hash && st.Accepted.Proof == "stored"
			})
			c.wantRejected(test.step, 2) // it keeps trying
			web.swap(keys{"text": "third", "needed": ""})
			c.Says("read third", 1)
			c.accepts(1)
			c.tells(0, "nothing rejected", func(st report) bool { return st.Live.Hash == st.Mounted.Hash })
			c.wantLogged(startsOnStored, 1)
			c.wantLogged("app started", 1)
		})
	}
}

// What the app goes back to may be months old: the log says so, and the status since when. Where nobody knows, they don't.
func TestStored_age(t *testing.T) {
	for name, test := range map[string]struct {
		at, age string
		since   time.Time
	}{
		"known":   {`"acceptedAt":1000000000`, "h", time.Unix(1000000000, 0)},
		"unknown": {`"acceptedAt":0`, "", time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newProved(t)
			s.line("validate sh -c '! grep -q bad {candidate}/web/text'")
			web.swap(keys{"text": "first"})
			s.accept(app()...)
			note, err := os.ReadFile(filepath.Join(s.state, "note.json"))
			if err != nil {
				t.Fatal(err)
			}
			s.replace(filepath.Join(s.state, "note.json"), regexp.MustCompile(`"acceptedAt":\d+`).ReplaceAllString(string(note), test.at))
			web.swap(keys{"text": "bad"})
			c := s.start(s.printer()...)
			if e := c.logs(startsOnStored, 1); !strings.Contains(e["age"], test.age) || (e["age"] == "") != (test.age == "") {
				t.Errorf("logged %v, want the age", e)
			}
			c.tells(3, "when that was accepted", func(st report) bool {
				return st.Accepted.Proof == "stored" && st.Accepted.Since.Equal(test.since)
			})
		})
	}
}

// The validator failed for a reason that passes: the mounted edit comes into force by itself.
func TestStored_goes_over(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	validator := s.write(s.path("validator"), "exit 0")
	s.line("validate sh %s {candidate}", validator)
	s.flag("--retry", "200ms")
	web.swap(keys{"text": "first"})
	s.accept(app()...)
	web.swap(keys{"text": "second"})
	s.write(validator, "exit 1")
	c := s.start(s.printer()...)
	c.Says("ready", 1)
	c.wantCount("reads of the accepted one", len(c.Texts("stdout", "read first")), 1)
	c.wantRejected("validate", 2)
	if err := errors.Join(os.WriteFile(validator+".new", []byte("exit 0"), 0o644), os.Rename(validator+".new", validator)); err != nil {
		t.Fatal(err)
	}
	c.Says("read second", 1)
	c.accepts(1)
	c.tells(0, "nothing rejected", func(st report) bool { return st.Live.Hash == st.Mounted.Hash })
}

// The app dies of the mounted edit at the start. It is started on the accepted generation instead, and the bad one isn't tried
// again before another edit.
func TestStored_app_dies_at_the_start(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	web.swap(keys{"text": "first"})
	s.accept(app()...)
	s.flag("--probation", "1h", "--retry", "200ms")
	web.swap(keys{"text": "die 3"})
	c := s.start(s.printer()...)
	c.Says("ready", 1)
	c.wantCount("reads of the accepted one", len(c.Texts("stdout", "read first")), 1)
	if e := c.wantRejected("probation", 1); !strings.Contains(e["reason"], "exit 3") || e["nextTry"] != "" {
		t.Errorf("logged %v, want the app's exit code and no next try", e)
	}
	c.logs("rolled back", 1)
	c.tells(3, "the roll back", func(st report) bool {
		return st.Rejection.Step == "probation" && st.Counters.RollBacks == 1 && st.Rejection.NextTry == nil && st.Live.Hash == s.stored().Hash
	})
	web.swap(keys{"text": "second"})
	c.Says("read second", 1)
	c.wantLogged("app started", 2)
	c.wantLogged("candidate rejected", 1)
}

// Without a stored generation the first configuration is all there is.
func TestStored_nothing(t *testing.T) {
	for name, test := range map[string]struct {
		mounted keys
		code    int
	}{
		"validator":   {keys{"text": "bad", "needed": ""}, 78},
		"missing_key": {keys{"text": "first"}, 78},
		"app_dies":    {keys{"text": "die 3", "needed": ""}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newProved(t)
			s.line("link web/needed %s", s.target("needed"))
			s.line("validate sh -c '! grep -q bad {candidate}/web/text'")
			s.flag("--probation", "1h")
			web.swap(test.mounted)
			c := s.start(s.printer()...)
			c.Ends(test.code)
			if s.stored().Number != 0 {
				t.Errorf("stored: %v", s.stored())
			}
		})
	}
}

// confit doesn't trust a generation that was spoilt between two lives. It logs that once, with the reason, and the app starts on
// what is mounted, or not at all.
func TestStored_spoilt(t *testing.T) {
	for name, spoil := range map[string]func(s *setup) error{
		"note_cut_off": func(s *setup) error { return os.Truncate(filepath.Join(s.state, "note.json"), 40) },
		"generation_removed": func(s *setup) error {
			return os.RemoveAll(filepath.Join(s.state, "generations", "1"))
		},
		"key_edited": func(s *setup) error {
			return os.WriteFile(filepath.Join(s.state, "generations/1/web/text"), []byte("edited"), 0o644)
		},
		"note_is_a_fifo": func(s *setup) error {
			path := filepath.Join(s.state, "note.json")
			return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newProved(t)
			s.line("validate sh -c '! grep -q bad {candidate}/web/text'")
			web.swap(keys{"text": "first"})
			s.accept(app()...)
			if err := spoil(s); err != nil {
				t.Fatal(err)
			}
			web.swap(keys{"text": "bad"})
			s.start(app()...).Ends(78)
			web.swap(keys{"text": "second"})
			c := s.start(s.printer()...)
			c.Says("ready", 1)
			c.wantCount("reads of what is mounted", len(c.Texts("stdout", "read second")), 1)
			e := c.logs("stored generation not trusted: the app starts on what is mounted, or not at all", 1)
			if e["level"] != "WARN" || e["error"] == "" {
				t.Errorf("logged %v, want a warning with the reason", e)
			}
			c.accepts(1)
			c.Kill()
			web.swap(keys{"text": "bad"})
			c = s.start(s.printer()...)
			c.Says("read second", 1)
			c.wantLogged(startsOnStored, 1)
		})
	}
}
