package pods_test

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"confit/kubectl-confit/pods"
)

// podOf reads a pod's spec.
func podOf(t *testing.T, spec string, annotations map[string]string) *corev1.Pod {
	t.Helper()
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: annotations}}
	if err := yaml.UnmarshalStrict([]byte(spec), &p.Spec); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestContainers: which containers have confit, and how it is called there.
func TestContainers(t *testing.T) {
	for name, tt := range map[string]struct {
		container string
		call      string // "": it has no confit
		flags     string
		app       string
	}{
		"command":               {"command: [confit, --, nginx, -g, x]", "confit --status=json", "", "nginx -g x"},
		"path":                  {"command: [/.confit/confit, --, nginx]", "/.confit/confit --status=json", "", "nginx"},
		"args":                  {"command: [confit], args: [--adopt, --, nginx]", "confit --status=json", "--adopt", "nginx"},
		"no dashes":             {"command: [confit, --retry, 1s, nginx, -g]", "confit --status=json", "--retry 1s", "nginx -g"},
		"state":                 {"command: [confit, --state, /run/x, --volumes=/v, --, nginx]", "confit --state /run/x --status=json", "--state /run/x --volumes=/v", "nginx"},
		"links":                 {"command: [confit, --links, /a, --lines, 'state /x', --, nginx]", "confit --links /a --lines state /x --status=json", "--links /a --lines state /x", "nginx"},
		"variables":             {"command: [$(C)/confit, --state, $(S), --, $(C), $$(C)], env: [{name: C, value: /c}, {name: S, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]", "/c/confit --state $(S) --status=json", "--state $(S)", "$(C) $$(C)"},
		"unknown flag":          {"command: [confit, --from-the-future, x, --, nginx]", "confit --status=json", "", ""},
		"mount":                 {"volumeMounts: [{name: x, mountPath: /confit/web}]", "confit --status=json", "", ""},
		"mount of all":          {"volumeMounts: [{name: x, mountPath: /confit/}]", "confit --status=json", "", ""},
		"mount beside":          {"volumeMounts: [{name: x, mountPath: /confit-state}]", "", "", ""},
		"another app":           {"command: [nginx]", "", "", ""},
		"another program":       {"command: [/usr/bin/confitctl, gate]", "", "", ""},
		"status":                {"command: [confit, --status, --state, /x], volumeMounts: [{name: x, mountPath: /confit/web}]", "", "", ""},
		"check":                 {"command: [confit], args: [--check]", "", "", ""},
		"install":               {"command: [/confit, --install, /.confit/confit]", "", "", ""},
		"status of the app":     {"command: [confit, --, app, --status]", "confit --status=json", "", "app --status"},
		"a name that ends so":   {"command: [/not-confit]", "", "", ""},
		"nothing but the image": {"image: web", "", "", ""},
	} {
		p := podOf(t, "containers: [{name: c, "+tt.container+"}]", nil)
		list := pods.Containers(p)
		if tt.call == "" {
			if len(list) > 0 {
				t.Errorf("%s: got %+v", name, list)
			}
			continue
		}
		if len(list) != 1 {
			t.Errorf("%s: got nothing", name)
			continue
		}
		c := list[0]
		if got := strings.Join(c.Call("--status=json"), " "); got != tt.call || strings.Join(c.Flags, " ") != tt.flags || strings.Join(c.App, " ") != tt.app || c.Known != (tt.app != "") {
			t.Errorf("%s: got %q, %+v", name, got, c)
		}
	}
}

