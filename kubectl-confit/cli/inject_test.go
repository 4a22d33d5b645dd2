package cli

import (
	"fmt"
	"strings"
	"testing"
)

// TestLeft: what stays as it is is told with its line, and the rest is rewritten. The policy gives the same reasons.
func TestLeft(t *testing.T) {
	followed := `    - {name: conf, mountPath: /etc/web/a, subPath: a}`
	for mount, why := range map[string]string{
		"{name: conf, mountPath: /etc/web/b, subPathExpr: $(B)}":                     "it has a subPathExpr",
		"{name: projected, mountPath: /etc/web/b, subPath: b}":                       "its volume is neither a ConfigMap nor a Secret",
		"{name: conf, mountPath: /etc/web/b, subPath: '*'}":                          "its subPath is not a plain path, such as a.conf or conf.d/a.conf",
		"{name: conf, mountPath: /etc/web/b, subPath: d/b}":                          "its subPath has a slash, and a key has none",
		"{name: items, mountPath: /etc/web/b, subPath: d}":                           "its subPath is a directory",
		"{name: items, mountPath: /etc/web/b, subPath: b}":                           "its subPath is not among the items of its volume",
		"{name: conf, mountPath: /etc/web/../b, subPath: b}":                         "its mountPath is not a plain path, such as /etc/app/a.conf",
		"{name: conf, mountPath: /etc/hosts, subPath: b}":                            "the kubelet mounts a file of its own there",
		"{name: conf, mountPath: /b, subPath: b}":                                    "its mountPath is right in /",
		"{name: conf, mountPath: /sys/b, subPath: b}":                                "its mountPath is in /sys",
		"{name: conf, mountPath: /data/b, subPath: b}":                               "its mountPath is below another mount",
		"{name: data, mountPath: /etc/web/b, subPath: b}":                            "", // nobody expects confit to follow data
		"{name: conf, mountPath: /etc/web/b}":                                        "",
		"{name: conf, mountPath: /etc/web/b, subPath: b, readOnly: true} # this too": "",
	} {
		manifest := podOf(
			"  - {name: projected, projected: {sources: []}}", "  - {name: items, secret: {secretName: s, items: [{key: k, path: d/k}]}}", "  - {name: data, persistentVolumeClaim: {claimName: d}}",
			one, command, "    volumeMounts:", followed, "    - {name: data, mountPath: /data}", "    - "+mount)
		r := rewrite(t, manifest, "--image", confitImage)
		want := ""
		if why != "" {
			path := strings.TrimSuffix(strings.TrimSpace(strings.Split(strings.Split(mount, "mountPath: ")[1], ",")[0]), "}")
			want = fmt.Sprintf("web.yaml:18: Pod \"web\": container \"one\": mount %q stays as it is: %s\n", path, why)
		}
		if r.code != 0 || r.stderr != want || !strings.Contains(r.stdout, "link conf/a /etc/web/a") {
			t.Errorf("%s: got %+v, want %s", mount, r, want)
		}
	}
}

// TestLeft_whole: a pod that stays as a whole is written byte for byte, and told only if confit could have been for it.
func TestLeft_whole(t *testing.T) {
	const nothing = "web.yaml:1: nothing to do: no pod mounts a key of a ConfigMap or Secret by subPath"
	for _, c := range []struct{ manifest, stderr string }{
		{podOf("  os: {name: windows}", one, command, mounted), `web.yaml:8: Pod "web" stays as it is: it is for Windows`},
		{podOf("  hostPID: true", one, command, mounted), `web.yaml:8: Pod "web" stays as it is: it has hostPID: true, and confit has to be PID 1`},
		{podOf("  - {name: confit-bin, emptyDir: {}}", one, command, mounted), `web.yaml:8: Pod "web" stays as it is: it has confit, in the volume confit-bin`},
		{podOf(one, "    command: [/confit, --, web]", mounted), `web.yaml:6: Pod "web" stays as it is: it has confit, in container one`},
		{strings.Replace(podOf(one, command, mounted), "  name: web\n", "  name: web\n  annotations: {kubernetes.io/config.mirror: x}\n", 1), `web.yaml:5: Pod "web" stays as it is: it is a mirror pod`},
		{podOf(one, command, mounted+"\n    - {name: conf, mountPath: /run/confit/x}"), ``},
		{podOf("  hostPID: true", one, command), nothing},
		{podOf(one), nothing},
	} {
		c.manifest = strings.Replace(c.manifest, "[{name: conf, mountPath: /etc/web/a, subPath: a}]\n    -", "\n    - {name: conf, mountPath: /etc/web/a, subPath: a}\n    -", 1)
		if strings.Contains(c.manifest, "/run/confit/x") {
			c.stderr = `web.yaml:9: Pod "web": container "one" stays as it is: a mount of its own is at or below /confit, /run/confit or /.confit`
		}
		r := rewrite(t, c.manifest)
		if r.code != 0 || r.stdout != c.manifest || strings.TrimSpace(r.stderr) != c.stderr {
			t.Errorf("%s: got %+v, want %s", c.manifest, r, c.stderr)
		}
	}
}

