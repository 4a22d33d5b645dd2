package inject

import "testing"

// TestAgain: only another digest makes a noted command stale, and a command without a note never is.
func TestAgain(t *testing.T) {
	const pod = `{apiVersion: v1, kind: Pod, spec: {volumes: [{name: v, configMap: {name: c}}], containers: [
	{name: a, image: x, volumeMounts: [{name: v, mountPath: /etc/a/k, subPath: k}]}]}}`
	options := func(from string) Options {
		return Options{Image: confitImage, Commands: map[string]Command{"a": {Words: []string{"app"}, From: from}}}
	}
	for _, c := range []struct {
		noted, now string
		stale      int
	}{{"sha256:1", "sha256:1", 0}, {"sha256:1", "sha256:2", 1}, {"", "sha256:2", 0}} {
		document := parse(t, pod)
		rewrite(t, document, options(c.noted))
		if got := read(t, document).Again(options(c.now)); len(got) != c.stale {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}
