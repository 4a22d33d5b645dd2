//go:build check

package examples

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/internal/apiserver"
	"confit/integration/internal/harness"
	"confit/integration/volume"
)

// container is one of an example's or of a page's, in a pod with volumes.
type container struct {
	t *testing.T
	*harness.Run
	source string // the directory that the image is built in
	dir    string // of the test; root is its file system
	root   string
	netOf  int // the process whose network it shares; 0: it has its own
	dockerfile
	manifest
	refused *harness.Refusal
	around  func(*container)  // see example
	api     *apiserver.Server // nil: there is none
}

// newContainer begins an example's.
func newContainer(t *testing.T, example string) *container {
	t.Helper()
	top, err := harness.Root()
	must(t, err)
	if example == "nginx" {
		return containerOf(t, top, "Dockerfile.example", "examples/nginx/kubernetes.yaml")
	}
	return containerOf(t, filepath.Join(top, "examples", example), "Dockerfile", "kubernetes.yaml")
}

// containerOf reads the files of a directory, and begins the image with this machine's files.
func containerOf(t *testing.T, source, dockerfile, manifest string) *container {
	t.Helper()
	c := emptyContainer(t)
	c.source = source
	c.dockerfile = readDockerfile(t, filepath.Join(c.source, dockerfile))
	c.manifest = readManifest(t, filepath.Join(c.source, manifest))
	c.mountImage()
	return c
}

// newPod has a links file, ConfigMaps that are mounted under their names, and this machine's files. Its app is a command.
func newPod(t *testing.T, links string, configMaps map[string]volume.Payload, app ...string) *container {
	t.Helper()
	c := emptyContainer(t)
	c.dockerfile = dockerfile{env: []string{pathVariable}, stopSignal: unix.SIGTERM, entrypoint: append([]string{"confit", "--"}, app...)}
	c.manifest = manifest{configMaps: configMaps, sources: map[string]string{"state": ""}, mounts: map[string]string{"/run/confit": "state"}}
	for name := range configMaps {
		c.sources[name], c.mounts["/confit/"+name] = name, name
	}
	c.mountImage()
	c.copy("confit", "/usr/local/bin/confit")
	c.write("/etc/confit/links", links)
	return c
}

// emptyContainer has an empty file system, which every user may enter.
func emptyContainer(t *testing.T) *container {
	t.Helper()
	c := &container{t: t, dir: t.TempDir()}
	c.root = filepath.Join(c.dir, "root")
	must(t, os.Mkdir(c.root, 0o755))
	for _, dir := range []string{filepath.Dir(c.dir), c.dir} {
		must(t, os.Chmod(dir, 0o755))
	}
	return c
}

// mountImage makes a file system of this machine's files, but of what is in /run and /tmp.
func (c *container) mountImage() {
	c.t.Helper()
	upper, work := filepath.Join(c.dir, "upper"), filepath.Join(c.dir, "work")
	for _, dir := range []string{upper, work} {
		must(c.t, os.Mkdir(dir, 0o755))
	}
	for path, mode := range map[string]os.FileMode{"run": 0o755, "tmp": 0o777 | os.ModeSticky} {
		path = filepath.Join(upper, path)
		must(c.t, os.Mkdir(path, mode))
		must(c.t, os.Chmod(path, mode))
		must(c.t, unix.Setxattr(path, "trusted.overlay.opaque", []byte("y"), 0)) // as the kernel marks a directory that was made anew
	}
	c.mount("overlay", "", "overlay", 0, fmt.Sprintf("lowerdir=/,upperdir=%s,workdir=%s", upper, work))
	c.mount("/dev", "dev", "", unix.MS_BIND|unix.MS_REC, "")
}

func (c *container) mount(source, path, kind string, flags uintptr, options string) {
	c.t.Helper()
	path = filepath.Join(c.root, path)
	must(c.t, os.MkdirAll(path, 0o755))
	must(c.t, unix.Mount(source, path, kind, flags, options))
	c.t.Cleanup(func() { _ = unix.Unmount(path, unix.MNT_DETACH) })
}

// build builds the image as its Dockerfile says.
func (c *container) build() {
	c.t.Helper()
	for _, step := range c.steps {
		c.perform(step)
	}
}

// perform does what an instruction says. The packages are installed already.
func (c *container) perform(step instruction) {
	c.t.Helper()
	if step.name == "COPY" {
		words := strings.Fields(step.rest) // --from=STAGE is confit's
		c.copy(words[len(words)-2], words[len(words)-1])
		return
	}
	if !strings.HasPrefix(step.rest, "apt-get ") {
		c.command(0, nil, step.words(c.t)...).Ends(0)
	}
}