// TestKinds: what has a pod's template is rewritten, or named, and a Job only if somebody says what an edit does to it.
func TestKinds(t *testing.T) {
	of := func(kind, annotations string) string {
		return "kind: " + kind + "\nmetadata: {name: web}\nspec:\n  template:\n    metadata: {annotations: {" + annotations + "}}\n    spec:\n      volumes: [{name: conf, configMap: {name: web}}]\n" +
			"      containers:\n      - name: one\n        image: web:1\n        command: [web]\n        volumeMounts: [{name: conf, mountPath: /etc/web/a, subPath: a}]\n"
	}
	for manifest, stderr := range map[string]string{
		"apiVersion: v1\n" + of("ReplicationController", ""):                 "",
		"apiVersion: argoproj.io/v1alpha1\n" + of("Rollout", ""):             "",
		"apiVersion: batch/v1\n" + of("Job", "one.confit/reload: none"):      "",
		"apiVersion: batch/v1\n" + of("Job", ""):                             `web.yaml:8: Job "web" stays as it is: it is of a Job, which an edit would end in the middle; write the annotation confit/reload, such as none, to have it all the same`,
		"apiVersion: serving.knative.dev/v1\n" + of("Service", ""):           `web.yaml:6: Service "web" stays as it is: nobody knows what its kind does with the template of a pod`,
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n":           `web.yaml:1: nothing to do: no pod mounts a key of a ConfigMap or Secret by subPath`,
		"apiVersion: v1\n" + of("ReplicationController", "") + "---\na: b\n": "",
	} {
		r := rewrite(t, manifest, "--image", confitImage)
		if r.code != 0 || strings.TrimSpace(r.stderr) != stderr || strings.Contains(r.stdout, "CONFIT_LINES") != (stderr == "") {
			t.Errorf("got %+v, want %s", r, stderr)
		}
	}
	windows := podOf("  nodeSelector: {kubernetes.io/os: windows}", one, command, mounted)
	if r := rewrite(t, windows); r != (result{0, windows, "web.yaml:8: Pod \"web\" stays as it is: it is for Windows\n"}) {
		t.Errorf("got %+v", r)
	}
	sidecar := podOf("  initContainers:", "  - {name: side, image: side:1, restartPolicy: Always, volumeMounts: [{name: conf, mountPath: /etc/web/a, subPath: a}]}", one, command)
	if r := rewrite(t, sidecar); r.code != 0 || r.stderr != "web.yaml:9: Pod \"web\": container \"side\": mount \"/etc/web/a\" stays as it is: it is a sidecar's, which is an init container, and confit goes into none of these\n" {
		t.Errorf("got %+v", r)
	}
}

