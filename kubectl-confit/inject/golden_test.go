package inject

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"confit/kubectl-confit/tree"
)

// confitImage is the one that the API server's policy had when the golden files were made.
const confitImage = "example.com/confit@sha256:0000000000000000000000000000000000000000000000000000000000000000"

// TestGolden: of each pod becomes what a real API server with the policy of examples/inject makes of it. The golden files are
// that server's: a test of integration/inject writes them.
func TestGolden(t *testing.T) {
	wants, err := filepath.Glob("testdata/pods/*.want.yaml")
	if err != nil || len(wants) < 100 {
		t.Fatalf("%d golden files, and 100 are enough: %v", len(wants), err)
	}
	for _, want := range wants {
		name := strings.TrimSuffix(want, ".want.yaml")
		t.Run(filepath.Base(name), func(t *testing.T) {
			document := parse(t, readFile(t, name+".yaml"))
			rewrite(t, document, Options{Image: confitImage})
			got, want := plain(specOf(t, document)), specOf(t, parse(t, readFile(t, want)))
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got\n%s\nwant\n%s", text(t, got), text(t, want))
			}
			checkState(t, want)
			if plan := read(t, document).Plan(Options{Image: confitImage}); strings.Contains(text(t, want), "name: confit-seed") && !plan.Empty() {
				t.Errorf("a second run rewrites it again:\n%s", text(t, document))
			}
		})
	}
}

// checkState holds that nobody but a container itself writes to its state directory: in an emptyDir that confit can't tighten, others could
// move what it works in. Of the volume each container has a part of its own.
func checkState(t *testing.T, spec object) {
	t.Helper()
	for _, key := range []string{"initContainers", "containers"} {
		for _, c := range objects(spec[key]) {
			for _, m := range objects(c["volumeMounts"]) {
				own := m["subPath"] == c["name"] && key == "containers" && (m["mountPath"] == stateDir || m["readOnly"] == true)
				if m["name"] == stateVolume && !own {
					t.Errorf("container %v mounts a state directory: %v", c["name"], m)
				}
			}
		}
	}
}

// rewrite does all that is done to a pod.
func rewrite(t *testing.T, document *yaml.Node, o Options) *Plan {
	t.Helper()
	plan := read(t, document).Plan(o)
	plan.Apply()
	tree.Repair(document)
	return plan
}

func read(t *testing.T, document *yaml.Node) *Pod {
	t.Helper()
	p, err := Read(document, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func parse(t *testing.T, text string) *yaml.Node {
	t.Helper()
	n := &yaml.Node{}
	if err := yaml.Unmarshal([]byte(text), n); err != nil {
		t.Fatal(err, "\n", text)
	}
	return n
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// specOf is what somebody reads who gets the document as text, as JSON has it.
func specOf(t *testing.T, document *yaml.Node) object {
	t.Helper()
	var pod struct {
		Spec object `yaml:"spec"`
	}
	if err := yaml.Unmarshal([]byte(text(t, document)), &pod); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(pod.Spec)
	if err != nil {
		t.Fatal(err)
	}
	var spec object
	if err := json.Unmarshal(data, &spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

func text(t *testing.T, v any) string {
	t.Helper()
	data, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
