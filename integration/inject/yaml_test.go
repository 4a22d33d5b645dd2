//go:build fleet

package inject

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// text is a JSON value as YAML that people like to read: keys in order, plain words without quotes, lines as lines.
func text(value any) string {
	var b strings.Builder
	write(&b, value, "")
	return strings.TrimPrefix(b.String(), "\n")
}

// write writes what stands behind "key:" or "-", with its line break.
func write(b *strings.Builder, value any, indent string) {
	switch v := value.(type) {
	case object:
		if len(v) == 0 {
			b.WriteString(" {}\n")
			return
		}
		b.WriteString("\n")
		writeObject(b, v, indent)
	case list:
		if len(v) == 0 {
			b.WriteString(" []\n")
			return
		}
		b.WriteString("\n")
		for _, item := range v {
			writeItem(b, item, indent)
		}
	default:
		b.WriteString(" " + scalar(v, indent) + "\n")
	}
}

func writeObject(b *strings.Builder, v object, indent string) {
	for _, key := range slices.Sorted(maps.Keys(v)) {
		b.WriteString(indent + scalar(key, indent) + ":")
		if _, ok := v[key].(list); ok {
			write(b, v[key], indent)
		} else {
			write(b, v[key], indent+"  ")
		}
	}
}

// writeItem writes an object's first key behind the dash.
func writeItem(b *strings.Builder, item any, indent string) {
	if v, ok := item.(object); ok && len(v) > 0 {
		var inner strings.Builder
		writeObject(&inner, v, indent+"  ")
		b.WriteString(indent + "- " + strings.TrimPrefix(inner.String(), indent+"  "))
		return
	}
	b.WriteString(indent + "-")
	write(b, item, indent+"  ")
}

// plainWords need no quotes: they can't be read as anything but a string, nor end early.
var plainWords = regexp.MustCompile(`^(-{0,2}[A-Za-z/]|[0-9]+[A-Z][a-z]$)[A-Za-z0-9_./=+@$()-]*([ :][A-Za-z0-9_./=+@$()-]+)*$`)

// notWords look like one.
var notWords = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}

func scalar(v any, indent string) string {
	s, ok := v.(string)
	switch {
	case ok && plainWords.MatchString(s) && !slices.Contains(notWords, strings.ToLower(s)):
		return s
	case ok && strings.Contains(s, "\n") && !strings.ContainsAny(s, "\r\t") && s == strings.TrimSpace(s):
		return "|-\n" + indent + strings.ReplaceAll(s, "\n", "\n"+indent)
	}
	quoted, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(quoted)
}
