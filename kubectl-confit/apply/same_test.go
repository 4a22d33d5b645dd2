package apply

import "reflect"

// testSame: a file that changes nothing is written by nobody, whoever applied it before, and nothing is put back; a new
// owner is a change.
func testSame(s *site) {
	for name, apply := range map[string]func(){
		"this": func() { s.apply(configMap("a: one")) },
		"client side": func() {
			s.kubectl(configMap("a: one"), "apply", "--validate=false", "-f", "-")
			s.apply(configMap("a: one"))
		},
		"server side": func() { s.kubectl(configMap("a: one"), "apply", "--validate=false", "--server-side", "-f", "-") },
	} {
		apply()
		was := s.there()
		objects := s.apply(configMap("a: one"))
		if now := s.there(); !objects[0].Same || !reflect.DeepEqual(was, now) {
			s.Errorf("%s: it was written again:\n%v\n%v", name, was, now)
		}
		if err := s.store.Undo(s.Context(), objects); err != nil || !reflect.DeepEqual(was, s.there()) || objects[0].Undone {
			s.Errorf("%s: something is put back: %v", name, err)
		}
		if objects := s.apply(configMap("a: two")); objects[0].Same {
			s.Errorf("%s: an edit isn't written", name)
		}
		s.kubectl("", "delete", "configmap", "web")
	}
	s.kubectl("", "create", "configmap", "web", "--from-literal=a=one")
	if objects := s.apply(configMap("a: one")); objects[0].Same {
		s.Error("nobody is noted as another owner")
	}
}
