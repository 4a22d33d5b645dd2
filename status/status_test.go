package status

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write testdata anew, to be read before it is committed")

func at(second int) Time {
	return At(time.Date(2026, 11, 21, 10, 0, second, 123456789, time.FixedZone("", 3600)))
}

func hash(digit string) string { return strings.Repeat(digit, 64) }

// whole has something in every field.
func whole() Status {
	return Status{
		Version: Version, Confit: "1.2.3", Updated: at(59), Phase: "validating",
		Degraded: "panic: index out of range", Trouble: "cannot write generation 8: no space left on device", Damaged: true, Stalled: at(40), LinksChanged: at(4),
		App: App{PID: 7, Started: at(1), Restarts: 2, Reload: "restart: it left at HUP", Read: new(true), Text: "3 workers <idle>",
			LastExit:   &Exit{At: at(2), Status: "signal 9", Code: 137, OOMKilled: true},
			Entrypoint: &Entrypoint{Program: "bash /docker-entrypoint.sh", Since: at(3), Until: at(55)}},
		Mounted:      &Mounted{Hash: hash("c"), Shared: hash("e"), Since: at(30), Keys: map[string]Sum{"web/nginx.conf": Sum(hash("3")), "srv/app/flags.json": ""}},
		Live:         &Generation{Number: 7, Hash: hash("b"), Source: "mounted", Since: at(20)},
		Accepted:     &Accepted{Generation{Number: 6, Hash: hash("a"), Source: "fallback", Since: at(10)}, "probation", true, at(56)},
		GoneDown:     &GoneDown{Generation{Number: 7, Hash: hash("b"), Source: "mounted", Since: at(20)}, "the app ended with exit 1 8s after its start", at(57)},
		Unwell:       "verify: hook ended with exit 1",
		Candidate:    &Generation{Number: 8, Hash: hash("c"), Source: "mounted", Since: at(31)},
		PendingSince: at(30),
		Rejection: &Rejection{At: at(25), Hash: hash("d"), Step: "validate", Reason: "hook ended with exit 1",
			Output: "nginx: [emerg] unknown directive \"sever\"\n", Attempts: 3, NextTry: at(58),
			Keys: map[string]Sum{"web/nginx.conf": Sum(hash("4"))}, HeldUp: map[string]Time{"tls/tls.crt": at(20)}},
		Gate:   &Gate{Hash: hash("e"), Since: at(32), Waits: "accepted of 08e2a94b6c5d"},
		Report: &Report{At: at(26), Hash: hash("d"), Outcome: "rejected", Delivered: true, Error: "hook ended with exit 1"},
		Volumes: []Volume{
			{Path: "/confit/web", Kind: "atomic", Watched: "inotify", Mounted: "..2026_11_21_09_00_30.123456789",
				Prefix: "web", Patterns: []string{"conf.d/*.conf", "nginx.conf"}},
			{Path: "/srv/app", Kind: "plain", Watched: "polling", Prefix: "srv/app", Patterns: []string{"./"}},
		},
		Keys:     map[string]string{"web/nginx.conf": hash("1"), "srv/app/flags.json": hash("2")},
		Counters: Counters{Swaps: 1, Reloads: 2, Rejections: 3, RollBacks: 4, Orphans: 5},
	}
}

// TestSampleIsWhole keeps the golden file from missing a field.
func TestSampleIsWhole(t *testing.T) {
	fields(reflect.ValueOf(whole()), "", func(path string, v reflect.Value) {
		if v.IsZero() {
			t.Errorf("%s is empty in the sample: give it a value", path)
		}
	})
}

// TestGolden holds the schema, byte for byte. Whatever this file loses needs a new
// Version.
func TestGolden(t *testing.T) {
	for name, s := range map[string]Status{"whole": whole(), "empty": {}} {
		file := "testdata/" + name + ".json"
		got := s.Encode()
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: got\n%swant\n%s(%v)", file, got, want, err)
		}
	}
}

// TestThereAndBack: a status is the same after encoding and decoding, and encoding
// doesn't change it.
func TestThereAndBack(t *testing.T) {
	for _, s := range []Status{whole(), {}} {
		before := fmt.Sprintf("%+v", s)
		data := s.Encode()
		if after := fmt.Sprintf("%+v", s); after != before {
			t.Errorf("encoding made %s of %s", after, before)
		}
		back, err := Decode(data)
		if err != nil || !bytes.Equal(back.Encode(), data) {
			t.Errorf("decoded as %+v, %v", back, err)
		}
	}
}

