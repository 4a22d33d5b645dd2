package rollout

import (
	"strings"
	"testing"
	"time"
)

// TestLife: who is another container for certain, and who may be the same one.
func TestLife(t *testing.T) {
	noted := NewLife("b007b007", 1000, 5000)
	for name, tt := range map[string]struct {
		mine  Life
		other bool
	}{
		"the same":             {NewLife("b007b007", 1000, 9000), false},
		"older":                {NewLife("b007b007", 900, 9000), true},
		"younger, and alive":   {NewLife("b007b007", 4999, 9000), true},
		"started again":        {NewLife("b007b007", 5000, 9000), false},
		"started again later":  {NewLife("b007b007", 8000, 9000), false},
		"after another boot":   {NewLife("b007b008", 10, 20), false},
		"unknown":              {"", false},
		"garbage":              {"b007b007.!.!", false},
		"of another form":      {"b007b007.rs", false},
		"as large as it gets":  {NewLife("b007b007", 1<<63-1, 1<<63-1), false},
		"as small as it gets":  {NewLife("b007b007", -1<<63, 0), true},
		"whose clock is wrong": {NewLife("b007b007", 900, 0), true},
	} {
		if got := noted.isOther(tt.mine); got != tt.other {
			t.Errorf("%s: %v", name, got)
		}
		if Life("").isOther(tt.mine) || Life("x").isOther(tt.mine) {
			t.Errorf("%s is another than nobody", name)
		}
	}
}

// TestTwoContainers: the second container of a pod is refused while the first has a
// hold by the same name, and its reports don't count for the first. A container that
// was started again takes its own hold over.
func TestTwoContainers(t *testing.T) {
	r := Record{Revisions: []*Revision{{Name: "r1", Stable: "A"}}}
	as := func(start, now int64) Replica {
		return Replica{Revision: "r1", Pod: "u1", PodName: "web-1", Hash: "B", Accepted: "A", Bound: time.Minute, Life: NewLife("boot", start, now)}
	}
	ask := func(me Replica) Answer {
		answer, next := r.Gate(me, Policy{Canaries: 1, Parallel: Parallel{percent: 25}}, Observer{})
		if next.Same(r) != (answer.Verdict != Go) {
			t.Errorf("%+v: the record changed: %s", answer, next.text())
		}
		r = next
		return answer
	}
	if answer := ask(as(100, 500)); answer.Verdict != Go {
		t.Fatalf("got %+v", answer)
	}
	for _, starting := range []bool{false, true} {
		second := as(150, 600)
		second.Starting = starting
		if answer := ask(second); answer.Verdict != Refuse || !strings.Contains(answer.Reason, `another container of pod "web-1" asks without --container; give each`) {
			t.Errorf("starting %v: got %+v", starting, answer)
		}
		for _, kind := range Kinds {
			if next := r.Report(second, Outcome{Kind: kind, Source: sourceMounted, Step: "verify"}, 0); !next.Same(r) {
				t.Errorf("%s of the second container counts: %s", kind, next.text())
			}
		}
	}
	again := as(700, 800)
	again.Starting = true
	if answer := ask(again); answer.Verdict != Go || len(r.Revisions[0].Trial.Holds) != 1 {
		t.Errorf("started again: got %+v, %s", answer, r.text())
	}
	named := as(150, 900)
	named.Container = "sidecar"
	if answer := ask(named); answer.Verdict != Wait {
		t.Errorf("with a name of its own: got %+v", answer)
	}
	if next := r.Report(as(700, 900), Outcome{Kind: Accepted, Source: sourceMounted}, 0); next.Revisions[0].Stable != "B" {
		t.Errorf("accepted: %s", next.text())
	}
}
