package check

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestStateInMemory: where PID 1's state is, as the spec says it.
func TestStateInMemory(t *testing.T) {
	for name, c := range map[string]struct {
		mounts, flags string
		want          bool
	}{
		"nowhere":           {"", "", false},
		"on disk":           {", {name: disk, mountPath: /run/confit}", "", false},
		"in memory":         {", {name: memory, mountPath: /run/confit/, subPath: x}", "", true},
		"above":             {", {name: memory, mountPath: /run}", "", true},
		"between":           {", {name: memory, mountPath: /run}, {name: disk, mountPath: /run/confit}", "", false},
		"beside":            {", {name: memory, mountPath: /run/conf}", "", false},
		"elsewhere by flag": {", {name: memory, mountPath: /state}", "--state, /state, ", true},
		"and not there":     {", {name: memory, mountPath: /run/confit}", "--state, /state, ", false},
	} {
		pod := readPod(t, strings.NewReplacer("MOUNTS", c.mounts, "FLAGS", c.flags).Replace(`
metadata: {name: web, uid: web}
spec:
  containers: [{name: web, command: [confit, FLAGS--, web], volumeMounts: [{name: w, mountPath: /confit/w}MOUNTS]}]
  volumes: [{name: w, configMap: {name: web}}, {name: disk, emptyDir: {}}, {name: memory, emptyDir: {medium: Memory}}]
`))
		trials := Trials([]*corev1.Pod{pod}, Given{webMap: {}})
		if len(trials) != 1 || trials[0].stateInMemory() != c.want {
			t.Errorf("%s: want %v", name, c.want)
		}
	}
}
