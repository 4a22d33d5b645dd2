//go:build linux

package verdict_test

import (
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"confit/kubectl-confit/pods"
	"confit/kubectl-confit/verdict"
	"confit/linker"
	"confit/status"
)

// fixture is a pod's volumes on a disk, and the lines of a confit.
type fixture struct {
	t       *testing.T
	random  *rand.Rand
	dir     string
	pod     *corev1.Pod
	in      pods.Container
	objects map[pods.Object]map[string][]byte
	linker  *linker.Linker
	swaps   int
}

var (
	names  = []string{"a", "b.conf", "c.conf", "d.pem"}
	values = []string{"", "1", "2"}
)

func (h *fixture) any(list []string) string { return list[h.random.IntN(len(list))] }

func (h *fixture) chance(percent int) bool { return h.random.IntN(100) < percent }

func newFixture(t *testing.T, seed uint64) *fixture {
	h := &fixture{t: t, random: rand.New(rand.NewPCG(seed, 0)), dir: t.TempDir(), objects: map[pods.Object]map[string][]byte{}}
	for _, o := range []pods.Object{web, other, tls} {
		h.objects[o] = h.keys()
	}
	h.pod = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web-0"}}
	h.pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "c", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
	h.pod.Spec.Volumes = h.volumes()
	c := corev1.Container{Name: "c", Command: []string{"confit", "--volumes", h.path("volumes"), "--", "app"}}
	for _, v := range h.pod.Spec.Volumes {
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: v.Name, MountPath: h.path("volumes", v.Name)})
	}
	h.pod.Spec.Containers = []corev1.Container{c}
	h.in = pods.Containers(h.pod)[0]
	h.bring()
	config, err := linker.Check(linker.Config{Links: h.lines(), Volumes: h.path("volumes"), State: h.path("state"), Log: slog.New(slog.DiscardHandler), AllowDisk: true})
	if err != nil {
		t.Fatal(err)
	}
	l, _, err := linker.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	h.linker = l
	return h
}

func (h *fixture) path(names ...string) string {
	return filepath.Join(append([]string{h.dir}, names...)...)
}

// keys are some, with some values.
func (h *fixture) keys() map[string][]byte {
	keys := map[string][]byte{}
	for _, name := range names {
		if h.chance(60) {
			keys[name] = []byte(h.any(values))
		}
	}
	return keys
}

func (h *fixture) items() (items []corev1.KeyToPath) {
	for range h.random.IntN(4) {
		items = append(items, corev1.KeyToPath{Key: h.any(names), Path: h.any([]string{"", "d/", "d/e/", "x."}) + h.any(names)})
	}
	return items
}

// volumes are one of a ConfigMap, one of a Secret, and one of several.
func (h *fixture) volumes() []corev1.Volume {
	yes := true
	configMap := func(name string) *corev1.ConfigMapProjection {
		return &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: name}, Items: h.items(), Optional: &yes}
	}
	return []corev1.Volume{
		{Name: "web", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "web"}, Items: h.items(), Optional: &yes}}},
		{Name: "tls", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "tls", Items: h.items(), Optional: &yes}}},
		{Name: "all", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{
			{ConfigMap: configMap("web")}, {ConfigMap: configMap("other")},
			{Secret: &corev1.SecretProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "tls"}, Items: h.items(), Optional: &yes}}}}}},
	}
}

// lines are some that live together whatever the keys are.
func (h *fixture) lines() (list []linker.Link) {
	for _, l := range []linker.Link{
		{Use: linker.Input, Source: "web/a"}, {Use: linker.Input, Source: "web/*.conf"}, {Use: linker.Input, Source: "web/d/"}, {Use: linker.Input, Source: "all/", Local: true},
		{Use: linker.Linked, Source: "all/d/e/[ab]*", Target: linker.Target(h.path("app", "all") + "/")}, {Use: linker.Input, Source: "all/x.?"},
		{Use: linker.Linked, Source: "tls/d.pem", Target: linker.Target(h.path("app", "d.pem")), Direct: true}, {Use: linker.Linked, Source: "tls/", Target: linker.Target(h.path("app", "tls"))},
		{Use: linker.Variable, Source: "web/x.a", Name: "A"}, {Use: linker.Input, Source: "tls/d/*/*.conf"},
	} {
		if l.Optional = true; h.chance(40) {
			list = append(list, l)
		}
	}
	return list
}

// bring does what the kubelet does with each volume. It says no where one can't be laid out: a file where another has a directory.
func (h *fixture) bring() bool {
	h.swaps++
	for i := range h.in.Mounts {
		files, _ := pods.Lay(h.in.Mounts[i], h.objects)
		for a := range files {
			for b := range files {
				if rel, err := filepath.Rel(a, b); err == nil && a != b && filepath.IsLocal(rel) {
					return false
				}
			}
		}
	}
	for i := range h.in.Mounts {
		files, _ := pods.Lay(h.in.Mounts[i], h.objects)
		h.swap(h.in.Mounts[i].Path, files)
	}
	return true
}

