package render

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzRead: whatever a key holds, it is read or refused. What was read is written as
// YAML and as JSON that say the same, and no error quotes it.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"a: &x {b: 1.10, c: [1e6, .inf, 0x1F, 0644]}\nd: {<<: *x}", `{"a": [1, 2.50, null, true, "é"], "b": {}}`, "- yes\n- ~\n- 2024-01-02\n- !!binary aGk=\n- !!binary 0000",
		"a: 'x'\nb: |\n  y\n? c\n: d", "a: 1\na: 2", "*secret", "!!int secret", "{? [a] : 1}", "a: &a [*a]", "---\n1\n---\n2", "[1e999, -0.0, 18446744073709551616]", "['1e999', '-2e-400']",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, read := range map[string]func(string) (any, error){"YAML": fromYAML, "JSON": fromJSON} {
			v, err := read(text)
			if err != nil {
				if strings.ContainsAny(strings.ReplaceAll(err.Error(), "can't", ""), "`'\"") {
					t.Fatalf("%s: %v quotes the text", name, err)
				}
				continue
			}
			same(t, name, v)
		}
	})
}

// same holds that a value is the same when it was written and is read again.
func same(t *testing.T, name string, v any) {
	t.Helper()
	before, err := json.Marshal(v)
	if err != nil || !isUTF8(v) {
		return // JSON has no infinity, and no bytes
	}
	written, err := toYAML(v)
	if err != nil {
		t.Fatalf("%s %s can't be written: %v", name, before, err)
	}
	for reader, again := range map[string]func() (any, error){
		"YAML": func() (any, error) { return fromYAML(written + "\n") }, "JSON": func() (any, error) { return fromJSON(string(before)) },
	} {
		found, err := again()
		if err != nil {
			t.Fatalf("%s %s was written as %q, which can't be read as %s: %v", name, before, written, reader, err)
		}
		if after, err := json.Marshal(found); err != nil || string(after) != string(before) {
			t.Fatalf("%s %s was written as %q, which is %s in %s: %v", name, before, written, after, reader, err)
		}
	}
}
