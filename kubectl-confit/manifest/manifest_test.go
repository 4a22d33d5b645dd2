package manifest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"confit/kubectl-confit/tree"
)

// pod is the shortest that a document can hold.
const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: a\n"

// streams are odd ones, each of which is read and written byte for byte.
var streams = map[string]string{
	"nothing":             "",
	"blank":               "\n\n",
	"comments alone":      "# nothing here\n",
	"one document":        pod,
	"no last newline":     strings.TrimSuffix(pod, "\n"),
	"marks at both ends":  "---\n" + pod + "---\n",
	"comment on a mark":   "--- # one\n" + pod + "---  # two\n" + pod,
	"content on a mark":   "--- {kind: Foo}\n--- !x\na: b\n",
	"end marks":           "%YAML 1.2\n---\n" + pod + "...\n# between\n---\n" + pod + "...\n",
	"carriage returns":    strings.ReplaceAll("---\n"+pod+"---\n"+pod, "\n", "\r\n"),
	"mark inside text":    "a: |\n  ---\n  b\n---\nc: 'x\n  --- y'\n",
	"three dashes and on": "----: x\n---a: b\n",
	"JSON":                `{"kind": "Pod", "apiVersion": "v1", "spec": {"x": 1.50, "y": "\u00e9\ud83d\ude00"}}` + "\n",
	"JSON after JSON":     `{"kind":"A"} {"kind":"B"}` + "\n\n" + `{"kind":"C"}`,
	"JSON with marks":     "---\n{\"kind\":\"A\"}\n---\n{\"kind\":\"B\"}\n",
	"flow that is YAML":   "{kind: Pod, apiVersion: v1, spec: {containers: []}}\n",
	"a list of lists":     "- - a\n",
	"a scalar":            "hello\n",
}

func TestStreams_unchanged(t *testing.T) {
	for name, stream := range streams {
		t.Run(name, func(t *testing.T) {
			if got := string(written(t, read(t, stream))); got != stream {
				t.Errorf("got %q, want %q", got, stream)
			}
		})
	}
}

func FuzzStreams(f *testing.F) {
	for _, stream := range streams {
		f.Add(stream)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		file, err := Read([]byte(stream))
		if err != nil {
			return
		}
		if got := string(written(t, file)); got != stream {
			t.Errorf("got %q, want %q", got, stream)
		}
	})
}

// TestPods finds what is a pod or has one, and nothing else.
func TestPods(t *testing.T) {
	template := func(version, kind, path string) string {
		return fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: x}\nspec: %s\n", version, kind, path)
	}
	const podSpec, inTemplate = "{containers: [{name: a}]}", "{template: {spec: {containers: [{name: a}]}}}"
	for document, want := range map[string]string{
		template("v1", "Pod", podSpec):                                                                                               "Pod",
		template("apps/v1", "Deployment", inTemplate):                                                                                "Deployment",
		template("apps/v1", "StatefulSet", inTemplate):                                                                               "StatefulSet",
		template("apps/v1", "DaemonSet", inTemplate):                                                                                 "DaemonSet",
		template("apps/v1", "ReplicaSet", inTemplate):                                                                                "ReplicaSet",
		template("batch/v1", "Job", inTemplate):                                                                                      "Job",
		template("batch/v1", "CronJob", "{jobTemplate: {spec: "+inTemplate+"}}"):                                                     "CronJob",
		template("v1", "ReplicationController", inTemplate):                                                                          "ReplicationController",
		template("argoproj.io/v1alpha1", "Rollout", inTemplate):                                                                      "Rollout",
		template("argoproj.io/v1alpha1", "Rollout", "{workloadRef: {name: a}}"):                                                      "",
		template("serving.example.com/v1", "Deployment", inTemplate):                                                                 "unknown Deployment",
		template("v1", "Deployment", inTemplate):                                                                                     "unknown Deployment",
		"apiVersion: v1\nkind: PodTemplate\ntemplate: {spec: " + podSpec + "}\n":                                                     "PodTemplate",
		"apiVersion: apps/v1\nkind: DeploymentList\nitems:\n- {spec: " + inTemplate + "}\n- {apiVersion: v1, kind: Pod, spec: {}}\n": "Deployment Pod",
		template("apps/v1", "Deployment", "{}"):                                                                                      "",
		"apiVersion: v1\nkind: List\nitems:\n- kind: Foo\n- {apiVersion: v1, kind: Pod, spec: {}}\n- {apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Pod, spec: {}}]}\n": "Pod Pod",
	} {
		var kinds []string
		for _, d := range read(t, document).Documents {
			for _, p := range d.Pods() {
				kinds = append(kinds, strings.TrimSpace(map[bool]string{true: "unknown "}[p.Unknown]+p.Kind))
				if tree.At(d.Root, append(tree.Path{0}, p.Path...)...) == nil && tree.At(d.Root.Content[0], p.Path.With("spec")...) == nil {
					t.Errorf("the path %v leads nowhere in\n%s", p.Path, document)
				}
			}
		}
		if got := strings.Join(kinds, " "); got != want {
			t.Errorf("pods of %q, want %q in\n%s", got, want, document)
		}
	}
}

// TestMistakes: each document that can't be read is named with its line, all at once.
func TestMistakes(t *testing.T) {
	for stream, want := range map[string]string{
		"a: b: c\n":                                         "1: cannot read the manifest: mapping values are not allowed in this context",
		pod + "    image: {{ .Values.x }}\n":                "7: cannot read the manifest: a key is a list or a mapping…",
		pod + "---\na: [\n---\nb: {\n":                      "8: …; 10: …",
		pod + "    name: b\n    name: c\n":                  `7: cannot read the manifest: mapping key "name" already defined at line 6`,
		pod + "---\n" + pod + "    x: *nobody\n":            "14: cannot read the manifest: unknown anchor 'nobody' referenced",
		pod + "    x: &x [*x]\n":                            "7: cannot read the manifest: anchor 'x' value contains itself",
		pod + "    x: \"\t\\q\"\n":                          "7: cannot read the manifest: found unknown escape character",
		pod + "\ttab: x\n":                                  "6: cannot read the manifest: found a tab character that violates indentation",
		"{\"kind\": \"Pod\",\n \"apiVersion\": \"v1\",\n\n": "3: …",
	} {
		_, err := Read([]byte(stream))
		var got []string
		for _, e := range each(err) {
			var at *Error
			if !errors.As(e, &at) {
				t.Fatalf("%v has no line", e)
			}
			got = append(got, at.Error())
		}
		wants := strings.Split(want, "; ")
		if !slices.EqualFunc(got, wants, func(got, want string) bool {
			return got == want || strings.HasSuffix(want, "…") && strings.HasPrefix(got, strings.TrimSuffix(want, "…"))
		}) {
			t.Errorf("%q: got %q, want %q", stream, got, wants)
		}
	}
}

func each(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()
	}
	return []error{err}
}

func read(t *testing.T, stream string) *File {
	t.Helper()
	f, err := Read([]byte(stream))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func written(t *testing.T, f *File) []byte {
	t.Helper()
	out, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return out
}
