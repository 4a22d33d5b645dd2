package status

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
)

// randomKeys has keys with all that JSON has to escape, and values of some.
func randomKeys[S ~string](r *rand.Rand) map[string]S {
	names := []string{"web/a", "web/b", `quo"te`, `back\slash`, "<&>", "größe", "line\u2028", "..", "{", "}", "keys", `"keys": null`}
	keys := map[string]S{}
	for range r.IntN(6) {
		keys[names[r.IntN(len(names))]+fmt.Sprint(r.IntN(3))] = S(hash(string('0' + rune(r.IntN(10)))))
	}
	return keys
}

// randomDifferences are sometimes none at all, and some are missing.
func randomDifferences(r *rand.Rand) map[string]Sum {
	if r.IntN(4) == 0 {
		return nil
	}
	keys := randomKeys[Sum](r)
	keys["missing"] = ""
	if r.IntN(4) == 0 {
		clear(keys)
	}
	return keys
}

// plain is what encoding/json makes of a status by itself.
func plain(s Status) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	s.Version = Version
	if s.Volumes == nil {
		s.Volumes = []Volume{}
	}
	if s.Keys == nil {
		s.Keys = map[string]string{}
	}
	_ = e.Encode(s)
	return b.Bytes()
}

// TestEncoder: whatever the statuses are that follow one another, and whatever of them is
// the same, each is encoded as encoding/json does it.
func TestEncoder(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		var e Encoder
		s := Status{}
		for step := range 20 {
			next := s
			switch r.IntN(6) {
			case 0:
				next.Keys = randomKeys[string](r)
				e.SetKeys(next.Keys)
			case 1:
				next.Mounted = &Mounted{Hash: hash("c"), Since: at(step), Keys: randomDifferences(r)}
			case 2:
				next.Rejection = &Rejection{Step: "validate", Output: "\"keys\": null", Keys: randomDifferences(r)}
			case 3:
				next.Mounted, next.Rejection = nil, nil
			case 4:
				next = whole()
				e.SetKeys(next.Keys)
			default:
				next.Phase, next.Volumes = fmt.Sprint("phase ", step), []Volume{{Patterns: []string{`"keys": null`, "keys"}}}
			}
			s = next
			before := fmt.Sprintf("%+v", s)
			if got, want := e.Encode(&s), plain(s); !bytes.Equal(got, want) || !bytes.Equal(s.Encode(), want) {
				t.Fatalf("seed %d, step %d: got\n%s\nwant\n%s", seed, step, got, want)
			}
			if after := fmt.Sprintf("%+v", s); after != before {
				t.Fatalf("seed %d: encoding made %s of %s", seed, after, before)
			}
		}
	}
}

// manyKeys is a status with 10,000 keys, all of which are mounted otherwise, and rejected.
func manyKeys() Status {
	s := whole()
	s.Keys = map[string]string{}
	s.Mounted.Keys = map[string]Sum{}
	for i := range 10_000 {
		s.Keys[fmt.Sprintf("web/%d.conf", i)] = hash("f")
		s.Mounted.Keys[fmt.Sprintf("web/%d.conf", i)] = Sum(hash("e"))
	}
	s.Rejection.Keys = maps.Clone(s.Mounted.Keys)
	return s
}

// TestEncoder_once: another phase encodes no key again. Each key that is encoded is allocated.
func TestEncoder_once(t *testing.T) {
	s := manyKeys()
	var e Encoder
	e.SetKeys(s.Keys)
	e.Encode(&s)
	phase := 0
	another := func() {
		phase++
		s.Phase = fmt.Sprint("phase ", phase)
		s.Mounted, s.Rejection = new(*s.Mounted), new(*s.Rejection)
		e.Encode(&s)
	}
	if n := testing.AllocsPerRun(10, another); n > 1000 {
		t.Errorf("another phase allocates %v times: it encodes keys again", n)
	}
	s.Mounted.Keys = maps.Clone(s.Mounted.Keys)
	if n := testing.AllocsPerRun(1, func() { s.Mounted.Keys = maps.Clone(s.Mounted.Keys); e.Encode(&s) }); n < 10_000 {
		t.Errorf("other keys allocate %v times: they can't have been encoded", n)
	}
}

// TestEncoder_releases: what no status has any more isn't held.
func TestEncoder_releases(t *testing.T) {
	var e Encoder
	s := manyKeys()
	e.Encode(&s)
	s.Mounted, s.Rejection = nil, nil
	if e.Encode(&s); e.mounted.text != nil || e.mounted.keys != nil || e.rejected.text != nil || e.rejected.keys != nil {
		t.Error("differences are held that no status has any more")
	}
}

func BenchmarkEncoder(b *testing.B) {
	s := manyKeys()
	var e Encoder
	e.SetKeys(s.Keys)
	b.ReportAllocs()
	for b.Loop() {
		e.Encode(&s)
	}
}
