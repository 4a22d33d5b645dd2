package supervisor

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"confit/status"
)

// writeFields writes down what differs from the fields before, and how --status ends. It returns
// all fields, also those that are hidden.
func writeFields(t *testing.T, out *strings.Builder, before map[string]map[string]string, s *status.Status, hidden ...string) map[string]map[string]string {
	now := fieldsOf(t, s)
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if slices.Contains(hidden, name) {
			continue
		}
		if len(now[name]) == 0 && len(before[name]) > 0 {
			fmt.Fprintf(out, "    %s null\n", name)
			continue
		}
		line, parts := "", maps.Clone(now[name])
		maps.Copy(parts, before[name])
		for _, part := range slices.Sorted(maps.Keys(parts)) {
			if value := now[name][part]; value != before[name][part] {
				line += " " + strings.TrimPrefix(part+"="+cmp.Or(value, "null"), "=")
			}
		}
		if line != "" {
			out.WriteString("    " + name + line + "\n")
		}
	}
	fmt.Fprintf(out, "    verdict %d\n", s.Verdict())
	return now
}

// fieldsOf has the parts of each field of a status. A null has none; what isn't an
// object has one, without a name.
func fieldsOf(t *testing.T, s *status.Status) map[string]map[string]string {
	var whole map[string]any
	if err := json.Unmarshal(s.Encode(), &whole); err != nil {
		t.Fatal(err)
	}
	fields := map[string]map[string]string{}
	for name, value := range whole {
		parts, isObject := value.(map[string]any)
		if !isObject && value != nil {
			parts = map[string]any{"": value}
		}
		fields[name] = map[string]string{}
		for part, value := range parts {
			if value != nil {
				fields[name][part] = brief(value)
			}
		}
	}
	return fields
}

// brief is a value as JSON has it, with the first digits of each hash.
func brief(value any) string {
	data, _ := json.Marshal(value)
	return hashDigits.ReplaceAllString(string(data), "$1")
}

var hashDigits = regexp.MustCompile(`([0-9a-f]{12})[0-9a-f]{52}`)
