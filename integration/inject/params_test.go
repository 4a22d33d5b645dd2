//go:build fleet

package inject

import "strings"

// testParams: a namespace with the label confit/next has an image of its own. Without one, no labelled pod is created, and that is said.
func testParams(s *server) {
	s.namespace("next", `confit/next: ""`)
	const next = "example.com/confit@sha256:1111111111111111111111111111111111111111111111111111111111111111"
	s.must("", "patch", "configmap", "confit-next", "-n", "confit-system", "--type=merge", "-p", `{"data": {"image": "`+next+`"}}`)
	s.until("the namespace has the next image", func() bool { return strings.Contains(s.create("next", simple).out, next) })
	if a := s.create("default", simple); !a.ok || strings.Contains(a.out, next) {
		s.Errorf("another namespace has the next image, too: %s", a.said)
	}

	s.apply("examples/inject") // as an upgrade of the policy does
	if got := s.must("", "get", "configmap", "confit-next", "-n", "confit-system", "-o", "jsonpath={.data.image}").out; got != next {
		s.Errorf("applied again, the examples have the image %s", got)
	}
	s.permit()

	for _, patch := range []string{`[{"op": "replace", "path": "/data/image", "value": ""}]`, `[{"op": "remove", "path": "/data/image"}]`} {
		s.must("", "patch", "configmap", "confit-next", "-n", "confit-system", "--type=json", "-p", patch)
		s.refused("the ConfigMap confit-next in confit-system has no image: write confit's into data.image")
	}
	s.must("", "delete", "configmap", "confit-next", "-n", "confit-system")
	s.refused("no params found for policy binding with `Deny` parameterNotFoundAction")

	unlabelled := strings.Replace(simple, `"confit": "inject"`, `"app": "simple"`, 1)
	if a := s.create("next", unlabelled); !a.ok || strings.Contains(a.out, "confit") {
		s.Errorf("a pod without the label isn't left alone: %s%s", a.said, a.out)
	}
	if a := s.create("default", simple); !a.ok {
		s.Errorf("a namespace that has its image is refused: %s", a.said)
	}
}

// refused: no labelled pod is created, and the answer has this.
func (s *server) refused(why string) {
	s.Helper()
	var a answer
	s.until("a pod is refused: "+why, func() bool {
		a = s.create("next", simple)
		return !a.ok && strings.Contains(a.said, why)
	})
	if !strings.Contains(a.said, "'confit'") || !strings.Contains(a.said, "'confit-next'") {
		s.Errorf("the answer doesn't name the policy and its binding: %s", a.said)
	}
}

// testInvalid: a pod that the server takes in no case is refused with the label, too.
func testInvalid(s *server) {
	for what, change := range map[string][2]string{
		"two volumes of one name":   {`"volumes": [`, `"volumes": [{"name": "conf", "emptyDir": {}}, `},
		"two mounts at one place":   {`"volumeMounts": [`, `"volumeMounts": [{"name": "conf", "mountPath": "/etc/app/a.conf"}, `},
		"a mount of no volume":      {`"name": "conf", "mountPath"`, `"name": "other", "mountPath"`},
		"no container":              {`"containers": [`, `"containers": [], "ephemeralContainers": [`},
		"a container without image": {`"image": "example.com/app:1", `, ``},
	} {
		pod := strings.Replace(simple, change[0], change[1], 1)
		if pod == simple {
			s.Fatalf("%s: nothing is changed", what)
		}
		if a := s.create("default", pod); a.ok {
			s.Errorf("%s is let in", what)
		} else {
			s.Logf("%s: %s", what, a.said)
		}
	}
}

// create is what the server would make of an object.
func (s *server) create(namespace, object string) answer {
	s.Helper()
	return s.kubectl(object, "create", "--dry-run=server", "-o", "json", "-n", namespace, "-f", "-")
}
