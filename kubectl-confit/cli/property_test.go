package cli

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

var (
	seed      = flag.Uint64("seed", 0, "play this one manifest again")
	manifests = flag.Int("manifests", 100, "so many manifests at random")
)

// TestAnyManifest decorates a manifest at random with comments and blank lines, in several styles, and holds what is true of
// each: every comment is there afterwards, every line that confit has nothing to do with stays as it is, the document beside
// it byte for byte, and a second run changes nothing.
func TestAnyManifest(t *testing.T) {
	for n := range uint64(*manifests) {
		if *seed > 0 {
			n = *seed
		}
		r := rand.New(rand.NewPCG(n, 2))
		given, comments := decorate(r, pickManifest(r))
		other := "---\n# as   it\n\nkind:   ConfigMap # is\n"
		out := must(t, given+other)
		fail := func(what, of string) {
			t.Fatalf("-seed %d: %s %q of\n%s\nin\n%s", n, what, of, given, out)
		}
		if !strings.HasSuffix(out, other) {
			fail("there is no", other)
		}
		for _, c := range comments {
			if strings.Count(out, c) != 1 {
				fail(fmt.Sprintf("there are %d comments", strings.Count(out, c)), c)
			}
		}
		for line := range strings.Lines(given) {
			if strings.Contains(line, "stays") && !strings.Contains(out, line) {
				fail("there is no line", line)
			}
		}
		if again := must(t, out); again != out {
			fail("a second run makes", again)
		}
	}
}

// pickManifest is a Deployment in one of the styles that people write. Lines with the word stays are none of confit's business.
func pickManifest(r *rand.Rand) string {
	manifest := `apiVersion: apps/v1
kind: Deployment
metadata:
  name: stays
  labels: {app: stays}
spec:
  replicas: 2
  template:
    metadata:
      labels:
        app: "stays"
    spec:
      initContainers:
      - name: stays
        command:
        - stays
      containers:
      - name: one
        image: stays:1
        command:
        - web
        - --stays
        env:
        - name: A
          value: stays
        volumeMounts:
        - name: conf
          mountPath: /etc/web/a
          subPath: a
        - name: stays
          mountPath: /data
        - mountPath: /etc/web/b
          name: conf
          subPath: b
        ports:
        - containerPort: 80
          name: stays
      - name: stays
        image: "stays:2"
      volumes:
      - name: conf
        configMap:
          name: stays
      - name: stays
        emptyDir: {}
  revisionHistoryLimit: 3 # stays, too
`
	for _, part := range [][2]string{
		{"        env:\n        - name: A\n          value: stays\n", ""},
		{"      initContainers:\n      - name: stays\n        command:\n        - stays\n", ""},
		{"        command:\n        - web\n        - --stays\n", "        command: [web, '--x']\n"},
		{"        - name: stays\n          mountPath: /data\n", ""},
	} {
		if r.IntN(2) == 0 {
			manifest = strings.Replace(manifest, part[0], part[1], 1)
		}
	}
	return manifest
}

// decorate puts comments and blank lines in, and says which comments.
func decorate(r *rand.Rand, manifest string) (text string, comments []string) {
	var b strings.Builder
	chance := 2 + r.IntN(12)
	comment := func() string {
		comments = append(comments, fmt.Sprintf("# comment %d.", len(comments)))
		return comments[len(comments)-1]
	}
	for line := range strings.Lines(manifest) {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		if r.IntN(chance) == 0 {
			b.WriteString("\n")
		}
		if r.IntN(chance) == 0 {
			b.WriteString(indent + comment() + "\n")
		}
		if r.IntN(chance) == 0 && !strings.Contains(line, "#") {
			line = strings.TrimSuffix(line, "\n") + "  " + comment() + "\n"
		}
		b.WriteString(line)
	}
	return b.String(), comments
}
