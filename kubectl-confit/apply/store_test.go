package apply

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/pods"
)

// site is an API server, and kubectl as people use it.
type site struct {
	*testing.T
	config, kubectlPath string
	store               *Store
	client              *cluster.Client
}

// cases are tests that both servers pass.
var cases = map[string]func(*site){
	"new": testNew, "clientside": testClientSide, "serverside": testServerSide, "foreign": testForeign, "edited": testEdited,
	"secret": testSecret, "recreated": testRecreated, "stopped": testStopped, "lastapplied": testLastApplied, "tried": testTried,
	"same": testSame,
}

// run has a namespace for each case.
func run(t *testing.T, config, kubectl string, begin func(*site)) {
	flags, set := cluster.NewFlags(), pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.AddTo(set)
	if err := set.Parse([]string{"--kubeconfig", config}); err != nil {
		t.Fatal(err)
	}
	client, err := flags.Connect(cluster.Patience{})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range cases {

		t.Run(name, func(t *testing.T) {
			own := *client
			own.Namespace = name
			s := &site{t, config, kubectl, &Store{Client: &own, Manager: DefaultManager}, &own}
			begin(s)
			test(s)
		})
	}
}

// kubectl runs it in the test's namespace.
func (s *site) kubectl(input string, args ...string) string {
	s.Helper()
	out, err := s.try(input, args...)
	if err != nil {
		s.Fatalf("kubectl %q: %v\n%s", args, err, out)
	}
	return out
}

func (s *site) try(input string, args ...string) (string, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(s.Context(), s.kubectlPath, append(args, "--kubeconfig", s.config, "-n", s.client.Namespace)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &out
	err := cmd.Run()
	return out.String(), err
}

// configMap is one of the manifest, with these keys as YAML.
func configMap(keys string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, labels: {app: web}}\ndata: {" + keys + "}\n"
}

// read reads manifests as the verb does.
func (s *site) read(manifest string) []*Object {
	s.Helper()
	infos, err := s.client.Builder().Local().Unstructured().Stream(strings.NewReader(manifest), "web.yaml").Flatten().Do().Infos()
	if err != nil {
		s.Fatal(err)
	}
	objects, _, err := Read(infos, s.client.Namespace, true)
	if err != nil {
		s.Fatal(err)
	}
	return objects
}

// prepare is what comes before an apply.
func (s *site) prepare(objects []*Object) error {
	if err := s.store.Read(s.Context(), objects); err != nil {
		return err
	}
	return s.store.Try(s.Context(), objects)
}

// apply does it, and returns the object.
func (s *site) apply(manifest string) []*Object {
	s.Helper()
	objects := s.read(manifest)
	if err := s.prepare(objects); err != nil {
		s.Fatal(err)
	}
	if err := s.store.Apply(s.Context(), objects); err != nil {
		s.Fatal(err)
	}
	return objects
}

// there is the object as the server has it; nil if it hasn't.
func (s *site) there() *unstructured.Unstructured {
	s.Helper()
	u, err := s.store.get(s.Context(), pods.Object{Kind: pods.ConfigMap, Name: "web"})
	if err != nil {
		s.Fatal(err)
	}
	return u
}

// want holds what keys the object has, as KEY=VALUE.
func (s *site) want(u *unstructured.Unstructured, keys ...string) {
	s.Helper()
	data, _, _ := unstructured.NestedStringMap(u.Object, "data")
	for _, pair := range keys {
		key, value, _ := strings.Cut(pair, "=")
		if data[key] != value {
			s.Errorf("%s is %q, want %q", key, data[key], value)
		}
	}
	if len(data) != len(keys) {
		s.Errorf("the keys are %v, want %v", data, keys)
	}
}

// undo takes an apply back, and holds that all is as it was: values, labels, annotations and owners.
func (s *site) undo(objects []*Object) {
	s.Helper()
	if err := s.store.Undo(s.Context(), objects); err != nil {
		s.Fatal(err)
	}
	for _, o := range objects {
		there, err := s.store.get(s.Context(), o.Object)
		if err != nil {
			s.Fatal(err)
		}
		if was, is := whole(o.Before), whole(there); !reflect.DeepEqual(was, is) {
			s.Errorf("it was\n%v\nand is\n%v", was, is)
		}
	}
}

// whole is an object without what changes with each request.
func whole(u *unstructured.Unstructured) map[string]any {
	if u == nil {
		return nil
	}
	u = u.DeepCopy()
	u.SetResourceVersion("")
	fields := u.GetManagedFields()
	for i := range fields {
		fields[i].Time = &metav1.Time{}
	}
	u.SetManagedFields(fields)
	return u.Object
}

// owners are the managers of an object with their operations.
func owners(u *unstructured.Unstructured) (list []string) {
	for _, entry := range u.GetManagedFields() {
		list = append(list, fmt.Sprint(entry.Manager, " ", entry.Operation))
	}
	slices.Sort(list)
	return list
}