// TestCommand_images: a name is enough for containers of one image, and not for those of two.
func TestCommand_images(t *testing.T) {
	web := podOf(one, mounted)
	other := strings.NewReplacer("name: web", "name: db", "web:1", "redis:7").Replace(web)
	if out := must(t, web+"---\n"+strings.Replace(web, "name: web", "name: other", 1), "--command", "one=web"); strings.Count(out, "[/.confit/confit, --, web]") != 2 {
		t.Errorf("got\n%s", out)
	}
	const want = `web.yaml:1: cannot use --command for container "one": it is of different images: that of Pod "web" is web:1, that of Pod "db" is redis:7; write --command KIND/NAME/one='WORD WORD…' for each` + "\n"
	if r := rewrite(t, web+"---\n"+other, "--image", confitImage, "--command", "one=web"); r != (result{1, "", want}) {
		t.Errorf("got %+v", r)
	}
	for _, args := range [][]string{{"--command", "pod/web/one=web", "--command", "Pod/db/one=redis"}, {"--command", "one=web", "--command", "pod/db/one=redis"}} {
		out := must(t, web+"---\n"+other, args...)
		if strings.Count(out, "[/.confit/confit, --, web]") != 1 || strings.Count(out, "[/.confit/confit, --, redis]") != 1 {
			t.Errorf("%q: got\n%s", args, out)
		}
	}
	if r := rewrite(t, web, "--image", confitImage, "--no-registry", "--command", "job/web/one=web"); r.code != 1 || !strings.Contains(r.stderr, `cannot use --command for container "job/web/one"`) {
		t.Errorf("got %+v", r)
	}
}

// TestSummary: a line a pod says what is to be expected of it.
func TestSummary(t *testing.T) {
	manifest := strings.Replace(podOf("  - {name: certs, secret: {secretName: web}}", one, command,
		"    envFrom: [{configMapRef: {name: web}}]", "    env: [{name: A, valueFrom: {secretKeyRef: {name: web, key: a}}}]", "    volumeMounts:",
		"    - {name: conf, mountPath: /etc/web/a, subPath: a}", "    - {name: conf, mountPath: /etc/web/b, subPath: b}",
		"    - {name: conf, mountPath: /conf}", "    - {name: certs, mountPath: /certs}",
		"  - {name: two, image: 'two:1', command: [two], volumeMounts: [{name: conf, mountPath: /etc/two/a, subPath: a}]}"),
		"  name: web\n", "  name: web\n  annotations: {checksum/config: abc, one.confit/validate: web -t}\n", 1)
	for _, c := range []struct{ from, to, want string }{
		{"", "", "3 keys follow; no check in container two; checksum annotation: an upgrade makes new pods as well; 2 directories and envFrom and env don't follow"},
		{"one.confit/validate: web -t", "confit/validate: web -t", "3 keys follow; checksum annotation: an upgrade makes new pods as well; 2 directories and envFrom and env don't follow"},
		{", one.confit/validate: web -t", "", "3 keys follow; no check; checksum annotation: an upgrade makes new pods as well; 2 directories and envFrom and env don't follow"},
		{"    - {name: certs, mountPath: /certs}\n", "", "3 keys follow; no check in container two; checksum annotation: an upgrade makes new pods as well; 1 directory and envFrom and env don't follow"},
	} {
		r := run(t, strings.Replace(manifest, c.from, c.to, 1), "inject", "-f", "web.yaml", "--image", confitImage)
		if want := "web.yaml:11: Pod \"web\": " + c.want + "\n"; r.code != 0 || r.stderr != want {
			t.Errorf("%s: got %+v, want %s", c.from, r, want)
		}
	}
	if r := run(t, podOf(one, command, mounted), "inject", "-f", "web.yaml", "--image", confitImage); r.stderr != "web.yaml:9: Pod \"web\": 1 key follows; no check\n" {
		t.Errorf("got %+v", r)
	}
}