// copy puts a file into the image. An example has no program beside its Dockerfile.
func (c *container) copy(from, to string) {
	c.t.Helper()
	path := filepath.Join(c.source, from)
	if _, err := os.Stat(path); err != nil {
		path = program(c.t, from)
	}
	content, err := os.ReadFile(path)
	must(c.t, err)
	c.write(to, string(content))
}

// write makes a file that everybody may execute.
func (c *container) write(path, content string) {
	c.t.Helper()
	path = filepath.Join(c.root, path)
	must(c.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(c.t, harness.WriteProgram(path, []byte(content)))
}

// inMemory has the kubelet put volumes in memory, as it does with Secrets.
func (c *container) inMemory(volumes []string) {
	c.t.Helper()
	for _, name := range volumes {
		dir := filepath.Join(c.dir, "volumes", name)
		must(c.t, os.MkdirAll(dir, 0o755))
		must(c.t, unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=0755"))
		c.t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	}
}

// mountVolumes makes what the kubelet makes of the manifest.
func (c *container) mountVolumes() {
	c.t.Helper()
	for path, name := range c.mounts {
		dir := filepath.Join(c.dir, "volumes", name)
		must(c.t, os.MkdirAll(dir, 0o755))
		if c.sources[name] == "" {
			must(c.t, os.Chmod(dir, 0o777)) // an emptyDir
		}
		c.mount(dir, path, "", unix.MS_BIND, "")
	}
	for name := range c.configMaps {
		c.swap(name)
	}
}

// swap brings a ConfigMap to its volumes.
func (c *container) swap(configMap string) {
	c.t.Helper()
	for name, source := range c.sources {
		if source == configMap {
			must(c.t, volume.Write(filepath.Join(c.dir, "volumes", name), c.projected(c.configMaps[configMap])))
		}
	}
}

// projected has the keys where items put them.
func (m manifest) projected(payload volume.Payload) volume.Payload {
	files := volume.Payload{}
	for key, file := range payload {
		files[cmp.Or(m.items[key], key)] = file
	}
	return files
}

// edit changes a text in a key, as kubectl edit does, and returns what takes the edit back.
func (c *container) edit(key, before, after string) (revert func()) {
	c.t.Helper()
	for name, payload := range c.configMaps {
		old, found := payload[key]
		if !found {
			continue
		}
		if !strings.Contains(string(old.Data), before) {
			c.t.Fatalf("the key %q has no %q to edit", key, before)
		}
		edited := maps.Clone(payload)
		edited[key] = volume.File{Data: []byte(strings.ReplaceAll(string(old.Data), before, after))}
		c.configMaps[name] = edited
		c.swap(name)
		return func() {
			c.configMaps[name] = payload
			c.swap(name)
		}
	}
	c.t.Fatalf("no ConfigMap has the key %q", key)
	return nil
}

// start starts the image's ENTRYPOINT, with these variables besides the image's own and the pod's.
func (c *container) start(env ...string) {
	c.t.Helper()
	argv := append([]string{"/usr/local/bin/" + c.entrypoint[0]}, c.entrypoint[1:]...)
	c.env = append(append(c.env, c.pod...), env...)
	var mounts []harness.Mount
	if c.readOnly {
		mounts = append(mounts, harness.ReadOnly("/"))
	}
	c.Run = c.gated(cmp.Or(c.manifest.user, c.dockerfile.user), mounts, argv...)
	if c.around != nil {
		c.around(c)
	}
	must(c.t, c.Open())
}

// command runs in the container's file system.
func (c *container) command(user int, mounts []harness.Mount, argv ...string) *harness.Run {
	c.t.Helper()
	run := c.gated(user, mounts, argv...)
	must(c.t, run.Open())
	return run
}

// gated is command, but the program waits until Open is called.
func (c *container) gated(user int, mounts []harness.Mount, argv ...string) *harness.Run {
	c.t.Helper()
	box := harness.Box{Root: c.root, Net: c.netOf == 0, NetOf: c.netOf, UID: user, Mounts: mounts, Refused: c.refused}
	return harness.Start(c.t, harness.Command{Argv: argv, Env: c.env, Dir: "/", Box: box, Gate: true})
}

// logs waits for the nth line of the log that holds all of these.
func (c *container) logs(n int, parts ...string) {
	c.t.Helper()
	c.Eventually(fmt.Sprintf("%d log lines with %q", n, parts), func() bool { return len(c.Lines(parts...)) >= n })
}
