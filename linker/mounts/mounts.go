// Package mounts knows what is mounted, from the kernel's list of that. It says what the mounts
// tell before a key is read: that it can never change, or isn't what it seems to be. It knows no
// volume, and reads no file but that list. Where that can't be read nothing is known, and nothing
// is refused.
package mounts

import (
	"fmt"
	"log/slog"
	"os"
	"path"
	"slices"
	"strings"

	"confit/linker/files"
)

// Table is what is mounted, and what of it confit uses. Its paths are real ones, as those of the
// mounts.
type Table struct {
	list    []mount
	below   []mount // of these, what is on the volumes or below them, and isn't covered
	volumes string
	state   string
	pod     bool
}

// Read reads what is mounted now. volumes and state are absolute paths. pod says that this is a pod
// of Kubernetes.
func Read(volumes, state string, pod bool) *Table {
	return Parse(readMountinfo(), volumes, state, pod)
}

// Parse is the same for what the text of a mountinfo says is mounted.
func Parse(mountinfo, volumes, state string, pod bool) *Table {
	real := files.Resolver{}
	t := &Table{list: parseMounts(mountinfo), volumes: real.Dir(volumes), state: real.Dir(state), pod: pod}
	for i, m := range t.list {
		// below / is whatever a container has, such as /etc/hosts
		if t.volumes != "/" && files.Inside(m.point, t.volumes) && holder(t.list, m.point) == i {
			t.below = append(t.below, m)
		}
	}
	return t
}

// Check refuses subPath mounts: what is read through one never changes. One that is left on a
// target's link is made where the link leads to, in the state directory.
func (t *Table) Check() error {
	var wrong []error
	for _, m := range t.below {
		if volume, key, found := m.subPath(); found {
			wrong = append(wrong, t.refuse(m, volume, key))
		}
	}
	for _, m := range t.list {
		if _, key, found := m.subPath(); found && m.point != t.state && files.Inside(m.point, t.state) {
			err := fmt.Errorf("cannot use %q: a subPath mount was left on the link of %s\ntake it out of the pod: the whole volume is mounted already", m.point, key)
			wrong = append(wrong, err)
		}
	}
	return files.JoinInvalid(wrong)
}

// Some reports whether anything is mounted on the volumes or below them.
func (t *Table) Some() bool { return len(t.below) > 0 }

// refuse says what to mount and what to link instead. The root of a tmpfs doesn't tell the volume's
// name.
func (t *Table) refuse(m mount, volume, key string) error {
	if volume == "." {
		volume = "VOLUME"
	}
	whole := path.Dir(m.point)
	if len(whole) <= len(t.volumes) {
		whole = path.Join(t.volumes, volume)
	}
	return fmt.Errorf("cannot use %q: a subPath mount never changes (kubernetes#50345)\n"+
		"mount the whole volume, without subPath, and link %s/%s\n"+
		"  volumeMounts: [{name: %s, mountPath: %s}]", m.point, path.Base(whole), key, volume, whole)
}

// Warn says what works, but not as it seems to: nothing where no mount is known. plain lists the
// volumes that are plain.
func (t *Table) Warn(log *slog.Logger, plain []string) {
	warn := func(what, path, todo string) { log.Warn(what, "path", path, "todo", todo) }
	var dirs []string
	for _, m := range t.below {
		if info, err := os.Lstat(m.point); err == nil && info.Mode().IsRegular() {
			dirs = append(dirs, path.Dir(m.point))
			warn("single file mounted: what replaces it is never seen", m.point, "mount its directory")
		}
	}
	if !t.pod || len(t.list) == 0 {
		return // a container that restarts keeps its root file system
	}
	for _, path := range plain {
		if !slices.Contains(dirs, path) {
			warn("plain volume: a change of several keys may be read in part", path,
				"mount a ConfigMap, a Secret or a projected volume")
		}
	}
	if i := holder(t.list, t.state); i >= 0 && t.list[i].point == "/" {
		warn("state directory in no volume: what is accepted is lost when the container restarts", t.state,
			"mount an emptyDir")
	}
}

// mount is a line of a mountinfo: proc_pid_mountinfo(5).
type mount struct {
	root  string // which directory or file of its file system is mounted
	point string // where
}

// readMountinfo is the kernel's own list. Without /proc nothing is known.
func readMountinfo() string {
	text, _ := os.ReadFile("/proc/thread-self/mountinfo")
	return string(text)
}

// parseMounts lists what is mounted, in the order in which it was.
func parseMounts(text string) []mount {
	list := make([]mount, 0, strings.Count(text, "\n"))
	for line := range strings.Lines(text) {
		if f := strings.Split(line, " "); len(f) > 5 { // the kernel escapes no other blank
			list = append(list, mount{root: unescape(f[3]), point: unescape(f[4])})
		}
	}
	return list
}

// unescape gives a path of mountinfo what the kernel writes by number, as it parts the fields:
// show_mountinfo. The backslash comes last, as the others begin with one.
func unescape(path string) string {
	for _, part := range []string{" 040", "\t011", "\n012", `\134`} {
		path = strings.ReplaceAll(path, `\`+part[1:], part[:1])
	}
	return path
}

// holder is the index of the mount in which a path is seen: of those on it and above it the last,
// which covers others; or -1.
func holder(list []mount, path string) int {
	last := -1
	for i, m := range list {
		if files.Inside(path, m.point) {
			last = i
		}
	}
	return last
}

// Point is where the file system of a real path is mounted; "" where nothing is known.
func Point(real string) string {
	list := parseMounts(readMountinfo())
	if i := holder(list, real); i >= 0 {
		return list[i].point
	}
	return ""
}

// IsPoint reports whether something is mounted on an absolute path, which no symlink is. Where
// nothing is known rename(2) refuses: EBUSY.
func IsPoint(path string) bool {
	real := files.Resolver{}.Path(path)
	return Point(real) == real
}

// subPath reports a subPath mount, and names its volume and its key as far as its root tells them.
// It is a bind mount of what ..data led to when the container was started, in a directory
// ..2006_01_02_15_04_05.N: newTimestampDir of pkg/volume/util/atomic_writer.go in
// k8s.io/kubernetes. The kubelet makes it below volume-subpaths, from where the runtime mounts it
// in the container; if the runtime doesn't see the first mount, what it mounts is a placeholder:
// doBindSubPath and getSubpathBindTarget of subpath/subpath_linux.go.
func (m mount) subPath() (volume, key string, found bool) {
	if volume, rest, found := strings.Cut(m.root, "/..20"); found {
		_, key, _ := strings.Cut(rest, "/")
		// by a later swap: dentry_path of the kernel
		return path.Base(volume), strings.TrimSuffix(key, "//deleted"), true
	}
	_, rest, found := strings.Cut(m.root, "/volume-subpaths/")
	volume, _, _ = strings.Cut(rest, "/")
	return volume, path.Base(m.point), found
}
