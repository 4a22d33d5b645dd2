package confit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

// inPod is a variable that the kubelet gives to every container.
const inPod = "KUBERNETES_SERVICE_HOST=10.96.0.1"

// subPath mounts a key of a volume elsewhere, alone: as the kubelet and a runtime do it, what ..data leads to now is mounted
// below volume-subpaths, and from there in the container (doBindSubPath of pkg/volume/util/subpath/subpath_linux.go).
func (s *setup) subPath(v *volume, key, point string) {
	s.t.Helper()
	real, err := filepath.EvalSymlinks(filepath.Join(v.dir, key))
	if err != nil {
		s.t.Fatal(err)
	}
	between := s.write(s.path("pod", "volume-subpaths", filepath.Base(v.dir), "app", fmt.Sprint(len(s.box.Mounts))), "")
	s.box.Mounts = append(s.box.Mounts, harness.Bind(real, between), harness.Bind(between, s.write(point, "")))
}

// configMap is a volume of the pod that isn't mounted below the volumes yet.
func (s *setup) configMap(name string) *volume {
	s.t.Helper()
	return newVolume(s.t, s.mkdir("pod", "volumes", "kubernetes.io~configmap", name))
}

// Keys that are mounted by subPath are refused before anything is made, each by its name, and with what to write instead.
// --check says the same.
func TestMounts_subPath(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.volume("whole").swap(keys{"text": "first"})
	web := s.configMap("web")
	web.swap(keys{"a.conf": "first", "sub/b.conf": "first"})
	s.subPath(web, "a.conf", s.path("volumes", "single", "renamed.conf"))
	s.subPath(web, "sub/b.conf", s.path("volumes", "b.conf"))
	s.line("link whole/text %s", s.target("text"))
	s.line("link single/renamed.conf %s", s.target("a.conf"))
	s.box.TerminationLog = s.write(s.path("termination-log"), "")
	before := s.tree(s.path("etc"))
	c := s.start(app()...)
	c.Ends(78)
	for _, text := range []string{
		`"` + s.path("volumes", "single", "renamed.conf") + `"`, "link single/a.conf", "{name: web, mountPath: " + s.path("volumes", "single") + "}",
		`"` + s.path("volumes", "b.conf") + `"`, "link web/sub/b.conf", "{name: web, mountPath: " + s.path("volumes", "web") + "}",
	} {
		c.wantMention(text)
		if last, err := os.ReadFile(s.path("termination-log")); err != nil || !strings.Contains(string(last), text) {
			t.Errorf("the last words %q don't mention %q, %v", last, text, err)
		}
	}
	if after := s.tree(s.path("etc")); after != before || exists(s.state) {
		t.Errorf("something was made: %s", after)
	}
	c = s.startCommand(s.command("--check")...)
	c.Ends(78)
	c.wantMention(`"` + s.path("volumes", "b.conf") + `"`)
}

// A swap between the mount and the start of confit removes the file behind the mount. The container that starts again is refused,
// too, with an accepted generation or without.
func TestMounts_subPath_swapped(t *testing.T) {
	t.Parallel()
	s, whole := newProved(t)
	whole.swap(keys{"text": "first"})
	s.accept(s.printer()...)
	web := s.configMap("web")
	web.swap(keys{"a.conf": "first"})
	s.subPath(web, "a.conf", s.path("volumes", "single", "a.conf"))
	c := s.startGated(s.printer()...)
	c.Eventually("the mounts", func() bool {
		info, err := os.ReadFile(c.Proc("mountinfo"))
		return err == nil && strings.Contains(string(info), s.path("volumes", "single", "a.conf"))
	})
	web.swap(keys{"a.conf": "second"})
	if info, _ := os.ReadFile(c.Proc("mountinfo")); !strings.Contains(string(info), "/a.conf//deleted ") {
		t.Errorf("the file is still there:\n%s", info)
	}
	if err := c.Open(); err != nil {
		t.Fatal(err)
	}
	c.Ends(78)
	c.wantMention("link single/a.conf")
	if c.Contains("deleted") {
		t.Error("the key has the kernel's mark")
	}
}

