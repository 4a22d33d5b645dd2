package config

import (
	"fmt"
	"testing"
)

// TestTouchWithoutTarget: what has no target can't be touched. --reload touch is
// for the links alone.
func TestTouchWithoutTarget(t *testing.T) {
	for text, want := range map[string]string{
		"input web/a reload=touch\n":              `[file:1: reload: "touch" makes a new link, and an input has none: write restart, signal:NAME, exec:COMMAND or none]`,
		"env web/a A reload=touch\n":              `[file:1: reload: "touch" brings no variable to a running app: write restart, or none to have it count from the next start on]`,
		"input web/\nenv web/a A\nreload touch\n": "[]",
	} {
		if _, wrong := readLinks(text); fmt.Sprint(wrong) != want {
			t.Errorf("%q: %v, want %s", text, wrong, want)
		}
	}
}

// TestTouchWholeDirectory: what would never be heard of is refused, wherever it
// is asked for, with the line of the link.
func TestTouchWholeDirectory(t *testing.T) {
	const refused = `[file:1: target "/etc/tls" is one link to a whole directory, which can't be touched: write "/etc/tls/", which links each key]`
	for text, want := range map[string]string{
		"link tls/ /etc/tls reload=touch\n":                 refused,
		"link tls/ /etc/tls\nreload touch\n":                refused,
		"link tls/ /etc/tls reload=restart\nreload touch\n": "[]",
		"link tls/ /etc/tls/\nreload touch\n":               "[]",
		"link tls/a /etc/tls/a\nreload touch\n":             "[]",
		"link tls/* /etc/tls/ reload=touch\n":               "[]",
	} {
		if _, wrong := readLinks(text); fmt.Sprint(wrong) != want {
			t.Errorf("%q: %v, want %s", text, wrong, want)
		}
	}
}