// TestContainers_annotated: the annotation says it where nothing else does, for one container or for all; sidecars of
// initContainers count, and what runs before the app doesn't.
func TestContainers_annotated(t *testing.T) {
	p := podOf(t, `
initContainers:
- {name: install, command: [/confit, --install, /x]}
- {name: before, command: [confit, --, x]}
- {name: side, command: [confit, --, x], restartPolicy: Always}
containers:
- {name: a, image: x}
- {name: b, command: [confit, --, b]}
`, map[string]string{"confit/exec": "/opt/confit  --state /s", "b.confit/exec": "/b/confit"})
	var got []string
	for _, c := range pods.Containers(p) {
		got = append(got, c.Name+": "+strings.Join(c.Call("--try"), " "))
	}
	if want := []string{"side: /opt/confit --state /s --try", "a: /opt/confit --state /s --try", "b: /b/confit --try"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLay: what the kubelet makes of sources.
func TestLay(t *testing.T) {
	web, tls := pods.Object{Kind: pods.ConfigMap, Name: "web"}, pods.Object{Kind: pods.Secret, Name: "tls"}
	held := map[pods.Object]map[string]string{web: {"a": "A", "b": "B"}, tls: {"k": "K"}}
	for volume, want := range map[string]string{
		"configMap: {name: web}":    "map[a:A b:B] []",
		"secret: {secretName: tls}": "map[k:K] []",
		"configMap: {name: web, items: [{key: a, path: ./d/x}, {key: b, path: d/z}]}": "map[d/x:A d/z:B] []",
		"configMap: {name: web, items: [{key: a, path: x}, {key: b, path: x}]}":       "map[x:B] []",
		"configMap: {name: web, items: [{key: a, path: x}, {key: c, path: z}]}":       "map[x:A] [{configmap/web c}]",
		"configMap: {name: web, optional: true, items: [{key: c, path: z}]}":          "map[] []",
		"configMap: {name: gone}":                 "map[] [{configmap/gone }]",
		"configMap: {name: gone, optional: true}": "map[] []",
		"projected: {sources: [{configMap: {name: web}}, {secret: {name: tls, items: [{key: k, path: a}]}}, {serviceAccountToken: {path: token}}]}": "map[a:K b:B] []",
	} {
		p := podOf(t, "{containers: [{name: c, volumeMounts: [{name: v, mountPath: /confit/v/}]}], volumes: [{name: v, "+volume+"}]}", nil)
		m := pods.Containers(p)[0].Mounts[0]
		files, missing := pods.Lay(m, held)
		if got := sprint(files, missing); got != want || m.Path != "/confit/v" {
			t.Errorf("%s: got %s, want %s", volume, got, want)
		}
	}
}

func sprint(files map[string]string, missing []pods.Missing) string {
	text := "map["
	for i, key := range slices.Sorted(mapsKeys(files)) {
		if i > 0 {
			text += " "
		}
		text += key + ":" + files[key]
	}
	text += "] ["
	for _, m := range missing {
		text += "{" + m.String() + " " + m.Key + "}"
	}
	return text + "]"
}

func mapsKeys(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// TestOthers: files of projected volumes that are of no object.
func TestOthers(t *testing.T) {
	p := podOf(t, `{containers: [{name: c, volumeMounts: [{name: v, mountPath: /confit/v}]}], volumes: [{name: v, projected: {sources: [
  {configMap: {name: web}}, {serviceAccountToken: {path: token}}, {downwardAPI: {items: [{path: labels}]}}, {clusterTrustBundle: {path: ./ca}}]}}]}`, nil)
	if got := pods.Containers(p)[0].Mounts[0].Others; !slices.Equal(got, []string{"token", "labels", "ca"}) {
		t.Errorf("got %q", got)
	}
}

// TestObjects: what changes in a container, and what a pod has only from its start.
func TestObjects(t *testing.T) {
	p := podOf(t, `{containers: [
  {name: c, command: [confit], volumeMounts: [{name: a, mountPath: /confit/a}, {name: a, mountPath: /a}, {name: b, mountPath: /b, subPath: b}, {name: e, mountPath: /e}]},
  {name: d, volumeMounts: [{name: d, mountPath: /d}], env: [{name: X, valueFrom: {secretKeyRef: {name: s, key: k}}}, {name: Y, valueFrom: {configMapKeyRef: {name: z, key: k}}}],
    envFrom: [{secretRef: {name: f}}]}],
  volumes: [{name: a, configMap: {name: a}}, {name: b, configMap: {name: b}}, {name: d, secret: {secretName: d}}, {name: e, emptyDir: {}}]}`, nil)
	if got, want := pods.Containers(p)[0].Objects(), []pods.Object{{Kind: pods.ConfigMap, Name: "a"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for o, want := range map[pods.Object]pods.Use{
		{Kind: pods.ConfigMap, Name: "a"}: pods.Followed, {Kind: pods.Secret, Name: "a"}: pods.Unused, {Kind: pods.ConfigMap, Name: "b"}: pods.Started,
		{Kind: pods.Secret, Name: "d"}: pods.Mounted, {Kind: pods.Secret, Name: "s"}: pods.Started, {Kind: pods.ConfigMap, Name: "z"}: pods.Started,
		{Kind: pods.Secret, Name: "f"}: pods.Started, {Kind: pods.ConfigMap, Name: "f"}: pods.Unused,
	} {
		if got := pods.UseOf(p, o); got != want {
			t.Errorf("%v: got %v, want %v", o, got, want)
		}
	}
}

// TestFlags: the flags that are known here are those of the reference: with a value, switches, and those of other modes.
func TestFlags(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## Flags\n")
	table, _, _ = strings.Cut(table, "\n### ")
	rows := regexp.MustCompile("(?m)^- `--([a-z-]+)([^`]*)`").FindAllStringSubmatch(table, -1)
	if len(rows) < 30 {
		t.Fatalf("the reference has %d flags", len(rows))
	}
	for _, row := range rows {
		line := []string{"confit", "--" + row[1], "--", "app"}
		value := strings.HasPrefix(row[2], " ")
		if value {
			line = []string{"confit", "--" + row[1], "value", "--", "app"}
		}
		list := pods.Containers(podOf(t, `containers: [{name: c, command: ["`+strings.Join(line, `", "`)+`"]}]`, nil))
		aside := slices.Contains([]string{"check", "bake", "optional", "install", "seed", "status", "version", "help", "try"}, row[1])
		if aside != (len(list) == 0) {
			t.Errorf("--%s: got %+v", row[1], list)
		} else if !aside && (!list[0].Known || len(list[0].App) != 1 || len(list[0].Flags) != len(line)-3) {
			t.Errorf("--%s: got %+v", row[1], list[0])
		}
	}
}