// A volume that is mounted under a name that no line has isn't overlooked by --check: a name is misspelt.
func TestMounts_misspelt(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link wbe/text %s", s.target("text"))
	web := s.configMap("web")
	web.swap(keys{"text": "first"})
	check := s.command("--check")
	c := s.startCommand(check...)
	c.Ends(0)
	c.wantMention("no key was looked at, as nothing is mounted in")
	s.box.Mounts = []harness.Mount{harness.Bind(web.dir, s.mkdir("volumes", "web"))}
	c = s.startCommand(check...)
	c.Ends(78)
	c.wantMention(`"wbe/text" needs volume "` + s.path("volumes", "wbe") + `", which is not mounted`)
}

// A single file that is mounted is said once, in a pod or not, and is served as it is.
func TestMounts_single_file(t *testing.T) {
	for _, variable := range []string{"", inPod} {
		t.Run("env_"+variable, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			s.line("link single/text %s", s.target("text"))
			s.line("rescan 100ms")
			s.line("reload signal:HUP")
			if variable != "" {
				s.env = append(s.env, variable)
			}
			outside := s.write(s.path("outside"), "first")
			s.box.Mounts = []harness.Mount{harness.Bind(outside, s.write(s.path("volumes", "single", "text"), ""))}
			c := s.start(s.printer()...)
			c.Says("read first", 1)
			s.write(outside, "second")
			c.Says("read second", 1)
			c.wantLogged("single file mounted: what replaces it is never seen", 1)
			c.wantLogged("plain volume: a change of several keys may be read in part", 0)
		})
	}
}

// A plain volume, and a state directory that a restart of the container would lose, are said in a pod only.
func TestMounts_pod(t *testing.T) {
	const plain, lost = "plain volume: a change of several keys may be read in part", "state directory in no volume: what is accepted is lost when the container restarts"
	tests := []struct {
		name        string
		env         []string
		root        bool // the state directory is in the root file system
		plain, lost int
	}{
		{"docker", nil, true, 0, 0},
		{"pod", []string{inPod}, true, 1, 1},
		{"pod_emptyDir_in_memory", []string{inPod}, false, 1, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			s.line("link plain/text %s", s.target("text"))
			s.line("link web/text %s", s.target("web"))
			s.line("rescan 100ms")
			s.line("reload signal:HUP")
			s.env = append(s.env, test.env...)
			s.volume("web").swap(keys{"text": "first"})
			s.write(s.path("volumes", "plain", "text"), "first")
			if test.root {
				s.state = s.inRoot()
				s.flag("--allow-disk")
			} else {
				s.box.Mounts = []harness.Mount{harness.Tmpfs(s.mkdir("state"), "mode=0777")}
			}
			c := s.start(s.printer()...)
			c.Says("read first", 1)
			s.replace(s.path("volumes", "plain", "text"), "second")
			c.Says("read second", 1)
			c.wantLogged(plain, test.plain)
			c.wantLogged(lost, test.lost)
			c.wantCount("warnings", len(c.warnings()), test.plain+test.lost)
		})
	}
}

// inRoot is a directory of the root file system, of which a container has nothing left when it starts again.
func (s *setup) inRoot() string {
	s.t.Helper()
	dir, err := os.MkdirTemp("/", ".confit-test-")
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// warnings are the log lines above INFO.
func (c *confit) warnings() (found []string) {
	for _, line := range c.Texts("stderr", "") {
		if strings.Contains(line, "level=WARN") || strings.Contains(line, "level=ERROR") {
			found = append(found, line)
		}
	}
	return found
}

// A container that restarts in its pod has the same emptyDir: nothing is said of it, and what was accepted is there.
func TestMounts_restart(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.env = append(s.env, inPod)
	s.flag("--probation", "0s")
	web.swap(keys{"text": "first"})
	emptyDir := s.mkdir("pod", "volumes", "kubernetes.io~empty-dir", "confit")
	s.box.Mounts = []harness.Mount{harness.Bind(emptyDir, s.mkdir("state"))}
	c := s.start(s.printer()...)
	c.Says("read first", 1)
	hash := c.logs("generation accepted", 1)["hash"]
	c.Eventually("what was accepted", func() bool { // the note may be there before
		note, _ := os.ReadFile(filepath.Join(emptyDir, "note.json"))
		return strings.Contains(string(note), hash)
	})
	c.wantCount("warnings", len(c.warnings()), 0)
	c.Kill()
	web.swap(keys{"other": "bad"})
	c = s.start(s.printer()...)
	c.logs(startsOnStored, 1)
	c.Says("read first", 1)
}