func (s *site) owned(u *unstructured.Unstructured, want ...string) {
	s.Helper()
	if got := owners(u); !reflect.DeepEqual(got, want) {
		s.Errorf("the owners are %q, want %q", got, want)
	}
}

func testNew(s *site) {
	objects := s.apply(configMap("a: one"))
	s.want(s.there(), "a=one")
	s.owned(s.there(), "kubectl Apply")
	s.undo(objects)
}

// testClientSide: kubectl apply is what most people have.
func testClientSide(s *site) {
	s.kubectl(configMap("a: one, b: one"), "apply", "--validate=false", "-f", "-")
	objects := s.apply(configMap("a: two"))
	s.want(objects[0].Merged, "a=two")
	s.want(s.there(), "a=two")
	s.owned(s.there(), "kubectl Apply", "kubectl-last-applied Apply")
	s.undo(objects)
	s.want(s.there(), "a=one", "b=one")
	s.owned(s.there(), "kubectl-client-side-apply Update")

	// Whoever goes on with kubectl apply --server-side is the same owner.
	s.apply(configMap("a: two, c: two"))
	s.kubectl(configMap("a: three"), "apply", "--validate=false", "--server-side", "-f", "-")
	s.want(s.there(), "a=three")
}

func testServerSide(s *site) {
	s.kubectl(configMap("a: one, b: one"), "apply", "--validate=false", "--server-side", "-f", "-")
	objects := s.apply(configMap("a: two"))
	s.want(s.there(), "a=two")
	s.undo(objects)
	s.want(s.there(), "a=one", "b=one")
	s.owned(s.there(), "kubectl Apply")
}

// testForeign: keys of others are theirs until somebody says so.
func testForeign(s *site) {
	s.kubectl(configMap("a: one, b: one"), "create", "--validate=false", "-f", "-")
	s.kubectl("", "patch", "configmap", "web", "-p", `{"data": {"c": "one"}}`, "--field-manager", "robot")
	objects := s.read(configMap("a: two, c: two"))
	err := s.prepare(objects)
	if err == nil || !strings.Contains(err.Error(), `2 conflicts`) || !strings.Contains(err.Error(), `"robot"`) || !strings.Contains(err.Error(), "--force-conflicts") {
		s.Errorf("got %v", err)
	}
	s.want(s.there(), "a=one", "b=one", "c=one")
	s.store.Force = true
	objects = s.apply(configMap("a: two, c: two"))
	s.want(s.there(), "a=two", "b=one", "c=two")
	s.undo(objects)
	s.owned(s.there(), "kubectl-create Update", "robot Update")
}

// testEdited: an object is applied onto the one that was read, and put back in the place of the one that was applied.
func testEdited(s *site) {
	s.kubectl(configMap("a: one"), "apply", "--validate=false", "-f", "-")
	edit := func(value string) {
		s.kubectl("", "patch", "configmap", "web", "-p", `{"data": {"a": "`+value+`"}}`)
	}
	s.store.Force = true // else its owner is in the way
	objects := s.read(configMap("a: two"))
	if err := s.prepare(objects); err != nil {
		s.Fatal(err)
	}
	edit("edited")
	if err := s.store.Apply(s.Context(), objects); err == nil || !strings.Contains(err.Error(), "somebody has changed it meanwhile") {
		s.Errorf("got %v", err)
	}
	s.want(s.there(), "a=edited")

	objects = s.apply(configMap("a: two"))
	edit("again")
	if err := s.store.Undo(s.Context(), objects); err == nil || !strings.Contains(err.Error(), "configmap/web is left as it is") {
		s.Errorf("got %v", err)
	}
	s.want(s.there(), "a=again")
}

func testSecret(s *site) {
	const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: web}\ntype: Opaque\n"
	s.kubectl(secret+"data: {a: b25l, b: b25l}\n", "apply", "--validate=false", "-f", "-")
	objects := s.apply(secret + "data: {a: dHdv}\n")
	s.want(objects[0].Merged, "a=dHdv") // base64 of two
	s.undo(objects)
}

// testRecreated: an object that was made meanwhile by somebody else isn't deleted.
func testRecreated(s *site) {
	objects := s.apply(configMap("a: one"))
	s.kubectl("", "delete", "configmap", "web")
	s.kubectl(configMap("a: other"), "create", "--validate=false", "-f", "-")
	if err := s.store.Undo(s.Context(), objects); err == nil {
		s.Error("it was deleted")
	}
	s.want(s.there(), "a=other")
}

// testStopped: who ends it, hears of no other error.
func testStopped(s *site) {
	ctx, cancel := context.WithCancel(s.Context())
	objects := s.read(configMap("a: one"))
	cancel()
	if err := s.store.Read(ctx, objects); !errors.Is(err, context.Canceled) {
		s.Errorf("got %v", err)
	}
}
