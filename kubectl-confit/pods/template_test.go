package pods

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// TestTemplate: pods of one template have one name, others another one.
func TestTemplate(t *testing.T) {
	name := func(uid, controller types.UID, revision string) string {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: uid, Labels: map[string]string{"controller-revision-hash": revision}}}
		p.OwnerReferences = []metav1.OwnerReference{{UID: "config", Controller: new(false)}}
		if controller != "" {
			p.OwnerReferences = append(p.OwnerReferences, metav1.OwnerReference{UID: controller, Controller: new(true)})
		}
		return Template(p)
	}
	if name("1", "set", "a") != name("2", "set", "a") {
		t.Error("pods of one template have two names")
	}
	all := map[string]bool{}
	for _, n := range []string{name("1", "set", "a"), name("1", "set", "b"), name("1", "other", "a"), name("1", "", "a"), name("2", "", "a")} {
		all[n] = true
	}
	if len(all) != 5 {
		t.Errorf("five templates are %v", all)
	}
}

// TestGated: where a spec may have a gate.
func TestGated(t *testing.T) {
	for name, c := range map[string]struct {
		words []string
		env   [2]string
		want  bool
	}{
		"none":          {words: []string{"confit", "--", "web", "--gate", "x"}},
		"a flag":        {words: []string{"confit", "--gate", "confitctl gate", "--", "web"}, want: true},
		"a flag's word": {words: []string{"confit", "--gate=$(G)", "--", "web"}, env: [2]string{"G", "x"}, want: true},
		"taken away":    {words: []string{"confit", "--gate=x", "--gate=", "--", "web"}},
		"a variable":    {words: []string{"confit", "--", "web"}, env: [2]string{"CONFIT_GATE", "x"}, want: true},
		"an empty one":  {words: []string{"confit", "--", "web"}, env: [2]string{"CONFIT_GATE", ""}},
		"a line":        {words: []string{"confit", "--", "web"}, env: [2]string{"CONFIT_LINES", "link a/b /c\n  gate confitctl gate\n"}, want: true},
		"no such line":  {words: []string{"confit", "--", "web"}, env: [2]string{"CONFIT_LINES", "link gate/x /c\n# gate x\ngate"}},
		"--lines":       {words: []string{"confit", "--lines", "gate x", "--lines=link a/b /c", "--", "web"}, want: true},
	} {
		pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Command: c.words, Env: []corev1.EnvVar{{Name: c.env[0], Value: c.env[1]}}}}}}
		list := Containers(pod)
		if len(list) != 1 || list[0].Gated() != c.want {
			t.Errorf("%s: %d containers, want one, gated: %v", name, len(list), c.want)
		}
	}
}
