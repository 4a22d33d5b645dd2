//go:build fleet

package inject

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"confit/integration/cluster"
)

// patience is how long the server may take to see a policy, on a busy machine.
const patience = 2 * time.Minute

// root is the project's directory.
const root = "../.."

// server is an API server, and kubectl as its administrator.
type server struct {
	*testing.T
	*cluster.Cluster
	config    string
	rewritten map[string]object // by golden file: the pod's spec afterwards, without defaults
	said      map[string]string // by golden file: the warnings for its workload
}

func startServer(t *testing.T) *server {
	c := cluster.Start(t)
	return &server{t, c, c.Kubeconfig("admin", ""), map[string]object{}, map[string]string{}}
}

// of is the same server for a part of the test.
func (s *server) of(t *testing.T) *server { return &server{t, s.For(t), s.config, s.rewritten, s.said} }

// answer is what kubectl printed.
type answer struct {
	out, said string
	ok        bool
}

// kubectl runs it with this on its standard input.
func (s *server) kubectl(input string, args ...string) (a answer) {
	s.Helper()
	a.out, a.said, a.ok = s.Kubectl(s.config, root, input, args...)
	return a
}

// must is kubectl, which has to do it.
func (s *server) must(input string, args ...string) answer {
	s.Helper()
	a := s.kubectl(input, args...)
	if !a.ok {
		s.Fatalf("kubectl %s: %s", args[0], a.said)
	}
	return a
}

// apply is what people do with a directory of examples/.
func (s *server) apply(directory string) {
	s.Helper()
	s.must("", "apply", "-k", directory)
}

// noImage is the one that confit comes from here: no pod is started.
const noImage = "example.com/confit@sha256:0000000000000000000000000000000000000000000000000000000000000000"

// configure has both ConfigMaps name an image, as people do once.
func (s *server) configure() {
	s.Helper()
	text, err := os.ReadFile(examples + "params.yaml")
	if err != nil {
		s.Fatal(err)
	}
	s.must(strings.ReplaceAll(string(text), `image: ""`, "image: "+noImage), "apply", "-f", "-")
}

// until polls, with a bound.
func (s *server) until(what string, ok func() bool) {
	s.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			s.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// object is a JSON object, and list an array.
type (
	object = map[string]any
	list   = []any
)

// read reads the objects that kubectl printed one after the other with -o json.
func (s *server) read(a answer) (all []object) {
	s.Helper()
	for decoder := json.NewDecoder(strings.NewReader(a.out)); ; {
		var o object
		if err := decoder.Decode(&o); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			s.Fatal(err)
		}
		all = append(all, o)
	}
}

func name(o object) string { return o["metadata"].(object)["name"].(string) }

func spec(o object) object { return o["spec"].(object) }

// simple is a pod of one container with one mount that is followed.
const simple = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "simple", "labels": {"confit": "inject"}}, "spec": {
	"containers": [{"name": "app", "image": "example.com/app:1", "command": ["app"],
		"volumeMounts": [{"name": "conf", "mountPath": "/etc/app/a.conf", "subPath": "a.conf"}]}],
	"volumes": [{"name": "conf", "configMap": {"name": "app"}}]}}`

// untilRewritten waits for the policy to be in force.
func (s *server) untilRewritten(namespace string) {
	s.Helper()
	s.until("a pod is rewritten in "+namespace, func() bool {
		a := s.kubectl(simple, "create", "--dry-run=server", "-o", "json", "-n", namespace, "-f", "-")
		return a.ok && strings.Contains(a.out, "CONFIT_LINES")
	})
}

// namespace makes one with these labels, as in a: b, c: d.
func (s *server) namespace(name, labels string) {
	s.Helper()
	s.must("apiVersion: v1\nkind: Namespace\nmetadata: {name: "+name+", labels: {"+labels+"}}\n", "create", "-f", "-")
}

// together is a list of objects, as kubectl takes it.
func together(objects []object) string {
	return encode(object{"apiVersion": "v1", "kind": "List", "items": objects})
}

func encode(o object) string {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(text)
}
