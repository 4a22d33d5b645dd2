package people

import (
	"bytes"
	"testing"

	"confit/confitctl/rollout"
)

// TestTable: what a person sees.
func TestTable(t *testing.T) {
	r := rollout.Record{Paused: true, PausedAt: 1_000_000_000, Revisions: []*rollout.Revision{
		{Name: "5d9c", Stable: "aaaaaaaaaaaaaaaa", Previous: "bbbb", Rejected: []rollout.Rejection{{Hash: "cccc", Step: "validate", Pod: "web-5d9c-x", At: 1_000_000_001}}},
		{Name: "7f86", Stable: "aaaaaaaaaaaaaaaa", Trial: &rollout.Trial{
			Hash: "dddd", Since: 1_000_000_060, Canaries: 2, Accepted: 1, Losses: 3, Holds: []rollout.Hold{{Pod: "123", Bound: 60, At: 1_000_000_070}},
		}, Late: []rollout.Late{
			{Hash: "dddd", Pod: "124", Name: "web-7f86-y", Step: "soak", Open: true, Bound: 120},
			{Hash: "dddd", Pod: "125", Name: "web-7f86-z", Step: "verify", Failed: true},
		}},
	}}
	var out bytes.Buffer
	if err := Table(&out, r.View()); err != nil {
		t.Fatal(err)
	}
	want := `paused since 2001-09-09T01:46:40Z
REVISION  HASH          STATE     ACCEPTED  IN FLIGHT  SINCE                 NOTE
7f86      dddd          canary    1/2       1          2001-09-09T01:47:40Z  3 canaries lost in a row
7f86      aaaaaaaaaaaa  stable    -         -          -
5d9c      aaaaaaaaaaaa  stable    -         -          -
5d9c      bbbb          previous  -         -          -
5d9c      cccc          rejected  -         -          2001-09-09T01:46:41Z  by web-5d9c-x at step validate

POD         HASH  STATE            SINCE                 UNTIL                 WAITS FOR
123         dddd  trying           2001-09-09T01:47:50Z  2001-09-09T01:49:20Z  its report
web-7f86-y  dddd  relapsed (soak)  -                     -                     what it says next
web-7f86-z  dddd  failed (verify)  -                     -                     -
`
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
}

// TestTableOfNothing: a fleet that is new, and paused before its first edit.
func TestTableOfNothing(t *testing.T) {
	var out bytes.Buffer
	err := Table(&out, rollout.Record{}.Pause(1_000_000_000).View())
	if want := "paused since 2001-09-09T01:46:40Z\nnothing has been rolled out yet\n"; err != nil || out.String() != want {
		t.Errorf("got %q, %v", out.String(), err)
	}
}

// TestTableIsText: whoever may update the Lease may write what a terminal takes
// for a command, or for another row.
func TestTableIsText(t *testing.T) {
	r := rollout.Record{Revisions: []*rollout.Revision{
		{Name: "5d9c\x1b[2J", Rejected: []rollout.Rejection{{Hash: "c\tc", Step: "verify\r", Pod: "web\n7f86  dddd  stable"}}},
	}}
	var out bytes.Buffer
	if err := Table(&out, r.View()); err != nil {
		t.Fatal(err)
	}
	want := "REVISION  HASH  STATE     ACCEPTED  IN FLIGHT  SINCE  NOTE\n" +
		"5d9c\ufffd[2J  c c   rejected  -         -          -      by web\ufffd7f86  dddd  stable at step verify\ufffd\n"
	if out.String() != want {
		t.Errorf("got\n%q", out.String())
	}
}
