package hooks

import (
	"strings"
	"testing"
)

// A message names a command as it was written, on one line, and cuts a long one
// between two characters.
func TestHookIsNamed(t *testing.T) {
	for want, command := range map[string][]string{
		`validate "nginx -t" ended with exit 1`:                                    {"nginx", "-t"},
		`validate "nginx -g 'daemon off;'" ended with exit 1`:                      {"nginx", "-g", "daemon off;"},
		`validate "sh -c 'a\nb'" ended with exit 1`:                                {"sh", "-c", "a\nb"},
		`validate "` + strings.Repeat("ü", maxNamed/2) + `…" ended with exit 1`:    {strings.Repeat("ü", maxNamed)},
		`validate "x` + strings.Repeat("ü", maxNamed/2-1) + `…" ended with exit 1`: {"x" + strings.Repeat("ü", maxNamed)},
	} {
		if got := (Hook{Name: "validate", Command: command}).Errorf("ended with %s", "exit 1").Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
