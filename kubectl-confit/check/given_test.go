package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/resource"
)

// TestRead: what a manifest gives, and what it has beside that.
func TestRead(t *testing.T) {
	const secret = "{apiVersion: v1, kind: Secret, metadata: {name: web}, data: {a: QQ==, b: Qg==}, stringData: {b: BB}}"
	for name, c := range map[string]struct{ text, want, err string }{
		"a ConfigMap": {"{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {a: x}, binaryData: {b: QQ==}}", "configmap/web a=x b=A;", ""},
		"a Secret":    {secret, "secret/web a=A b=BB;", ""},
		"several documents, and others": {
			secret + "\n---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: ca, namespace: shop}}",
			"configmap/ca; secret/web a=A b=BB; others deployment/web", "",
		},
		"a list":                     {"{apiVersion: v1, kind: List, items: [" + secret + "]}", "secret/web a=A b=BB;", ""},
		"twice":                      {secret + "\n---\n" + secret, "", "secret/web is there twice, in stdin, too"},
		"nothing":                    {"{apiVersion: v1, kind: Service, metadata: {name: web}}", "", "there is no ConfigMap and no Secret"},
		"a ConfigMap of another API": {"{apiVersion: example.com/v1, kind: ConfigMap, metadata: {name: web}}", "", "there is no ConfigMap and no Secret"},
		"another namespace, and a wrong type": {
			"{apiVersion: v1, kind: Secret, metadata: {name: x, namespace: prod}}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: zz}, data: {a: [topsecret]}}", "",
			`secret/x in stdin is of namespace "prod", and the pods are of "shop": write -n prod` + "\ncannot read secret/zz in stdin: it has a field of a type that no Secret has",
		},
		"wrong base64": {"{apiVersion: v1, kind: Secret, metadata: {name: zz}, data: {a: '!topsecret'}}", "", "cannot read secret/zz in stdin: it has a field of a type that no Secret has"},
		"no name":      {"{apiVersion: v1, kind: Secret, data: {a: QQ==}}", "", "a Secret in stdin has no name"},
	} {
		t.Run(name, func(t *testing.T) {
			given, others, err := Read(infos(t, c.text), "shop")
			if c.err != "" {
				if err == nil || err.Error() != c.err {
					t.Errorf("got %v, want %s", err, c.err)
				}
				return
			}
			if got := show(given, others); got != c.want || err != nil {
				t.Errorf("got %s, %v, want %s", got, err, c.want)
			}
		})
	}
}

func show(given Given, others []string) string {
	var list []string
	for o, keys := range given {
		text := o.String()
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			text += fmt.Sprintf(" %s=%s", key, keys[key])
		}
		list = append(list, text+";")
	}
	slices.Sort(list)
	if len(others) > 0 {
		list = append(list, "others "+strings.Join(others, " "))
	}
	return strings.Join(list, " ")
}

// infos are the objects of a manifest.
func infos(t *testing.T, text string) []*resource.Info {
	t.Helper()
	infos, err := resource.NewLocalBuilder().Unstructured().ContinueOnError().Flatten().Stream(strings.NewReader(text), "stdin").Do().Infos()
	if err != nil {
		t.Fatal(err)
	}
	return infos
}
