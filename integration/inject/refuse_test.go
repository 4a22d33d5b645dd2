//go:build fleet

package inject

import (
	"net/http"
	"strings"
)

// wrong is a pod with an annotation that means nothing.
var wrong = strings.Replace(simple, `"metadata": {`, `"metadata": {"annotations": {"confit/validte": "app -t"}, `, 1)

// meansNothing is how that is said.
const meansNothing = "the annotation confit/validte means nothing"

// permit lets people write anything.
func (s *server) permit() {
	s.Helper()
	s.untilRefused()
	s.must("", "delete", "validatingadmissionpolicybinding", "confit-refuse")
	s.until("nothing is refused", func() bool { return s.create("default", wrong).ok })
}

func (s *server) untilRefused() {
	s.Helper()
	s.until("a bare pod is refused", func() bool { a := s.create("default", wrong); return !a.ok && strings.Contains(a.said, meansNothing) })
}

// testRefuse: annotations that mean nothing, and values that confit refuses, are refused to people, and never to controllers.
func testRefuse(s *server) {
	template := func(annotation string) object {
		return object{"metadata": object{"labels": object{"confit": "inject"}, "annotations": object{annotation: "app -t"}}, "spec": spec(s.read(answer{out: simple})[0])}
	}
	web := object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": object{"name": "before"}, "spec": selecting(template("confit/validte"))}
	s.must(encode(web), "create", "-f", "-")
	s.apply("examples/inject")
	s.untilRefused()

	owned := strings.Replace(wrong, `"metadata": {`, `"metadata": {"ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "1", "controller": true}], `, 1)
	if a := s.create("default", owned); !a.ok || !strings.Contains(a.said, meansNothing) || strings.Contains(a.out, "CONFIT_LINES") {
		s.Errorf("a controller's pod isn't left as it is, with a warning: %s%s", a.said, a.out)
	}
	for kind, w := range workloads {
		for annotation, refused := range map[string]bool{"confit/validte": true, "confit/validate": false, "other.confit/validate": false} {
			made := encode(object{"metadata": object{"name": "work"}, "spec": w.spec(template(annotation))})
			if got := s.denied(http.MethodPost, w.path+"?dryRun=All", made); got != refused {
				s.Errorf("a %s with %s is refused: %v", kind, annotation, got)
			}
		}
		of := encode(object{"metadata": object{"name": "work", "ownerReferences": list{object{"apiVersion": "v1", "kind": "X", "name": "x", "uid": "1"}}}, "spec": w.spec(template("confit/validte"))})
		if s.denied(http.MethodPost, w.path+"?dryRun=All", of) {
			s.Errorf("a %s that a controller makes is refused", kind)
		}
	}
	for patch, refused := range map[string]bool{
		`{"spec": {"replicas": 3}}`: false,
		`{"spec": {"template": {"metadata": {"annotations": {"example.com/restarted": "now"}}}}}`:      false,
		`{"spec": {"template": {"metadata": {"annotations": {"confit/validte": null}}}}}`:              false,
		`{"spec": {"template": {"metadata": {"annotations": {"confit/reload": "nonsense"}}}}}`:         true,
		`{"spec": {"template": {"metadata": {"annotations": {"app.confit/stop-signal": "SIGKILL"}}}}}`: true,
	} {
		a := s.kubectl("", "patch", "deployment", "before", "--dry-run=server", "-p", patch)
		if a.ok == refused {
			s.Errorf("%s is refused: %v, %s", patch, !a.ok, a.said)
		}
	}
	s.must("", "delete", "deployment", "before")
	labelled := strings.Replace(encode(web), `"confit":"inject"`, `"app":"web"`, 2)
	s.must(labelled, "create", "-f", "-") // none of ours
	if a := s.kubectl("", "patch", "deployment", "before", "--dry-run=server", "-p", `{"spec": {"template": {"metadata": {"labels": {"confit": "inject"}}}}}`); a.ok || !strings.Contains(a.said, meansNothing) {
		s.Errorf("a new label isn't looked at: %s", a.said)
	}
}

// denied says whether the policy refuses a request.
func (s *server) denied(method, path, body string) bool {
	s.Helper()
	response, err := s.Open(s.Context(), method, path, body)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusUnprocessableEntity
}
