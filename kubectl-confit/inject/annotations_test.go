//go:build linux

package inject

import (
	"testing"

	"confit/config"
)

// TestMistakes: what confit refuses of an option is a mistake, and nothing else. CEL has the same patterns: the golden files hold them together.
func TestMistakes(t *testing.T) {
	for option, values := range map[string][]string{
		"stop-signal": {"TERM", "SIGTERM", "sigterm", "Quit", "15", "1", "31", "34", "64", "RTMIN", "RTMIN+1", "rtmin+30", "RTMAX-2", "IOT", "POLL", "CLD", "USR1", " HUP ",
			"KILL", "STOP", "9", "19", "0", "32", "65", "FOO", "TERM,", "RTMIN+31", "RTMIN-1", "SIG", "-1", "", " ", "A B"},
		"reload": {"auto", "touch", "restart", "none", "signal:HUP", "signal:sigusr2", "signal:12", "exec:nginx -s reload", "exec: a", " none ",
			"HUP", "nonsense", "signal:", "signal:KILL", "signal:FOO", "exec:", "exec:  ", "Auto", "reload", "none none", "signal: HUP"},
		"probation": {"0", "0s", "5s", "1m30s", "1.5h", ".5s", "500ms", "10us", "10µs", "1h2m3s4ms", "+5s", " 5s ",
			"5", "-1s", "five", "5 s", "5sec", "1d", "s", ".s", "5s,"},
		"validate": {"nginx -t", " ", "a 'b c'"},
	} {
		for _, value := range values {
			_, err := config.Parse([]string{"confit", "--check", "--lines", "link web/a /etc/app/a\n" + option + " " + value, "--", "app"}, nil)
			if value == "" {
				err = nil // it takes the pod's away
			}
			if wrong := mistake("confit/"+option, value); (wrong != "") != (err != nil) {
				t.Errorf("%s %q: the mistake is %q, and confit says %v", option, value, wrong, err)
			}
		}
	}
}
