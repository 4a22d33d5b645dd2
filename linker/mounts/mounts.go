// Package mounts knows what is mounted, from the kernel's list of that. It says what the
// mounts tell before a key is read: that it can never change, or isn't what it seems to
// be. It knows no volume, and reads no file but that list. Where that can't be read
// nothing is known, and nothing is refused.
package mounts

import (
	"fmt"
	"log/slog"
	"path"
	"slices"

	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// Table is what is mounted, and what of it confit uses. Its paths are real
// ones, as those of the mounts.
type Table struct {
	list    []mount
	volumes string
	state   string
	pod     bool
}

// Read reads what is mounted now. The volumes and the state directory are absolute
// paths. pod says that this is a pod of Kubernetes.
func Read(volumes, state string, pod bool) *Table {
	return Parse(readMountinfo(), volumes, state, pod)
}

// Parse is the same for what the text of a mountinfo says is mounted.
func Parse(mountinfo, volumes, state string, pod bool) *Table {
	real := files.Resolver{}
	return &Table{parseMounts(mountinfo), real.Dir(volumes), real.Dir(state), pod}
}

// Check refuses subPath mounts: what is read through one never changes. One that is left on a
// target's link is made where the link leads to, in the state directory.
func (t *Table) Check() error {
	var wrong []error
	for i, m := range t.list {
		switch volume, key, found := m.subPath(); {
		case !found:
		case t.reads(i):
			wrong = append(wrong, t.refuse(m, volume, key))
		case m.point != t.state && files.Inside(m.point, t.state):
			wrong = append(wrong, fmt.Errorf("cannot use %q: a subPath mount was left on the link of %s\ntake it out of the pod: the whole volume is mounted already", m.point, key))
		}
	}
	return files.JoinInvalid(wrong)
}

// Some reports whether anything is mounted on the volumes or below them.
func (t *Table) Some() bool {
	for i := range t.list {
		if t.reads(i) {
			return true
		}
	}
	return false
}

// reads reports whether a mount is on the volumes or below them, and isn't
// covered. Below / that would be whatever a container has, such as /etc/hosts.
func (t *Table) reads(i int) bool {
	point := t.list[i].point
	return t.volumes != "/" && files.Inside(point, t.volumes) && holder(t.list, point) == i
}

// refuse says what to mount and what to link instead. The root of a tmpfs
// doesn't tell the volume's name.
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

// Warn says what works, but not as it seems to. plain lists the volumes that are plain. It
// says nothing where no mount is known.
func (t *Table) Warn(log *slog.Logger, plain []string) {
	warn := func(what, path, todo string) { log.Warn(what, "path", path, "todo", todo) }
	var dirs []string
	for i, m := range t.list {
		if t.reads(i) && isFile(m.point) {
			dirs = append(dirs, path.Dir(m.point))
			warn("single file mounted: what replaces it is never seen", m.point, "mount its directory")
		}
	}
	if !t.pod || len(t.list) == 0 {
		return // a container that restarts keeps its root file system
	}
	for _, path := range plain {
		if !slices.Contains(dirs, path) {
			warn("plain volume: a change of several keys may be read in part", path, "mount a ConfigMap, a Secret or a projected volume")
		}
	}
	if i := holder(t.list, t.state); i >= 0 && t.list[i].point == "/" {
		warn("state directory in no volume: what is accepted is lost when the container restarts", t.state, "mount an emptyDir")
	}
}

func isFile(path string) bool {
	var st unix.Stat_t
	return unix.Lstat(path, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG
}
