package inject

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var (
	seed = flag.Uint64("seed", 0, "play this one pod again")
	pods = flag.Int("pods", 300, "so many pods at random")
)

// TestAnyPod makes pods at random, of all that the rules speak of, and holds what is true of each: a second run changes
// nothing, and the first nothing but what confit needs.
func TestAnyPod(t *testing.T) {
	changed := 0
	for n := range uint64(*pods) {
		if *seed > 0 {
			n = *seed
		}
		made := randomPod(rand.New(rand.NewPCG(n, 1)))
		document, before := parse(t, made), specOf(t, parse(t, made))
		plan := rewrite(t, document, Options{Image: confitImage, ImageVolume: n%2 == 0, Commands: map[string]Command{"a": {Words: []string{"app", "$x"}, From: "sha256:1"}}})
		after := specOf(t, document)
		if plan.Empty() != reflect.DeepEqual(before, after) {
			t.Fatalf("-seed %d: the plan is empty: %v, and the pod has changed: %v\n%s", n, plan.Empty(), plan.Empty(), made)
		}
		if again := read(t, document); !plan.Empty() && (!again.Plan(Options{Image: confitImage}).Empty() || len(again.Again(Options{Image: confitImage})) > 0) {
			t.Fatalf("-seed %d: a second run changes what the first made:\n%s", n, text(t, document))
		}
		if !plan.Empty() {
			changed++
			findPlaces(t, after, plan)
			checkState(t, after)
			undo(t, after, before, plan)
		}
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("-seed %d: without what confit brings the pod is\n%s\nand was\n%s", n, text(t, after), text(t, before))
		}
	}
	if *seed == 0 && (changed < *pods/10 || changed > *pods*9/10) {
		t.Errorf("%d of %d pods are rewritten: the dice are loaded", changed, *pods)
	}
}

// findPlaces holds that what a container mounts in a directory that it may not write to is mounted where the links are made, just so: else the
// runtime finds no place for it, or one of another kind.
func findPlaces(t *testing.T, spec object, plan *Plan) {
	t.Helper()
	by := func(name string) func(any) bool { return func(o any) bool { return o.(object)["name"] == name } }
	inits, _ := spec["initContainers"].(list) // none: with an image volume, if all is in the pod's own emptyDirs
	containers := spec["containers"].(list)
	for _, c := range plan.changes {
		at := slices.IndexFunc(inits, by(linksName(c.index)))
		if at < 0 || !c.locked() {
			continue
		}
		app, links := containers[c.index].(object), inits[at].(object)
		for _, m := range app["volumeMounts"].(list) {
			m := m.(object)
			if !below(m["mountPath"].(string), c.dirs...) || by(seedName(c.index))(m) {
				continue
			}
			if !slices.ContainsFunc(links["volumeMounts"].(list), func(o any) bool { return reflect.DeepEqual(o, m) }) {
				t.Errorf("%s doesn't have the mount %v", links["name"], m)
			}
			if env := app["env"].(list); m["subPathExpr"] != nil && !reflect.DeepEqual(env[:len(env)-1], links["env"].(list)[:len(env)-1]) {
				t.Errorf("%s has the variables %v, and not those of %v", links["name"], links["env"], m)
			}
		}
	}
}

// undo takes out of a spec what the rewriting brings in, and puts back the mounts and commands that it takes away.
func undo(t *testing.T, spec, before object, plan *Plan) {
	t.Helper()
	own := func(o any) bool { name, _ := o.(object)["name"].(string); return strings.HasPrefix(name, "confit-") }
	for _, key := range []string{"volumes", "initContainers"} {
		all, _ := spec[key].(list)
		if spec[key] = slices.DeleteFunc(all, own); len(spec[key].(list)) == 0 && before[key] == nil {
			delete(spec, key)
		}
	}
	for _, c := range plan.changes {
		now, was := spec["containers"].(list)[c.index].(object), before["containers"].(list)[c.index].(object)
		env := now["env"].(list)
		if now["env"] = env[:len(env)-1]; len(env) == 1 && was["env"] == nil {
			delete(now, "env")
		}
		command := now["command"].(list)
		if now["command"] = command[2:]; was["command"] == nil {
			delete(now, "command")
		}
		mounts := slices.DeleteFunc(now["volumeMounts"].(list), own)
		for _, i := range c.followed { // in their order, so each finds its place
			mounts = slices.Insert(mounts, i, was["volumeMounts"].(list)[i])
		}
		now["volumeMounts"] = mounts
	}
}

// pick takes one of the texts.
func pick(r *rand.Rand, texts ...string) string { return texts[r.IntN(len(texts))] }

// randomPod has up to three containers and volumes of all kinds.
func randomPod(r *rand.Rand) string {
	var b strings.Builder
	fmt.Fprintln(&b, "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p")
	b.WriteString(pick(r, "", "  annotations: {confit/validate: 'app -t $$', a.confit/reload: signal:HUP}\n", "  annotations: {b.confit/command: \"run\\n--fast\\n\"}\n"))
	b.WriteString("spec:\n" + pick(r, "", "", "", "", "  hostPID: true\n", "  os: {name: linux}\n"))
	b.WriteString(pick(r, "", "  initContainers:\n  - {name: i, image: i, volumeMounts: [{name: cm, mountPath: /x/y, subPath: y}]}\n"))
	b.WriteString("  volumes:\n  - {name: cm, configMap: {name: one, optional: true}}\n  - {name: sec, secret: {secretName: two, defaultMode: 0400, items: [{key: k, path: d/k}, {key: l, path: l}]}}\n")
	b.WriteString("  - {name: claim, persistentVolumeClaim: {claimName: c}}\n  - {name: pro, projected: {sources: []}}\n  - {name: own, emptyDir: {}}\n  containers:\n")
	for _, name := range []string{"a", "b", "c"}[:1+r.IntN(3)] {
		fmt.Fprintf(&b, "  - name: %s\n    image: img:%s\n", name, name)
		b.WriteString(pick(r, "", "    command: [app, --x, 'y $(Z)']\n", "    command:\n    - sh\n    args: ['1']\n"))
		b.WriteString(pick(r, "", "    env: [{name: A, value: b}]\n", "    resources: {limits: {cpu: 1}}\n", "    securityContext: {runAsUser: 7}\n", "    securityContext: {readOnlyRootFilesystem: true}\n"))
		b.WriteString("    volumeMounts:\n")
		for range r.IntN(5) {
			fmt.Fprintf(&b, "    - {name: %s, mountPath: %s%s}\n", pick(r, "cm", "cm", "sec", "claim", "pro"),
				pick(r, "/etc/a/", "/etc/b/", "/etc/", "/", "/proc/x/", "/data/", "/etc/a/b/")+pick(r, "f", "g", "h", "i", "h/", "../x"),
				pick(r, ", subPath: f", ", subPath: l", ", subPath: d/k", ", subPath: d", ", subPath: ../x", ", subPathExpr: $(X)", ""))
		}
		b.WriteString(pick(r, "    - {name: claim, mountPath: /data}\n", "    - {name: cm, mountPath: /whole}\n", "    - {name: own, mountPath: /etc/b, subPath: b}\n", "    - {name: own, mountPath: /etc}\n", "    - {name: cm, mountPath: /etc/z/motd, subPath: motd}\n"))
	}
	return b.String()
}