// TestRefused: every mistake is named with its line, all at once, and stdout stays empty.
func TestRefused(t *testing.T) {
	annotated := func(text string) string {
		return strings.Replace(podOf(one, command, mounted), "  name: web\n", "  name: web\n  annotations:\n    "+text+"\n", 1)
	}
	for _, c := range []struct {
		manifest string
		args     []string
		stderr   []string
	}{
		{podOf(one, command, mounted), nil, []string{`9: cannot tell confit's image; write --image REFERENCE`}},
		{podOf(one, mounted), []string{"--image", confitImage, "--no-registry"}, []string{`9: cannot rewrite Pod "web": container "one" has no command, and nobody knows its ENTRYPOINT: no registry is asked; write --command one='WORD WORD…', or the annotation one.confit/command`}},
		{podOf(one, command, mounted), []string{"--image", confitImage, "--command", "two=web"}, []string{`1: cannot use --command for container "two": no container of that name lacks a command and mounts a key by subPath`}},
		{podOf(one, command, mounted), []string{"--image", confitImage, "--command", "one=web"}, []string{`1: cannot use --command for container "one": no container of that name lacks a command and mounts a key by subPath`}},
		{annotated(`confit/validate: "a\nb"`), []string{"--image", confitImage}, []string{`6: cannot rewrite Pod "web": there is a line break in the annotation confit/validate: write one line, as only NAME.confit/command may have several`}},
		{annotated(`other.confit/reload: "a\r"`), []string{"--image", confitImage}, []string{`6: cannot rewrite Pod "web": there is a line break in the annotation other.confit/reload: write one line, as only NAME.confit/command may have several`}},
		{annotated(`confit/validte: web -t`), []string{"--image", confitImage}, []string{`6: cannot rewrite Pod "web": the annotation confit/validte means nothing; write validate, reload, stop-signal or probation behind confit/ or NAME.confit/, or NAME.confit/command`}},
		{annotated(`one.confit/stop-signal: FOO`), []string{"--image", confitImage}, []string{`6: cannot rewrite Pod "web": the annotation one.confit/stop-signal is no signal that can be caught; write a name such as TERM, QUIT or RTMIN+1`}},
		{podOf("  - {name: confit-state, emptyDir: {}}", one, command, mounted), []string{"--image", confitImage}, []string{`8: cannot rewrite Pod "web": volume confit-state: it has a name that confit gives`}},
		{podOf("  initContainers: [{name: confit-install}]", one, command, mounted), []string{"--image", confitImage}, []string{`8: cannot rewrite Pod "web": container "confit-install": it has a name that confit gives`}},
		{podOf("  containers: none"), nil, []string{"8: cannot read the manifest: cannot unmarshal !!str `none` into []inject.container"}},
		{podOf(one, "    command: [a") + "---\n" + podOf(one, mounted) + "---\na: b: c\n", []string{"--no-registry"}, []string{
			`10: cannot read the manifest: did not find expected ',' or ']'`,
			`21: cannot tell confit's image; write --image REFERENCE`,
			`21: cannot rewrite Pod "web": container "one" has no command, and nobody knows its ENTRYPOINT: no registry is asked; write --command one='WORD WORD…', or the annotation one.confit/command`,
			`25: cannot read the manifest: mapping values are not allowed in this context`,
		}},
	} {
		r := rewrite(t, c.manifest, c.args...)
		want := "web.yaml:" + strings.Join(c.stderr, "\nweb.yaml:") + "\n"
		if r.code != 1 || r.stdout != "" || r.stderr != want {
			t.Errorf("got %+v, want %s of\n%s", r, want, c.manifest)
		}
		if r := rewrite(t, c.manifest, append(c.args, "--check")...); r.code != 1 || r.stderr != want {
			t.Errorf("--check: got %+v, want %s", r, want)
		}
	}
}

