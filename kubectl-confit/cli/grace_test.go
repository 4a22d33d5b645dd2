package cli

import (
	"fmt"
	"strings"
	"testing"
)

// late is a note about a grace period of so many seconds.
func late(seconds int, by, write string) string {
	return fmt.Sprintf("terminationGracePeriodSeconds is %d, and a script at the entrypoint gets the TERM of a stop after %s: KILL comes first; "+
		"write terminationGracePeriodSeconds: %s\n", seconds, by, write)
}

// alone is a pod with a grace period of so many seconds.
const alone = `
metadata: {name: alone}
spec:
  terminationGracePeriodSeconds: %s
  containers: [{name: web, command: [confit, --, web], volumeMounts: [{name: web, mountPath: /confit/web}]}]
  volumes: [{name: web, configMap: {name: web}}]
`

const (
	byDefault = "25s (--stop-timeout 30s, the default)"
	instead   = "30 or more, or CONFIT_STOP_TIMEOUT 20s or less"
)

// TestCheckGrace: the verb names containers whose grace period is too short for a script at the entrypoint, and goes
// on.
func TestCheckGrace(t *testing.T) {
	for grace, said := range map[string]string{
		"30": "",
		"20": "kubectl-confit: container web of pod alone: " + late(20, byDefault, instead),
		"0":  "kubectl-confit: container web of pod alone: " + late(0, byDefault, "30 or more"),
	} {
		n := newNode(t, podFrom(t, fmt.Sprintf(alone, grace)))
		if r := n.check(newWeb); r != (result{0, "TAKEN: configmap/web, container web of pod alone\n", said}) {
			t.Errorf("%s: got %+v", grace, r)
		}
	}
}

// TestInjectGrace: the note has its line, holds nothing up, and comes again for what was rewritten; a pod that has
// confit is named, too, and none whose containers never get it.
func TestInjectGrace(t *testing.T) {
	const grace = "  terminationGracePeriodSeconds: 20"
	env := func(value string) string { return "    env: [{name: CONFIT_STOP_TIMEOUT, " + value + "}]" }
	note := `web.yaml:8: Pod "web": container "one": `
	for name, c := range map[string]struct{ manifest, want string }{
		"shorter":   {podOf(grace, one, command, mounted), note + late(20, byDefault, instead)},
		"zero":      {podOf("  terminationGracePeriodSeconds: 0", one, command, mounted), note + late(0, byDefault, "30 or more")},
		"longer":    {podOf("  terminationGracePeriodSeconds: 26", one, command, mounted), ""},
		"unset":     {podOf(one, command, mounted), ""},
		"variable":  {podOf(one, command, env("value: 2m"), mounted), strings.Replace(strings.Replace(note, ":8:", ":9:", 1)+late(30, "115s (CONFIT_STOP_TIMEOUT 2m)", "120 or more, or CONFIT_STOP_TIMEOUT 30s or less"), "is 30,", "is 30, the default,", 1)},
		"shortened": {podOf(grace, one, command, env("value: 20s"), mounted), ""},
		"unknown":   {podOf(grace, one, command, env("valueFrom: {configMapKeyRef: {name: a, key: b}}"), mounted), ""},
		"its own":   {podOf(grace, one, "    command: [/confit, --stop-timeout, 1m, --, web]"), note + late(20, "55s (--stop-timeout 1m)", "60 or more, or --stop-timeout 20s or less")},
		"no confit": {podOf(grace, one, command), ""},
	} {
		r := rewrite(t, c.manifest, "--image", confitImage)
		var got string
		for line := range strings.Lines(r.stderr) {
			if strings.Contains(line, "KILL") {
				got += line
			}
		}
		if r.code != 0 || got != c.want {
			t.Errorf("%s: got %+v, want %s", name, r, c.want)
		}
		if follows := strings.Contains(c.manifest, "subPath"); strings.Contains(r.stdout, "link conf/a /etc/web/a") != follows {
			t.Errorf("%s: rewritten: %v", name, !follows)
		}
		if again := rewrite(t, r.stdout, "--image", confitImage); again.stdout != r.stdout || strings.Contains(again.stderr, "KILL") != (c.want != "") {
			t.Errorf("%s: again: got %+v", name, again)
		}
	}
}
