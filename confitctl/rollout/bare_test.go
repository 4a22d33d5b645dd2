package rollout

import (
	"testing"
	"time"
)

// bare is a record without times, names and proofs, as a client leaves it that is told no time.
const bare = `{"version":1,"serial":7,"snapshot":"B","revisions":[{"name":"r1","stable":"B","previous":"A",` +
	`"trial":{"hash":"B","canaries":1,"accepted":12,"holds":[{"pod":"p1","container":"web","bound":60,"serial":7}]},` +
	`"rejected":[{"hash":"X","step":"verify","pod":"web-1"}]}]}`

// TestBareRecord: who doesn't know how old something is goes by what it sees, in small steps.
func TestBareRecord(t *testing.T) {
	r, err := Decode(bare)
	if err != nil {
		t.Fatal(err)
	}
	policy := Policy{Canaries: 1, Parallel: Parallel{percent: 25}}
	ask := func(r Record, pod, hash string, o Observer) (Answer, Record) {
		return r.Gate(Replica{Revision: "r1", Pod: pod, Hash: hash, Accepted: "B", Bound: time.Minute}, policy, o)
	}
	look := Observer{}.Look(r, Moment{0, 5000})
	if answer, _ := ask(r, "p2", "X", look); answer.Verdict != Refuse {
		t.Errorf("a rejected hash: %+v", answer)
	}
	if answer, _ := ask(r, "p2", "A", look); answer.Verdict != Wait {
		t.Errorf("back to what was stable before, while somebody is in flight: %+v", answer)
	}
	late := look.Look(r, Moment{70 * time.Second, 5070})
	if _, next := ask(r, "p2", "A", late); len(next.Revisions[0].Trial.Holds) != 1 || next.Revisions[0].Trial.Hash != "B" {
		t.Errorf("a place whose age isn't known was given away: %s", next.text())
	}
	late = late.Look(r, Moment{90 * time.Second, 5090})
	answer, next := ask(r, "p2", "A", late)
	if answer.Verdict != Go || next.Revisions[0].Trial.Hash != "A" || len(next.Revisions[0].Trial.Holds) != 1 {
		t.Errorf("back in steps: %+v, %s", answer, next.text())
	}
	next = r.Report(Replica{Revision: "r1", Pod: "p1", Container: "web", Hash: "B"}, Outcome{Kind: Accepted, Source: "mounted"}, 5000)
	if next.Snapshot != "B" || !next.Revisions[0].isProved("B") {
		t.Errorf("the thirteenth accepted it: %s", next.text())
	}
}
