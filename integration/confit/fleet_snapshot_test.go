package confit

import (
	"strings"
	"testing"
)

// newcomer is a replica that nothing was accepted in, with the snapshot mounted.
func (f *fleet) newcomer(text string) *member {
	f.t.Helper()
	m := f.add()
	m.web.swap(keys{"text": text})
	m.mountSnapshot()
	return m
}

// A pod that starts during a bad edit starts on what the fleet accepted, whether its validator finds the edit, the fleet has refused it,
// or its own app dies of it. When it is fixed, it follows.
func TestFleet_start_during_a_bad_edit(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]struct{ text, step string }{
		"validator": {"bad", "validate"},
		"fleet":     {"die 3", "gate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t)
			f.startAll(1)
			f.edit(edit.text)
			f.members[0].run.logs("candidate rejected", 1)
			f.members[0].run.logs("outcome reported", 2)
			m := f.newcomer(edit.text)
			m.start()
			m.reads("first")
			m.run.wantRejected(edit.step, 1)
			if e := m.run.accepts(1); e["source"] != "fallback" {
				t.Errorf("accepted %v", e)
			}
			if n := len(m.run.Texts("stdout", "read "+edit.text)); n > 0 {
				t.Errorf("it has read the bad edit")
			}
			m.wantFiles(keys{"text": "first", "token": "one"})
			f.edit("fixed")
			for _, m := range f.members {
				m.reads("fixed")
			}
			f.holds("fixed")
		})
	}
}

// A snapshot whose volumes come from different configurations is refused, and both are named.
func TestFleet_start_on_a_torn_snapshot(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.startAll(1)
	m := f.newcomer("bad")
	torn := f.snapshot(acceptedTLS)
	torn[".confit-hash"] = strings.Fields(torn[".confit-hash"])[0] + " " + strings.Repeat("0", 64) + "\n"
	newVolume(t, m.path("fallback", "tls")).swap(torn)
	m.start()
	m.hears("come from different configurations: their files .confit-hash differ in the second word")
	m.run.Ends(78)
}

// An empty snapshot, as the manifest makes it, is none.
func TestFleet_start_on_an_empty_snapshot(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	m := f.newcomer("bad")
	m.start()
	m.run.Ends(78)
	m.web.swap(keys{"text": "first"})
	m.start()
	m.reads("first")
	f.holds("first")
}
