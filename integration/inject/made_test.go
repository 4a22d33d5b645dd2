//go:build fleet

package inject

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
)

// combinations is how many pods are made, each of its number as a seed.
const combinations = 40

// checkMade holds that the golden files made_NN.yaml are what their seeds make, or makes them so.
func checkMade(s *server) {
	s.Helper()
	for seed := range combinations {
		name := fmt.Sprintf("made_%02d", seed)
		want := "# A pod that a seed made.\n" + text(newMaker(uint64(seed)).pod(strings.ReplaceAll(name, "_", "-")))
		if *update {
			if err := os.WriteFile(goldenFile(name), []byte(want), 0o644); err != nil {
				s.Fatal(err)
			}
		} else if got, err := os.ReadFile(goldenFile(name)); err != nil || string(got) != want {
			s.Errorf("%s isn't what its seed makes; -update writes it: %v", name, err)
		}
	}
}

// maker makes a pod of what the policy looks at, in any combination.
type maker struct {
	*rand.Rand
	volumes []string
}

func newMaker(seed uint64) *maker { return &maker{Rand: rand.New(rand.NewPCG(seed, 1))} }

func (m *maker) one(of ...string) string { return of[m.IntN(len(of))] }

// sometimes is true once in n times.
func (m *maker) sometimes(n int) bool { return m.IntN(n) == 0 }

func (m *maker) pod(name string) object {
	volumes, spec := m.makeVolumes(), object{}
	names := []string{"app", "web", "log", "db"}[:1+m.IntN(4)]
	var containers list
	for _, c := range names {
		containers = append(containers, m.container(c, 6))
	}
	spec["containers"], spec["volumes"] = containers, volumes
	if m.sometimes(4) {
		init := m.container("init", 3)
		if m.sometimes(2) {
			init["restartPolicy"] = "Always"
		}
		spec["initContainers"] = list{init}
	}
	if m.sometimes(4) {
		spec["securityContext"] = object{"runAsNonRoot": true, "runAsUser": 1000, "fsGroup": 2000}
	}
	if m.sometimes(15) {
		spec["hostPID"] = true
	}
	meta := object{"name": name, "labels": object{"confit": "inject"}}
	if a := m.annotations(names); len(a) > 0 {
		meta["annotations"] = a
	}
	return object{"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}
}

// makeVolumes are two to six, of which most are a ConfigMap or a Secret.
func (m *maker) makeVolumes() (all list) {
	for i := range 2 + m.IntN(5) {
		name := fmt.Sprintf("volume-%d", i)
		m.volumes = append(m.volumes, name)
		volume := object{"name": name}
		switch m.IntN(12) {
		case 0, 2:
			volume["emptyDir"] = object{}
		case 1:
			volume["projected"] = object{"sources": list{object{"configMap": object{"name": "app"}}}}
		case 3, 4, 5, 6:
			volume["secret"] = m.source("secretName")
		default:
			volume["configMap"] = m.source("name")
		}
		all = append(all, volume)
	}
	return all
}

func (m *maker) source(name string) object {
	s := object{name: m.one("one", "two")}
	if m.sometimes(3) {
		s["optional"] = m.sometimes(2)
	}
	if m.sometimes(3) {
		s["defaultMode"] = 0o440
	}
	if m.sometimes(3) {
		s["items"] = list{object{"key": "a", "path": "a.conf", "mode": 0o400}, object{"key": "b", "path": "b.conf"}, object{"key": "d", "path": "conf.d/d.conf"}}
	}
	return s
}

func (m *maker) container(name string, mounts int) object {
	c := object{"name": name, "image": "example.com/" + m.one("app:1", "app", "app:latest")}
	if !m.sometimes(5) {
		c["command"] = list{"/bin/" + name, m.one("-v", "$(POD_IP)", "$$", "a b", "")}
	}
	if m.sometimes(3) {
		c["args"] = list{"--run", m.one("$(POD_IP)", "$$HOME")}
	}
	if m.sometimes(3) {
		c["env"] = list{object{"name": "POD_IP", "valueFrom": object{"fieldRef": object{"fieldPath": "status.podIP"}}}}
	}
	if m.sometimes(4) {
		c["resources"] = object{"limits": object{"memory": "128Mi"}, "requests": object{"cpu": "100m"}}
	}
	if m.sometimes(3) {
		c["securityContext"] = object{"readOnlyRootFilesystem": true, "runAsUser": 1 + m.IntN(2)}
	}
	if all := m.mounts(mounts); len(all) > 0 {
		c["volumeMounts"] = all
	}
	return c
}

// mounts have different mountPaths, as the API server wants it. Those of whole volumes are where others may be below.
func (m *maker) mounts(most int) (all list) {
	taken := map[string]bool{}
	for range m.IntN(most + 1) {
		path := m.one("/etc/app/", "/etc/app/conf.d/", "/etc/", "/usr/share/app/", "/srv/", "/etc/app.d/")
		if m.sometimes(12) {
			path = m.one("/", "/dev/", "/confit/")
		}
		mount := object{"name": m.one(m.volumes...)}
		if m.sometimes(6) && path != "/" {
			path = strings.TrimSuffix(path, "/")
		} else {
			path += m.one("a.conf", "b.conf", "c.conf", "d")
			mount["subPath"] = m.one("a.conf", "b.conf", "a.conf", "b.conf", "a.conf", "b.conf", "conf.d/d.conf", m.one("conf.d", "c.conf", "a b"))
		}
		if m.sometimes(3) {
			mount["readOnly"] = true
		}
		if mount["mountPath"] = path; !taken[path] {
			all = append(all, mount)
		}
		taken[path] = true
	}
	return all
}

func (m *maker) annotations(names []string) object {
	a := object{}
	for _, option := range [][]string{
		{"validate", "check {candidate}", "$$ $(A)", ""}, {"reload", "signal:HUP", "touch", "exec:reload $$ $(A)", ""},
		{"stop-signal", "QUIT", "sigterm", ""}, {"probation", "1m", "0", ""},
	} {
		for _, prefix := range append([]string{""}, names...) {
			if m.sometimes(6) {
				a[strings.TrimPrefix(prefix+".confit/"+option[0], ".")] = m.one(option[1:]...)
			}
		}
	}
	if m.sometimes(12) {
		a[m.one("", "app.", "other.")+"confit/"+m.one("validte", "reload", "probation")] = m.one("nonsense", "-1s")
	}
	for _, name := range names {
		if m.sometimes(3) {
			a[name+".confit/command"] = m.one("/bin/app\n-x\n", "app", "\n", "sh\n-c\nexec $APP $$ $(POD_IP)")
		}
	}
	return a
}
