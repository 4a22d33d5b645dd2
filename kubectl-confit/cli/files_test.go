package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write writes files into a directory, and goes there.
func write(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// directory is a directory as people have it.
func directory(t *testing.T) {
	object := func(name string) string {
		return "{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"" + name + "\"}}"
	}
	write(t, map[string]string{
		"d/a.yaml": object("a"), "d/notes.txt": "a: [", "d/below/b.json": object("b"), "bad.yaml": "a: [",
		"k/kustomization.yaml": "configMapGenerator: [{name: c, literals: [x=y]}]\ngeneratorOptions: {disableNameSuffixHash: true}\n",
	})
}

// TestFiles: all that the command line names is read, as kubectl reads it.
func TestFiles(t *testing.T) {
	const stdin = "{apiVersion: v1, kind: ConfigMap, metadata: {name: s}}"
	for args, want := range map[string]string{
		"-f d/a.yaml -f d/below/b.json": "nothing can be tried: no pod that runs follows configmap/a, configmap/b",
		"-f d/a.yaml,d/below/b.json":    "nothing can be tried: no pod that runs follows configmap/a, configmap/b",
		"-f d":                          "nothing can be tried: no pod that runs follows configmap/a",
		"-f d -R":                       "nothing can be tried: no pod that runs follows configmap/a, configmap/b",
		"-f d/*.yaml":                   "nothing can be tried: no pod that runs follows configmap/a",
		"-f - -f d/a.yaml":              "nothing can be tried: no pod that runs follows configmap/a, configmap/s",
		"-k k":                          "nothing can be tried: no pod that runs follows configmap/c",
		"-f bad.yaml -f d/a.yaml":       "cannot read bad.yaml, d/a.yaml: error parsing bad.yaml: error converting YAML to JSON: yaml: line 1: did not find expected node content",
		"-f gone.yaml -f d/a.yaml":      `cannot read gone.yaml, d/a.yaml: the path "gone.yaml" does not exist`,
		"-f d -f d/a.yaml":              "configmap/a is there twice, in d/a.yaml, too",
		"-f - -f -":                     "cannot read -, -: standard input cannot be used for multiple arguments",
	} {
		t.Run(args, func(t *testing.T) {
			w := newWorld(t)
			directory(t)
			r := call(strings.NewReader(stdin), w.args(append([]string{"check"}, strings.Fields(args)...))...)
			if r != (result{1, "", "kubectl-confit: " + want + "\n"}) {
				t.Errorf("got %+v, want %s", r, want)
			}
		})
	}
	for _, verb := range []string{"check", "apply", "inject"} {
		r := call(strings.NewReader(""), verb, "-k", "k", "-f", "d")
		if r != (result{64, "", "kubectl-confit: -k is there, and -f or -R: write one of the two; see kubectl confit " + verb + " --help\n"}) {
			t.Errorf("%s: got %+v", verb, r)
		}
	}
}

// TestFiles_check: the first file counts as much as the last.
func TestFiles_check(t *testing.T) {
	bad, good := edit(t, "bad"), file(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: extra}, data: {a: good}}")
	for _, order := range [][]string{{"-f", bad, "-f", good}, {"-f", good, "-f", bad}} {
		n := newNode(t, configMap("web", "nginx.conf", "1"), webPod("web-0"))
		n.code = 78
		r := call(strings.NewReader(""), append([]string{"check", "--in-place", "--kubeconfig", n.Kubeconfig(), "-n", "shop"}, order...)...)
		if r.code != 3 || !strings.HasPrefix(r.stdout, "REFUSED: configmap/web, ") {
			t.Errorf("%q: got %+v", order, r)
		}
	}
}

// TestFiles_apply: as long as one file is wrong, nothing of the others is applied; and all of them are.
func TestFiles_apply(t *testing.T) {
	w, a := applied(t, well)
	extra := file(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: extra}, data: {a: b}}")
	r := w.run("apply", "--in-place", "-f", extra, "-f", edit(t, "2"))
	r.want(t, 1, "", "kubectl-confit: cannot apply configmap/extra: no pod mounts configmap/extra; kubectl apply waits for nobody")
	w.holds("1")
	s := w.start("1 behind", "apply", "--in-place", "-f", edit(t, "2"), "-R")
	w.take(a)
	s.ends().want(t, 0, "configmap/web accepted by 1 container\n")
}

// follows is what is said of the pod that podOf makes.
const follows = "Pod \"web\": 1 key follows; no check\n"

// TestFiles_inject: several files are one stream, and each message has its own file and line.
func TestFiles_inject(t *testing.T) {
	manifest := podOf(one, command, mounted)
	rewritten := must(t, manifest)
	write(t, map[string]string{
		"d/a.yaml": manifest, "d/below/b.yml": "# b\n" + strings.TrimSuffix(manifest, "\n"), "d/notes.txt": "a: [", "none.yaml": "---\nkind: Foo\n",
		"k/kustomization.yaml": "resources: [p.yaml]\n", "k/p.yaml": manifest, "empty/notes.txt": "",
	})
	const a, b, stdin = "d/a.yaml:9: " + follows, "d/below/b.yml:10: " + follows, "stdin:9: " + follows
	for args, want := range map[string]result{
		"-f d":                         {0, rewritten, a},
		"-f d/*.yaml":                  {0, rewritten, a},
		"-f d -R":                      {0, rewritten + "---\n# b\n" + rewritten, a + b},
		"-f d/below/b.yml -f d/a.yaml": {0, "# b\n" + rewritten + "---\n" + rewritten, b + a},
		"-f none.yaml -f -":            {0, "---\nkind: Foo\n---\n" + rewritten, stdin},
		"-f - -f none.yaml":            {0, rewritten + "---\nkind: Foo\n", stdin},
		"-f gone.yaml -f d -f also":    {1, "", "kubectl-confit: cannot read gone.yaml: no such file or directory\ncannot read also: no such file or directory\n"},
		"-f empty":                     {1, "", "kubectl-confit: cannot read empty: no file in it ends with .json, .yaml, .yml\n"},
		"-f d -R --check":              {3, "", "d/a.yaml:9: Pod \"web\" isn't rewritten\nd/below/b.yml:10: Pod \"web\" isn't rewritten\n"},
	} {
		if r := call(strings.NewReader(manifest), append([]string{"inject", "--image", confitImage}, strings.Fields(args)...)...); r != want {
			t.Errorf("%s: got %+v, want %+v", args, r, want)
		}
	}
	if r := call(strings.NewReader(""), "inject", "-k", "k", "--image", confitImage); r.code != 0 || !strings.Contains(r.stdout, "name: confit-install") {
		t.Errorf("got %+v", r)
	}
}
