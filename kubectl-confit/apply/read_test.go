package apply

import (
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/resource"
)

// infosOf reads manifests as the verb does.
func infosOf(t *testing.T, manifest string) []*resource.Info {
	t.Helper()
	b := resource.NewBuilder(genericclioptions.NewTestConfigFlags()).Unstructured().Local().ContinueOnError().Flatten()
	infos, err := b.Stream(strings.NewReader(manifest), "web.yaml").Do().Infos()
	if err != nil {
		t.Fatal(err)
	}
	return infos
}

// TestRead: what can be applied, and all that is wrong at once, without any value.
func TestRead(t *testing.T) {
	const named = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "
	for name, c := range map[string]struct {
		manifest string
		fixed    bool
		want     string // configmap/a in NAMESPACE, or the error
	}{
		"one":       {named + "a}\ndata: {a: x}", false, "configmap/a in shop"},
		"empty":     {named + "a}\ndata:", false, "configmap/a in shop"},
		"binary":    {named + "a}\nbinaryData: {a: aGk=}", false, "configmap/a in shop"},
		"secret":    {"apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {a: x}\ndata: {b: aGk=}\ntype: Opaque", false, "secret/a in shop"},
		"several":   {named + "a}\n---\n" + named + "b}\n", false, "configmap/a configmap/b in shop"},
		"list":      {"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n", false, "configmap/a in shop"},
		"its own":   {named + "a, namespace: prod}", false, "configmap/a in prod"},
		"the same":  {named + "a, namespace: shop}\n---\n" + named + "b}\n", true, "configmap/a configmap/b in shop"},
		"another":   {named + "a, namespace: prod}", true, `configmap/a is for the namespace "prod", and -n says "shop": leave one of the two out`},
		"mixed":     {named + "a, namespace: prod}\n---\n" + named + "b}\n", false, "the objects are for the namespaces prod, shop: apply those of one at a time"},
		"twice":     {named + "a}\n---\n" + named + "a}\n", false, "web.yaml: configmap/a is there twice"},
		"kind":      {"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}", false, `web.yaml: Deployment "web" is neither a ConfigMap nor a Secret: kubectl apply takes it`},
		"version":   {"apiVersion: v2\nkind: ConfigMap\nmetadata: {name: web}", false, `web.yaml: ConfigMap "web" is neither a ConfigMap nor a Secret: kubectl apply takes it`},
		"no name":   {"apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: web-}", false, "web.yaml: ConfigMap without a name: write metadata.name"},
		"number":    {named + "a}\ndata: {port: 8081, flag: true, c: [s3cret], d: }", false, "web.yaml: configmap/a: data.c is no text: write it in quotes; data.d is empty, not text: write it in quotes; data.flag is true or false, not text: write it in quotes; data.port is a number, not text: write it in quotes"},
		"no map":    {named + "a}\ndata: s3cret", false, "web.yaml: configmap/a: data isn't a map of keys"},
		"base64":    {"apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {a: s3cret!}", false, "web.yaml: secret/a: data.a isn't base64"},
		"field":     {named + "a}\ndatas: {a: s3cret}", false, `web.yaml: configmap/a: strict decoding error: unknown field "datas"`},
		"managed":   {named + "a, managedFields: [{manager: x}]}", false, "web.yaml: configmap/a has managedFields, which are the server's: take them out, as kubectl get -o yaml does by itself"},
		"all wrong": {named + "a}\ndata: {a: 1}\n---\n" + named + "b}\ndata: {a: 2}", false, "web.yaml: configmap/a: data.a is a number, not text: write it in quotes\nweb.yaml: configmap/b: data.a is a number, not text: write it in quotes"},
		"nothing":   {"", false, "there is no ConfigMap and no Secret"},
	} {
		objects, in, err := Read(infosOf(t, c.manifest), "shop", c.fixed)
		var got []string
		for _, o := range objects {
			got = append(got, o.String())
			if o.Given.GetNamespace() != in {
				t.Errorf("%s: %s is sent to %q", name, o, o.Given.GetNamespace())
			}
		}
		said := strings.Join(got, " ") + " in " + in
		if err != nil {
			said = err.Error()
		}
		if said != c.want || strings.Contains(said, "s3cret") {
			t.Errorf("%s: got %s, want %s", name, said, c.want)
		}
	}
}