// TestCheck: it says what a run would change, and exits with 3 just then.
func TestCheck(t *testing.T) {
	manifest := podOf(one, command, mounted)
	if r := rewrite(t, manifest, "--check", "--image", confitImage); r != (result{3, "", "web.yaml:9: Pod \"web\" isn't rewritten\n"}) {
		t.Errorf("got %+v", r)
	}
	done := must(t, manifest)
	for _, args := range [][]string{{"--check"}, {"--check", "--image", confitImage}} {
		if r := rewrite(t, done, args...); r != (result{0, "", ""}) {
			t.Errorf("%q: got %+v", args, r)
		}
	}
	if r := rewrite(t, done, "--check", "--image", "other:2"); r != (result{3, "", "web.yaml:14: confit's image is " + confitImage + ", not other:2\n"}) {
		t.Errorf("got %+v", r)
	}
	moved := strings.Replace(done, "- name: one\n    image: web:1", "- name: one\n    image: web:2", 1)
	const stale = "init container %q: its image is web:1, and that of container \"one\" is web:2\n"
	if r := rewrite(t, moved, "--check"); r != (result{3, "", fmt.Sprintf("web.yaml:20: "+stale+"web.yaml:29: "+stale, "confit-seed-0", "confit-links-0")}) {
		t.Errorf("got %+v", r)
	}
	for _, args := range [][]string{{"--image", "other:2"}, nil} {
		again := rewrite(t, moved, args...)
		want := strings.ReplaceAll(done, "web:1", "web:2")
		if args != nil {
			want = strings.ReplaceAll(want, confitImage, "other:2")
		}
		if again.stdout != want || again.code != 0 {
			t.Errorf("%q: got %+v, want\n%s", args, again, want)
		}
	}
}

// TestCheck_annotations: an annotation that was changed in its own output makes that stale, a mistake in it is refused, and one for
// nobody is told.
func TestCheck_annotations(t *testing.T) {
	annotated := func(manifest, text string) string {
		return strings.Replace(manifest, "  name: web\n", "  name: web\n  annotations:\n    "+text+"\n", 1)
	}
	manifest := podOf(one, command, mounted)
	before, after := must(t, annotated(manifest, "confit/validate: web -t $X")), must(t, annotated(manifest, "confit/validate: web -t"))
	changed := strings.Replace(before, "confit/validate: web -t $X", "confit/validate: web -t", 1)
	r := rewrite(t, changed, "--check")
	if r.code != 3 || !strings.HasSuffix(r.stderr, ": container \"one\": its CONFIT_LINES aren't what annotations say\n") {
		t.Errorf("got %+v", r)
	}
	if r := rewrite(t, changed); r != (result{0, after, ""}) {
		t.Errorf("got %+v, want\n%s", r, after)
	}
	own := strings.Replace(before, "            view /run", "            splay 5s\n            view /run", 1)
	if r := rewrite(t, own, "--check"); r != (result{0, "", ""}) {
		t.Errorf("got %+v of\n%s", r, own)
	}
	if r := rewrite(t, strings.Replace(before, "confit/validate", "confit/validte", 1), "--check"); r.code != 1 || !strings.Contains(r.stderr, "the annotation confit/validte means nothing") {
		t.Errorf("got %+v", r)
	}
	stranger := annotated(manifest, "two.confit/validate: web -t")
	if r := rewrite(t, stranger, "--image", confitImage); r.code != 0 || r.stderr != "web.yaml:6: Pod \"web\": the annotation two.confit/validate is for a container that it doesn't have: write one of one\n" {
		t.Errorf("got %+v", r)
	}
}

// TestImage: without the flag the file's own counts, if there is one.
func TestImage(t *testing.T) {
	manifest := podOf(one, command, mounted)
	done := must(t, manifest)
	volume := must(t, manifest, "--image-volume")
	if !strings.Contains(volume, "{name: confit-bin, image: {reference: '"+confitImage+"', pullPolicy: IfNotPresent}}") || strings.Contains(volume, "confit-install") {
		t.Errorf("got\n%s", volume)
	}
	for _, first := range []string{done, volume} {
		r := rewrite(t, first+"---\n"+manifest)
		if r != (result{0, first + "---\n" + done, ""}) {
			t.Errorf("got %+v", r)
		}
	}
	two := done + "---\n" + strings.ReplaceAll(done, confitImage, "other:2") + "---\n"
	if r := rewrite(t, two); r != (result{0, two, ""}) {
		t.Errorf("got %+v", r)
	}
	if r := rewrite(t, two+manifest); r.code != 1 || r.stderr != "web.yaml:125: cannot tell confit's image: its pods have "+confitImage+" and other:2; write --image REFERENCE\n" {
		t.Errorf("got %+v", r)
	}
	if r := rewrite(t, volume, "--image", "other:2"); r.stdout != strings.ReplaceAll(volume, confitImage, "other:2") {
		t.Errorf("got %+v", r)
	}
}