// swap writes a volume as the kubelet does: all files behind one link.
func (h *fixture) swap(dir string, files map[string][]byte) {
	data := fmt.Sprintf("..%d", h.swaps)
	h.must(os.MkdirAll(filepath.Join(dir, data), 0o755))
	for name, text := range files {
		h.must(os.MkdirAll(filepath.Dir(filepath.Join(dir, data, name)), 0o755))
		h.must(os.WriteFile(filepath.Join(dir, data, name), text, 0o644))
	}
	h.must(os.Symlink(data, filepath.Join(dir, "..tmp")))
	h.must(os.Rename(filepath.Join(dir, "..tmp"), filepath.Join(dir, "..data")))
	shown, err := os.ReadDir(filepath.Join(dir, data))
	h.must(err)
	for _, e := range shown {
		if err := os.Symlink("..data/"+e.Name(), filepath.Join(dir, e.Name())); err != nil && !os.IsExist(err) {
			h.must(err)
		}
	}
	all, err := os.ReadDir(dir)
	h.must(err)
	for _, e := range all {
		if _, err := os.Stat(filepath.Join(dir, data, e.Name())); err != nil && e.Name()[0] != '.' {
			h.must(os.Remove(filepath.Join(dir, e.Name())))
		}
	}
}

func (h *fixture) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// stage is what confit takes now, as a status that has accepted it.
func (h *fixture) stage() *status.Status {
	c, err := h.linker.Stage(linker.Known{})
	h.must(err)
	g := status.Generation{Number: c.Number, Hash: c.Hash.Hex(), Source: "mounted"}
	s := &status.Status{Version: 1, Phase: "running", Keys: c.Sums.ByKey(), Mounted: &status.Mounted{Hash: g.Hash}, Live: &g, Accepted: &status.Accepted{Generation: g}}
	for _, v := range h.linker.Volumes() {
		s.Volumes = append(s.Volumes, status.Volume{Path: v.Path, Kind: v.Kind, Prefix: v.Prefix, Patterns: v.Patterns})
	}
	return s
}

// have is what the API has.
func (h *fixture) have() verdict.Objects {
	all := verdict.Objects{}
	for o, keys := range h.objects {
		d := &pods.Data{Object: o, Sums: map[string]status.Sum{}}
		for key, bytes := range keys {
			d.Sums[key] = pods.Sum(bytes)
		}
		all[o] = d
	}
	return all
}

// edit changes, adds and removes keys of an object.
func (h *fixture) edit() {
	o := []pods.Object{web, other, tls}[h.random.IntN(3)]
	for _, name := range names {
		switch {
		case h.chance(70):
		case h.chance(30):
			delete(h.objects[o], name)
		default:
			h.objects[o][name] = []byte(h.any(values))
		}
	}
}

// TestJudge_linker: a container has accepted what the API has just if confit, asked anew, would take the same keys with the same bytes.
func TestJudge_linker(t *testing.T) {
	counted, houses := map[verdict.State]int{}, 150
	if testing.Short() { // make test, where others need some: each linker has an inotify instance until the process ends, and a user 128
		houses = 30
	}
	for seed := range uint64(houses) {
		if state, judged := judgeHouse(t, seed); judged {
			counted[state]++
		}
	}
	if t.Logf("%v", counted); counted[verdict.Accepted] < houses/5 || counted[verdict.Behind] < houses/8 || counted[verdict.Unfollowed] < houses/30 {
		t.Errorf("too few of a kind: %v", counted)
	}
}

// judgeHouse edits the objects of a fixture, and compares what Judge makes of its pod with what the linker makes of its volumes. It reports
// false where the linker takes none of both.
func judgeHouse(t *testing.T, seed uint64) (want verdict.State, judged bool) {
	t.Helper()
	h := newFixture(t, seed)
	defer h.linker.Close()
	if h.swaps == 0 || !h.bring() {
		return want, false
	}
	former := h.stage()
	h.edit()
	if !h.bring() {
		return want, false
	}
	now := h.stage()
	want = verdict.Behind
	switch {
	case len(former.Keys) == 0 && len(now.Keys) == 0:
		want = verdict.Unfollowed
	case maps.Equal(former.Keys, now.Keys):
		want = verdict.Accepted
	}
	row := verdict.Judge(h.pod, &h.in, verdict.Answer{Status: former}, h.have(), nil)
	if row.State != want {
		t.Fatalf("seed %d: got %+v, want %s\nconfit had %v\nand takes %v\nof %+v", seed, row, want, former.Keys, now.Keys, former.Volumes)
	}
	if again := verdict.Judge(h.pod, &h.in, verdict.Answer{Status: now}, h.have(), nil); want != verdict.Unfollowed && again.State != verdict.Accepted && len(now.Keys) > 0 {
		t.Fatalf("seed %d: got %+v of what it takes", seed, again)
	}
	return want, true
}
