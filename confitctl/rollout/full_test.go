package rollout

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestFull: gates fill a record until no other hold has room. What stops them
// still has: a rejection, and a pause.
func TestFull(t *testing.T) {
	for length := range 63 {
		r, last := full(t, 1+length)
		if _, err := r.Pause(1).Encode(); err != nil {
			t.Errorf("pause, names of %d characters: %v", 1+length, err)
		}
		if _, err := r.Report(last, Outcome{Kind: RolledBack, Step: "verify", Source: "mounted"}, 1).Pause(1).Encode(); err != nil {
			t.Errorf("rejection, names of %d characters: %v", 1+length, err)
		}
		for i := range 2 * maxLate {
			last.Pod = fmt.Sprintf("%036d", i)
			kind := []Kind{Relapsed, RolledBack}[i%2]
			r = r.Report(last, Outcome{Kind: kind, Step: strings.Repeat("s", maxName), Source: "stored"}, 1_700_000_000)
			if _, err := r.Encode(); err != nil {
				t.Fatalf("late verdict %d, names of %d characters: %v", i, 1+length, err)
			}
		}
		if r.revision(last.Revision).Rejection(last.Hash) == nil {
			t.Errorf("five have rejected it, and it goes on, names of %d characters", 1+length)
		}
	}
}

// full is a record of three revisions in flight, and the last that got a hold.
func full(t *testing.T, length int) (r Record, last Replica) {
	hash := strings.Repeat("b", 64)
	for _, name := range []string{"r1", "r2", "r3"} {
		r.Revisions = append(r.Revisions, &Revision{Name: name, Stable: hash, Trial: &Trial{Hash: hash, Canaries: 1, Accepted: 500}})
	}
	for i := range maxWhole * maxInFlight {
		me := Replica{
			Revision: r.Revisions[0].Name, Pod: strings.Repeat("0", 33) + string([]byte{'0' + byte(i/100), '0' + byte(i/10%10), '0' + byte(i%10)}),
			PodName: strings.Repeat("n", maxName), Container: strings.Repeat("c", length), Hash: hash, Bound: time.Hour,
		}
		answer, next := r.Gate(me, Policy{Canaries: 1, Parallel: Parallel{percent: 100}}, Observer{})
		if answer.Verdict != Go {
			return r, last
		}
		r, last = next, me
	}
	t.Fatal("the record isn't full")
	return
}
