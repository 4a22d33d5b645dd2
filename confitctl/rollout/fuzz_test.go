package rollout

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// FuzzRecord: whoever may update the Lease can write anything into it. What can
// be read at all is lived with: no panic, nobody goes on with a change that
// can't be stored, and what is stored can be read again as it was.
func FuzzRecord(f *testing.F) {
	for _, text := range []string{
		``, `{}`, `null`, `{"revisions": [null]}`, `{"version": -1, "serial": 9223372036854775807}`,
		`{"revisions": [{"name": "r1", "trial": {"hash": "b", "accepted": 9223372036854775807, "losses": -1, "holds": [{"bound": 9223372036854775807}]}}]}`,
		`{"revisions": [{"name": "r1", "stable": "b", "trial": {"hash": "b", "losses": 99, "holds": [{"pod": "p", "bound": -1}, {"pod": "p"}]}}, {"name": "r1"}]}`,
		`{"revisions": [{"name": "r1", "trial": {"hash": "b", "holds": [{"pod": "p", "life": "b.2.5"}, {"pod": "p", "life": "b..5"}]}}]}`,
		`{"snapshot": "` + strings.Repeat("<", MaxSize/4) + `"}`, // six bytes each, once they are written
	} {
		f.Add(text, "b", "accepted")
		f.Add(text, "", "rejected")
	}
	f.Fuzz(func(t *testing.T, text, hash, kind string) {
		record, err := Decode(text)
		if err != nil {
			return
		}
		me := Replica{Revision: "r1", Pod: "p", Life: NewLife("b", 1, 9), Hash: strings.ToValidUTF8(hash, "?"), Bound: time.Minute}
		o := Observer{}.Look(record, Moment{0, 1}).Look(record, Moment{time.Minute, 61})
		answer, next := record.Gate(me, Policy{Canaries: 1, Parallel: Parallel{percent: 25}}, o)
		if _, err := next.Encode(); err != nil && !next.Same(record) {
			t.Fatalf("verdict %d with a change that can't be stored: %v", answer.Verdict, err)
		}
		for _, r := range []Record{next, next.Report(me, Outcome{Kind: Kind(kind), Step: "verify", Source: "mounted"}, 61), next.Pause(61), next.Resume()} {
			if again, err := Decode(r.text()); err != nil || !again.Same(r) {
				t.Fatalf("%v; read again it is %s, not %s", err, again.text(), r.text())
			}
		}
		for _, edit := range []func() (Record, error){
			func() (Record, error) { return next.Retry(me.Hash) },
			func() (Record, error) { return next.Promote(me.Hash, 61) },
			func() (Record, error) { return next.Abort("", 61) },
		} {
			if r, err := edit(); err == nil {
				_ = r.text()
			}
		}
		if _, err := json.Marshal(next.View()); err != nil {
			t.Fatal(err)
		}
	})
}
