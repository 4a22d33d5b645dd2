package supervisor

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"confit/status"
)

// status writes down what differs from the last status, or from that of the first
// moment, and how --status ends.
func (p *player) status() {
	if p.shown == nil {
		p.shown = p.fields(observe(&p.config, p.now, &state{seen: &status.Status{}}, &state{}))
	}
	before, now := p.shown, p.fields(p.state.seen)
	p.shown = now
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if len(now[name]) == 0 && len(before[name]) > 0 {
			fmt.Fprintf(&p.out, "    %s null\n", name)
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
			p.out.WriteString("    " + name + line + "\n")
		}
	}
	fmt.Fprintf(&p.out, "    verdict %d\n", p.state.seen.Verdict())
}

// fields has the parts of each field of a status. A null has none; what isn't an
// object has one, without a name.
func (p *player) fields(s *status.Status) map[string]map[string]string {
	var whole map[string]any
	if err := json.Unmarshal(s.Encode(), &whole); err != nil {
		p.t.Fatal(err)
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
