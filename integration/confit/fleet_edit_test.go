package confit

import (
	"slices"
	"testing"

	"confit/integration/internal/harness"
)

// A good edit: one replica tries it while the others wait. When it is content they go, and the snapshot holds the edit.
func TestFleet_good_edit(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	content := f.startPatient(3)
	canary := f.try("second")
	if readers := f.readers("second"); len(readers) != 1 || readers[0] != canary {
		t.Errorf("%d replicas have read it before the canary was content", len(readers))
	}
	f.holds("first")
	content()
	for _, m := range f.members {
		m.reads("second")
		m.run.logs("outcome reported", 2)
	}
	f.holds("second")
	r := f.record().Revisions[0]
	if r.Stable != f.record().Snapshot || r.Trial.Accepted != 3 || len(r.Trial.Holds)+len(r.Rejected) != 0 {
		t.Errorf("the record is %+v", r)
	}
}

// Two containers of a pod that ask without --container: the second is refused while the first tries the edit, and says so. When the
// first was killed and starts again, it is taken for nobody else.
func TestFleet_two_containers(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	done := t.TempDir() + "/done"
	for range 2 {
		m := f.add()
		m.env[slices.Index(m.env, "CONFITCTL_POD_UID=uid-"+m.name)] = "CONFITCTL_POD_UID=uid-" + f.members[0].name
		m.line("verify sh -c 'grep -q first %s || test -e %s'", m.target("text"), done)
		m.line("verify-timeout 1h")
		m.start().logs("outcome reported", 1)
	}
	first, second := f.members[0], f.members[1]
	first.web.swap(keys{"text": "second"})
	first.reads("second")
	second.web.swap(keys{"text": "second"})
	second.hears(`another container of pod "` + second.name + `" asks without --container`)
	if readers := f.readers("second"); len(readers) != 1 || readers[0] != first {
		t.Errorf("%d containers have read it", len(readers))
	}
	first.run.Kill()
	first.start().logs("gate asked", 1)
	first.write(done, "")
	for _, m := range f.members {
		m.reads("second")
	}
	f.holds("second")
}

// What a validator finds is no matter of the fleet: each replica rejects it by itself, and no gate is asked.
func TestFleet_bad_edit_found_by_validator(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.startAll(2)
	before := f.record()
	f.edit("bad")
	for _, m := range f.members {
		m.run.wantRejected("validate", 1)
		m.run.wantLogged("gate asked", 0)
	}
	if after := f.record(); after.Snapshot != before.Snapshot || len(after.Revisions[0].Rejected) > 0 {
		t.Errorf("the record is %+v", after)
	}
	f.holds("first")
}

// What only the app finds is tried by one, which is rolled back. The others are refused, and never read it. Fixed, it goes through.
func TestFleet_bad_edit_found_by_probation(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.startAll(3)
	f.edit("die 3")
	var canary *member
	harness.Eventually(t, "a rejection", func() bool { return len(f.record().Revisions[0].Rejected) > 0 })
	by := f.record().Revisions[0].Rejected[0]
	for _, m := range f.members {
		if m.name == by.Pod {
			canary = m
			m.run.wantRejected("probation", 1)
			m.run.Says("read first", 2)
			continue
		}
		m.run.wantRejected("gate", 1)
		m.hears("was rejected by " + by.Pod + " at step probation")
	}
	if readers := f.readers("die 3"); by.Step != "probation" || len(readers) != 1 || readers[0] != canary {
		t.Errorf("rejected by %+v, read by %d", by, len(readers))
	}
	f.holds("first")
	f.edit("fixed")
	for _, m := range f.members {
		m.reads("fixed")
	}
	f.holds("fixed")
}
