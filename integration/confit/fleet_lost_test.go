package confit

import (
	"testing"

	"confit/integration/internal/harness"
)

// canary is the replica that holds the change, or nil.
func (f *fleet) canary() *member {
	f.t.Helper()
	for _, v := range f.record().Revisions {
		for _, h := range v.Trial.Holds {
			for _, m := range f.members {
				if h.Pod == "uid-"+m.name {
					return m
				}
			}
		}
	}
	return nil
}

// startPatient is startAll with a proof that lasts until the test lets it end.
func (f *fleet) startPatient(n int) (content func()) {
	f.t.Helper()
	done := f.t.TempDir() + "/done"
	for range n {
		m := f.add()
		m.line("verify sh -c 'grep -q first %s || test -e %s'", m.target("text"), done)
		m.line("verify-timeout 1h")
		m.start()
	}
	for _, m := range f.members {
		m.run.logs("outcome reported", 1)
	}
	return func() { f.members[0].write(done, "") }
}

// try edits, and waits until one replica has it and the others wait.
func (f *fleet) try(text string) (canary *member) {
	f.t.Helper()
	f.edit(text)
	harness.Eventually(f.t, "a canary", func() bool { canary = f.canary(); return canary != nil })
	canary.reads(text)
	for _, m := range f.members {
		if m != canary {
			m.hears("waiting: a canary is on its way")
		}
	}
	return canary
}

// The canary's PID 1 is killed in the middle of its proof. Nothing is rejected: the next one in the same pod takes its place over, and
// the others go on after it.
func TestFleet_canary_killed(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	content := f.startPatient(2)
	canary := f.try("second")
	canary.run.Kill()
	canary.start().logs("gate asked", 1)
	content()
	for _, m := range f.members {
		m.reads("second")
		m.run.logs("outcome reported", 1)
	}
	f.holds("second")
	if r := f.record().Revisions[0]; len(r.Rejected) != 0 || r.Trial.Losses != 0 {
		t.Errorf("the record is %+v", r)
	}
}

// A replica that waits is stopped: the gate ends at once, and what it has stays. A canary that is stopped gives its place back.
func TestFleet_stopped(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.startPatient(2)
	canary := f.try("second")
	for _, m := range f.members {
		if m != canary {
			m.run.stops(0)
			if len(m.run.Texts("stdout", "read second")) > 0 {
				t.Errorf("%s has read what it waited for", m.name)
			}
		}
	}
	if f.canary() != canary {
		t.Error("the canary has lost its place")
	}
	canary.run.stops(0)
	if r := f.record().Revisions[0]; len(r.Trial.Holds) != 0 || r.Trial.Losses != 1 || len(r.Rejected) != 0 {
		t.Errorf("the record is %+v", r)
	}
	if !canary.run.Contains("outcome=stopped") {
		t.Error("the report did not come through")
	}
}

// The API server goes away while replicas run: they wait, say so, and go on when it is back.
func TestFleet_api_away(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.startAll(2)
	over := f.outage()
	f.edit("second")
	for _, m := range f.members {
		m.hears(`waiting: cannot get lease "web" in namespace "prod": `)
	}
	over()
	for _, m := range f.members {
		m.reads("second")
	}
	f.holds("second")
}

// The API server is away when a replica starts: it starts on what it has accepted, if it has, and takes up the change afterwards.
func TestFleet_api_away_at_start(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.startAll(1)
	m := f.members[0]
	m.run.stops(0)
	over := f.outage()
	fresh := f.add()
	f.edit("second")
	m.start().logs(startsOnStored, 1)
	m.reads("first")
	fresh.start()
	fresh.reads("second") // it has nothing else
	over()
	m.reads("second")
	f.holds("second")
}

// An outage between the canary's report and the snapshot: the report is repeated until the snapshot is there.
func TestFleet_snapshot_made_up_for(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.startAll(1)
	f.api.Break("update", acceptedWeb)
	f.edit("second")
	f.members[0].run.logs("outcome not reported", 1)
	f.api.Allow("update", acceptedWeb)
	f.holds("second")
}

// A role that doesn't allow the snapshot is said, with what it lacks, and stops no rollout. When it is fixed, the next report writes.
func TestFleet_snapshot_forbidden(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.startAll(2)
	f.api.Forbid("update", acceptedWeb)
	f.edit("second")
	for _, m := range f.members {
		m.reads("second")
		m.hears(`no snapshot: cannot update configmap "web-accepted-web" in namespace "prod": forbidden; allow "update" on resource "configmaps" of group ""`)
	}
	f.api.Allow("update", acceptedWeb)
	f.members[0].run.stops(0)
	f.members[0].start()
	f.holds("second")
}
