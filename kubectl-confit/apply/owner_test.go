package apply

import (
	"reflect"
	"strings"

	"sigs.k8s.io/yaml"
)

// testLastApplied: who goes on with kubectl apply, be it on the client's side, deletes the keys that leave the file. The
// annotation by which it knows them is the one that kubectl apply --server-side leaves.
func testLastApplied(s *site) {
	annotation := func() string {
		text := s.there().GetAnnotations()["kubectl.kubernetes.io/last-applied-configuration"]
		sorted, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			s.Error(err)
		}
		return string(sorted)
	}
	s.kubectl(configMap("a: one, b: one"), "apply", "--validate=false", "-f", "-")
	s.kubectl(configMap("a: two, b: two, c: two"), "apply", "--validate=false", "--server-side", "-f", "-")
	want, owned := annotation(), owners(s.there())
	s.kubectl("", "delete", "configmap", "web")

	s.kubectl(configMap("a: one, b: one"), "apply", "--validate=false", "-f", "-")
	objects := s.apply(configMap("a: two, b: two, c: two"))
	if got := annotation(); got != want || want == "null" {
		s.Errorf("the annotation is\n%s\nwant\n%s", got, want)
	}
	s.owned(s.there(), owned...)
	s.undo(objects)
	for range 2 { // the second one finds the annotation in its place
		s.apply(configMap("a: two, b: two, c: two"))
	}
	if got := annotation(); got != want {
		s.Errorf("the annotation is\n%s\nwant\n%s", got, want)
	}
	if said := s.kubectl(configMap("a: two"), "apply", "--validate=false", "-f", "-"); strings.Contains(said, "arning") {
		s.Errorf("kubectl says %s", said)
	}
	s.want(s.there(), "a=two")

	// Without the annotation nobody writes one.
	s.kubectl("", "annotate", "configmap", "web", "kubectl.kubernetes.io/last-applied-configuration-")
	s.apply(configMap("a: three"))
	if got := annotation(); got != "null" {
		s.Errorf("the annotation is %s", got)
	}
}

// testTried: what is only tried leaves keys and owners as they are, and says what the keys would be.
func testTried(s *site) {
	s.kubectl(configMap("a: one, b: one, c: one"), "apply", "--validate=false", "-f", "-")
	s.kubectl("", "patch", "configmap", "web", "-p", `{"data": {"d": "one"}}`, "--field-manager", "robot")
	before := whole(s.there())
	objects := s.read(configMap("a: two, e: two"))
	if err := s.prepare(objects); err != nil {
		s.Fatal(err)
	}
	s.want(objects[0].Merged, "a=two", "d=one", "e=two")
	if is := whole(s.there()); !reflect.DeepEqual(before, is) {
		s.Errorf("it was\n%v\nand is\n%v", before, is)
	}
	if err := s.store.Apply(s.Context(), objects); err != nil {
		s.Fatal(err)
	}
	s.want(s.there(), "a=two", "d=one", "e=two")
}
