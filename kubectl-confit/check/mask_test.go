package check

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"confit/kubectl-confit/pods"
)

// TestMask: what is hidden, and what isn't.
func TestMask(t *testing.T) {
	other := pods.Object{Kind: pods.Secret, Name: "other"}
	m := NewMask(map[pods.Object]map[string][]byte{
		webMap: {"public": []byte("worker_processes")},
		webSecret: {
			"short": []byte("1234567"), "pass": []byte("correct horse\n"), "key": []byte("-----BEGIN-----\n  AAAABBBB\r\nshort\n-----END-----\n"),
			"part": []byte("horse battery"),
		},
		other: {"same": []byte("correct horse"), "name": []byte("secret/web")},
	})
	for text, want := range map[string]string{
		"":                               "",
		"worker_processes 1234567 short": "worker_processes 1234567 short",
		"got correct horse.":             "got [same of secret/other].",
		"correct horse battery staple":   "[same of secret/other] staple",
		"correct horsecorrect horse":     "[same of secret/other]",
		"line AAAABBBB:":                 "line [key of secret/web]:",
		"-----BEGIN-----\n  AAAABBBB\r\nshort\n-----END-----": "[key of secret/web]",
		"in secret/web":  "in [name of secret/other]",
		"CORRECT HORSE ": "CORRECT HORSE ",
	} {
		if got := string(m.Hide([]byte(text))); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestMaskAll: whatever the values and the text are, none of them is left in it.
func TestMaskAll(t *testing.T) {
	for range 2000 {
		values := map[string][]byte{}
		var text []byte
		for _, key := range []string{"1", "2", "3"} {
			values[key] = word(8 + rand.IntN(6))
			text = append(append(text, word(rand.IntN(20))...), values[key][rand.IntN(3):]...)
		}
		for _, key := range []string{"1", "2", "3"} {
			text = append(text, values[key]...)
		}
		got := NewMask(map[pods.Object]map[string][]byte{webSecret: values}).Hide(text)
		for key, v := range values {
			if bytes.Contains(got, v) {
				t.Fatalf("value %s, %q, of %q is in %q", key, v, text, got)
			}
		}
	}
}

// word is of few letters, so that values overlap.
func word(n int) []byte {
	var b strings.Builder
	for range n {
		b.WriteByte("xy"[rand.IntN(2)])
	}
	return []byte(b.String())
}
