package rollout

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// watched is a rollout in which everything happens at once.
func watched() Record {
	return Record{PausedAt: 5, Snapshot: "A", Revisions: []*Revision{
		{Name: "old", Stable: "A", Rejected: []Rejection{{Hash: "X", Step: "verify", Pod: "web-1", At: 1}}},
		{
			Name: "new", Seen: 9, Stable: "A", Previous: "O", Proofs: []Proof{{Hash: "A", Proved: true, At: 2}},
			Trial: &Trial{Hash: "B", Since: 3, Canaries: 2, Accepted: 1, Holds: []Hold{{Pod: "u2", Name: "web-2", Bound: 60, At: 4}}},
			Late:  []Late{{Hash: "B", Pod: "u3", Name: "web-3", Step: "soak", Open: true, Bound: 120, At: 5}},
		},
	}}
}

// TestView: what kubectl and scripts read. Fields are added, and none goes.
func TestView(t *testing.T) {
	text, err := json.Marshal(watched().View())
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"paused":false,"pausedAt":"1970-01-01T00:00:05Z","snapshot":"A","revisions":[` +
		`{"name":"new","seen":"1970-01-01T00:00:09Z","hashes":[` +
		`{"hash":"B","state":"canary","proved":false,"since":"1970-01-01T00:00:03Z","tried":true,"canaries":2,"accepted":1,"pods":[` +
		`{"name":"web-2","uid":"u2","state":"trying","since":"1970-01-01T00:00:04Z","until":"1970-01-01T00:01:34Z","waits":"its report"},` +
		`{"name":"web-3","uid":"u3","state":"relapsed","step":"soak","since":"1970-01-01T00:00:05Z","until":"1970-01-01T00:02:35Z","waits":"what it says next"}],` +
		`"waits":"the app of web-3 has ended with it once; the next waits until that pod says more, at most 2m0s"},` +
		`{"hash":"A","state":"stable","proved":true,"since":"1970-01-01T00:00:02Z","tried":false,"pods":[]},` +
		`{"hash":"O","state":"previous","proved":false,"tried":false,"pods":[]}]},` +
		`{"name":"old","hashes":[{"hash":"A","state":"stable","proved":false,"tried":false,"pods":[]},` +
		`{"hash":"X","state":"rejected","proved":false,"since":"1970-01-01T00:00:01Z","tried":false,"pods":[` +
		`{"name":"web-1","state":"rejected","step":"verify","since":"1970-01-01T00:00:01Z"}]}]}]}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

// TestPodViewIs: a UID decides. A name that the record has cut may be that of several.
func TestPodViewIs(t *testing.T) {
	long := strings.Repeat("web-", 11)
	for _, tt := range []struct {
		view      PodView
		uid, name string
		want      bool
	}{
		{PodView{Name: "web-1", UID: "u1"}, "u1", "web-1", true},
		{PodView{Name: "web-1", UID: "u1"}, "u2", "web-1", false}, // another one of that name
		{PodView{Name: "web-1"}, "u1", "web-1", true},
		{PodView{Name: "web-1"}, "u1", "web-10", false},
		{PodView{Name: cut(long + "1")}, "u1", long + "1", true},
		{PodView{Name: cut(long + "1")}, "u2", long + "2", true},
		{PodView{}, "u1", "web-1", false},
	} {
		if got := tt.view.Is(tt.uid, tt.name); got != tt.want {
			t.Errorf("%+v: %s, %s: %v", tt.view, tt.uid, tt.name, got)
		}
	}
}

// TestProgress: what somebody waits for who waits for the end.
func TestProgress(t *testing.T) {
	for name, tt := range map[string]struct {
		prefix string
		edit   func(r *Record)
		want   Progress
	}{
		"relapsed":         {"", func(*Record) {}, Progress{Waits: watched().Revisions[1].halted("B")}},
		"a canary":         {"", func(r *Record) { r.Revisions[1].Late = nil }, Progress{Waits: "1 of 2 canaries have accepted B"}},
		"paused":           {"", func(r *Record) { r.Revisions[1].Late, r.Paused = nil, true }, Progress{Waits: "the rollout is paused"}},
		"many":             {"B", func(r *Record) { r.Revisions[1].Late, r.Revisions[1].Stable = nil, "B" }, Progress{Waits: "1 have accepted B, and some are in flight"}},
		"over":             {"B", func(r *Record) { v := r.Revisions[1]; v.Late, v.Stable, v.Trial.Holds = nil, "B", nil }, Progress{}},
		"unknown":          {"C", func(*Record) {}, Progress{Waits: "nobody has tried C yet", Unknown: true}},
		"rejected":         {"X", func(*Record) {}, Progress{Rejected: "X was rejected by web-1 at step verify"}},
		"rejected, by now": {"", func(r *Record) { r.Revisions[1].reject(Rejection{Hash: "B", Step: "soak", Pod: "web-3"}) }, Progress{Rejected: "B was rejected by web-3 at step soak"}},
		"undone":           {"", func(r *Record) { v := r.Revisions[1]; v.Late, v.Trial.Undone, v.Trial.Holds = nil, true, nil }, Progress{}},
		"nothing is tried": {"", func(r *Record) { r.Revisions[1].Trial = nil }, Progress{}},
		"stable elsewhere": {"A", func(*Record) {}, Progress{}},
	} {
		r := watched()
		if tt.edit(&r); r.Progress(tt.prefix) != tt.want {
			t.Errorf("%s: %+v, want %+v", name, r.Progress(tt.prefix), tt.want)
		}
	}
}

// TestEvents: what is tried, what is stable, and what was rejected, each with its time.
func TestEvents(t *testing.T) {
	r := Record{Revisions: []*Revision{
		{Name: "a", Stable: "A", Proofs: []Proof{{Hash: "A", At: 7}}, Trial: &Trial{Hash: "B", Since: 8}, Rejected: []Rejection{{Hash: "X", Step: "verify", Pod: "web-1", At: 6}}},
		{Name: "b", Stable: "C", Trial: &Trial{Hash: "D", Undone: true}},
	}}
	want := []Event{{"a", "B", "", 8}, {"a", "A", "", 7}, {"a", "X", "X was rejected by web-1 at step verify", 6}, {"b", "C", "", 0}}
	if got := r.Events(); !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}
