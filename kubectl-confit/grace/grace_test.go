package grace_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"confit/kubectl-confit/grace"
)

// TestLate: which grace periods end before a script gets its TERM, and what to write instead. The figures are confit's:
// 5 s before --stop-timeout is over, or half of it if that is later.
func TestLate(t *testing.T) {
	const (
		app      = "command: [confit, --, web]"
		byFlag   = "command: [confit, --stop-timeout, %s, --, web]"
		variable = app + ", env: [{name: CONFIT_STOP_TIMEOUT, value: %q}]"
		line     = app + ", env: [{name: CONFIT_LINES, value: \"link a/b /c\\nstop-timeout %s\"}]"
	)
	for _, c := range []struct{ grace, container, want string }{
		{"", app, ""},
		{"", "image: web", ""}, // its flags are the image's
		{"30", app, ""},
		{"26", app, ""},
		{"25", app, "25, 25s, --stop-timeout 30s, the default, 30, CONFIT_STOP_TIMEOUT 25s"},
		{"25", "image: web", "25, 25s, --stop-timeout 30s, the default, 30, CONFIT_STOP_TIMEOUT 25s"},
		{"0", app, "0, 25s, --stop-timeout 30s, the default, 30, "},
		{"", fmt.Sprintf(byFlag, "34999ms"), ""},
		{"", fmt.Sprintf(byFlag, "35s"), "30; the default, 30s, --stop-timeout 35s, 35, --stop-timeout 30s"},
		{"", "command: [confit, --stop-timeout=2m, --, web, --stop-timeout, 1s]", "30; the default, 115s, --stop-timeout 2m, 120, --stop-timeout 30s"},
		{"60", fmt.Sprintf(byFlag, "1m4s"), ""},
		{"60", fmt.Sprintf(byFlag, "1m5s"), "60, 60s, --stop-timeout 1m5s, 65, --stop-timeout 60s"},
		{"4", fmt.Sprintf(byFlag, "7s"), ""},
		{"4", fmt.Sprintf(byFlag, "8.5s"), "4, 4.25s, --stop-timeout 8.5s, 9, --stop-timeout 4s"}, // half of it is later
		{"0", fmt.Sprintf(byFlag, "0"), "0, 0s, --stop-timeout 0, 1, "},
		{"", "command: [confit, --stop-timeout, 1h, --stop-timeout, 1s, --, web]", ""}, // the last counts
		{"", fmt.Sprintf(variable, "10m"), "30; the default, 595s, CONFIT_STOP_TIMEOUT 10m, 600, CONFIT_STOP_TIMEOUT 30s"},
		{"20", fmt.Sprintf(variable, "20s"), ""},
		{"", "image: web, env: [{name: CONFIT_STOP_TIMEOUT, value: 10m}]", "30; the default, 595s, CONFIT_STOP_TIMEOUT 10m, 600, CONFIT_STOP_TIMEOUT 30s"},
		{"", fmt.Sprintf(byFlag, "1s") + ", env: [{name: CONFIT_STOP_TIMEOUT, value: 10m}]", ""}, // a flag goes before a variable
		{"", fmt.Sprintf(byFlag, "$(T)") + ", env: [{name: T, value: 10m}]", "30; the default, 595s, --stop-timeout 10m, 600, --stop-timeout 30s"},
		{"", fmt.Sprintf(line, "10m"), "30; the default, 595s, the line stop-timeout 10m, 600, the line stop-timeout 30s"},
		{"20", fmt.Sprintf(line, "20s"), ""},
		{"", "command: [confit, --lines, stop-timeout 10m, --, web]", "30; the default, 595s, the line stop-timeout 10m, 600, the line stop-timeout 30s"},
		{"", "command: [confit, --lines, stop-timeout 1s, --, web], env: [{name: CONFIT_LINES, value: stop-timeout 10m}]", ""}, // they don't add up
		{"25", app + ", env: [{name: CONFIT_LINES, value: ''}]", "25, 25s, --stop-timeout 30s, the default, 30, CONFIT_STOP_TIMEOUT 25s"},
		{"", app + ", env: [{name: CONFIT_STOP_TIMEOUT, value: 10m}, {name: CONFIT_STOP_TIMEOUT, value: 1s}]", ""},

		// Nobody knows, or confit refuses it.
		{"1", fmt.Sprintf(byFlag, "$(T)"), ""},
		{"1", fmt.Sprintf(byFlag, "5"), ""},
		{"1", fmt.Sprintf(byFlag, "-5s"), ""},
		{"1", fmt.Sprintf(variable, ""), ""},
		{"1", app + ", env: [{name: CONFIT_STOP_TIMEOUT, valueFrom: {configMapKeyRef: {name: a, key: b}}}]", ""},
		{"1", app + ", env: [{name: CONFIT_LINES, valueFrom: {configMapKeyRef: {name: a, key: b}}}]", ""},
		{"1", "command: [confit, --from-the-future, --, web]", ""},

		// confit holds no stop there.
		{"1", "command: [confit, --entrypoint-timeout, 0, --, web]", ""},
		{"1", "command: [confit, --status], env: [{name: CONFIT_STOP_TIMEOUT, value: 10m}]", ""},
	} {
		spec := "containers: [{name: c, " + c.container + "}]"
		if c.grace != "" {
			spec += "\nterminationGracePeriodSeconds: " + c.grace
		}
		var p corev1.PodSpec
		if err := yaml.UnmarshalStrict([]byte(spec), &p); err != nil {
			t.Fatal(err)
		}
		got := grace.Late(p.TerminationGracePeriodSeconds, &p.Containers[0])
		if want := sentence(c.want); got != want {
			t.Errorf("%s with %q: got\n%s\nwant\n%s", c.container, c.grace, got, want)
		}
	}
}

// sentence is that with these words: the grace period, when TERM comes, why, and what to write instead of both.
func sentence(words string) string {
	if words == "" {
		return ""
	}
	w := strings.Split(strings.Replace(words, "30s, the default", "30s; the default", 1), ", ")
	s := fmt.Sprintf("terminationGracePeriodSeconds is %s, and a script at the entrypoint gets the TERM of a stop after %s (%s): KILL comes first; "+
		"write terminationGracePeriodSeconds: %s or more", strings.Replace(w[0], ";", ",", 1), w[1], strings.Replace(w[2], ";", ",", 1), w[3])
	if w[4] != "" {
		s += ", or " + w[4] + " or less"
	}
	return s
}
