package rollout

import (
	"testing"
	"time"
)

// FuzzRecord: whoever may update the Lease can write anything into it. What can
// be read at all is lived with: no panic, and what is stored can be read again.
func FuzzRecord(f *testing.F) {
	for _, text := range []string{
		``, `{}`, `null`, `{"revisions": [null]}`, `{"version": -1, "serial": 9223372036854775807}`,
		`{"revisions": [{"name": "r1", "trial": {"hash": "b", "accepted": 9223372036854775807, "losses": -1, "holds": [{"bound": 9223372036854775807}]}}]}`,
		`{"revisions": [{"name": "r1", "stable": "b", "trial": {"hash": "b", "losses": 99, "holds": [{"pod": "p", "bound": -1}, {"pod": "p"}]}}, {"name": "r1"}]}`,
	} {
		f.Add(text, "b", "accepted")
	}
	f.Fuzz(func(t *testing.T, text, hash, kind string) {
		record, err := Decode(text)
		if err != nil {
			return
		}
		me := Replica{Revision: "r1", Pod: "p", Hash: hash, Bound: time.Minute}
		o := Observer{}.Look(record, 0).Look(record, time.Hour)
		answer, next := record.Gate(me, Policy{Canaries: 1, Parallel: Parallel{percent: 25}}, o, time.Hour)
		for _, r := range []Record{next, next.Report(me, Outcome{Kind: Kind(kind), Step: "verify", Source: "mounted"}), next.Pause(), next.Resume()} {
			text, err := r.Encode()
			if err != nil && answer.Verdict == Go && len(record.Revisions) == 0 {
				t.Fatal(err)
			}
			if _, err := Decode(text); err != nil {
				t.Fatal(err)
			}
		}
		_, _ = next.Retry(hash)
	})
}