// TestDecodeErrors: it refuses what isn't a status, and a newer status by its
// version, whatever else has changed.
func TestDecodeErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "cannot read the status: unexpected end of JSON input",
		`{"version": 1, "phase": "run`:   "cannot read the status: unexpected end of JSON input",
		`{}`:                             "cannot read the status: it has no version, so confit didn't write it",
		`{"version": 2}`:                 "cannot read the status: it is of version 2, this confit knows version 1: ask the confit that wrote it",
		`{"version": 2, "app": "nginx"}`: "cannot read the status: it is of version 2, this confit knows version 1: ask the confit that wrote it",
		`{"version": 1, "app": "nginx"}`: "cannot read the status: json: cannot unmarshal string into Go struct field Status.app of type status.App",
	} {
		if _, err := Decode([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// TestDecodeNewFields: it reads a status with a field that a later confit added.
func TestDecodeNewFields(t *testing.T) {
	if s, err := Decode([]byte(`{"version": 1, "phase": "running", "weather": {"sun": true}}`)); err != nil || s.Phase != "running" {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestVerdict walks through the life of a change.
func TestVerdict(t *testing.T) {
	mounted := func(h string) *Mounted { return &Mounted{Hash: h} }
	accepted := func(h string) *Accepted { return &Accepted{Generation: Generation{Hash: h}} }
	live := func(h string) *Generation { return &Generation{Hash: h} }
	rejected := func(h string) *Rejection { return &Rejection{Hash: h} }
	for what, tt := range map[string]struct {
		status Status
		want   int
	}{
		"nothing yet":               {Status{}, Well},
		"the first is on its way":   {Status{Mounted: mounted("a"), PendingSince: at(1)}, Well},
		"the first is rejected":     {Status{Mounted: mounted("a"), Rejection: rejected("a")}, Rejected},
		"quiet":                     {Status{Mounted: mounted("a"), Live: live("a"), Accepted: accepted("a")}, Well},
		"a change is on its way":    {Status{Mounted: mounted("b"), Live: live("a"), Accepted: accepted("a"), PendingSince: at(1)}, Well},
		"it is being proved":        {Status{Mounted: mounted("b"), Live: live("b"), Accepted: accepted("a")}, Well},
		"it is rejected":            {Status{Mounted: mounted("b"), Live: live("a"), Accepted: accepted("a"), Rejection: rejected("b")}, Rejected},
		"its retry is being proved": {Status{Mounted: mounted("b"), Live: live("b"), Accepted: accepted("a"), Rejection: rejected("b")}, Rejected},
		"its retry worked":          {Status{Mounted: mounted("b"), Live: live("b"), Accepted: accepted("b"), Rejection: rejected("b")}, Well},
		"it is reverted":            {Status{Mounted: mounted("a"), Live: live("a"), Accepted: accepted("a"), Rejection: rejected("b")}, Well},
		"its repair is on its way":  {Status{Mounted: mounted("c"), Live: live("a"), Accepted: accepted("a"), Rejection: rejected("b"), PendingSince: at(1)}, Well},
		"a key is missing":          {Status{Mounted: mounted(""), Live: live("a"), Accepted: accepted("a"), Rejection: rejected("")}, Rejected},
		"something was swapped in":  {Status{Mounted: mounted(""), Live: live("a"), Accepted: accepted("a"), Rejection: rejected(""), PendingSince: at(1)}, Well},
		"the disk is full":          {Status{Mounted: mounted("b"), Live: live("a"), Accepted: accepted("a"), PendingSince: at(1), Trouble: "no space"}, Rejected},
		"a link can't be repaired":  {Status{Mounted: mounted("a"), Live: live("a"), Accepted: accepted("a"), Trouble: "led away"}, Well},
		"degraded":                  {Status{Mounted: mounted("a"), Live: live("a"), Accepted: accepted("a"), Degraded: "panic"}, Rejected},
	} {
		if got := tt.status.Verdict(); got != tt.want {
			t.Errorf("%s: %d, want %d", what, got, tt.want)
		}
	}
}

// TestForeignBytes: whatever bytes a hook printed, the status holds text.
func TestForeignBytes(t *testing.T) {
	s := Status{Rejection: &Rejection{Output: "\x1b[31m\xff\x00 & <b>\n"}}
	data := s.Encode()
	if !json.Valid(data) || !strings.Contains(string(data), `"\u001b[31m\ufffd\u0000 & <b>\n"`) {
		t.Errorf("encoded as %s", data)
	}
}

// fields calls found with the path of each field, such as volumes[].kind, and its
// value.
func fields(v reflect.Value, path string, found func(path string, v reflect.Value)) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v = reflect.Zero(v.Type().Elem())
		} else {
			v = v.Elem()
		}
	}
	if v.Kind() != reflect.Struct || v.Type() == reflect.TypeFor[Time]() {
		found(path, v)
		return
	}
	for i := range v.NumField() {
		f, value := v.Type().Field(i), v.Field(i)
		name := f.Tag.Get("json")
		switch {
		case f.Anonymous:
			fields(value, path, found)
			continue
		case path != "":
			name = path + "." + name
		}
		if value.Kind() == reflect.Slice && value.Type().Elem().Kind() == reflect.Struct {
			element := reflect.Zero(value.Type().Elem())
			if value.Len() > 0 {
				element = value.Index(0)
			}
			fields(element, name+"[]", found)
			continue
		}
		fields(value, name, found)
	}
}

// TestDocumented: docs/status.md has an item for each field, in order, and no other.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/status.md")
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	_, table, _ := strings.Cut(string(page), "\n## Fields\n")
	for line := range strings.Lines(table) {
		if row, ok := strings.CutPrefix(line, "- `"); ok {
			name, _, _ := strings.Cut(row, "`")
			got = append(got, name)
		}
	}
	fields(reflect.ValueOf(Status{}), "", func(path string, _ reflect.Value) { want = append(want, path) })
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the page describes\n%q\nthere are, in this order,\n%q\nThe page lacks %q, and has %q too many.", got, want, without(want, got), without(got, want))
	}
}

// without is what only the first list has.
func without(list, other []string) (rest []string) {
	for _, s := range list {
		if !slices.Contains(other, s) {
			rest = append(rest, s)
		}
	}
	return rest
}

// BenchmarkEncode has as many keys as a generation may sensibly hold.
func BenchmarkEncode(b *testing.B) {
	s := whole()
	for i := range 10_000 {
		s.Keys[fmt.Sprintf("web/%d.conf", i)] = hash("f")
	}
	for b.Loop() {
		s.Encode()
	}
}
