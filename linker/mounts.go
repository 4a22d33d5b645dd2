package linker

import (
	"fmt"
	"log/slog"
	"path"
	"slices"

	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// What the mounts tell before a key is read: that it can never change, or isn't
// what it seems to be.

// mountTable is what is mounted, and what of it confit uses. Its paths are real
// ones, as those of the mounts.
type mountTable struct {
	list    []mount
	volumes string
	state   string
	pod     bool
}

func readMountTable(c Config) *mountTable {
	real := files.Resolver{}
	return &mountTable{readMounts(), real.Dir(c.Volumes), real.Dir(c.State), c.Pod}
}

// check refuses subPath mounts: what is read through one never changes.
func (t *mountTable) check() error {
	var wrong []error
	for i, m := range t.list {
		if volume, key, found := m.subPath(); found && t.reads(i) {
			wrong = append(wrong, t.refuse(m, volume, key))
		}
	}
	return files.JoinInvalid(wrong)
}

// some reports whether anything is mounted on the volumes or below them.
func (t *mountTable) some() bool {
	for i := range t.list {
		if t.reads(i) {
			return true
		}
	}
	return false
}

// reads reports whether a mount is on the volumes or below them, and isn't
// covered. Below / that would be whatever a container has, such as /etc/hosts.
func (t *mountTable) reads(i int) bool {
	point := t.list[i].point
	return t.volumes != "/" && files.Inside(point, t.volumes) && holder(t.list, point) == i
}

// refuse says what to mount and what to link instead. The root of a tmpfs
// doesn't tell the volume's name.
func (t *mountTable) refuse(m mount, volume, key string) error {
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

// warn says once what works, but not as it seems to.
func (t *mountTable) warn(log *slog.Logger, volumes []VolumeStatus) {
	warn := func(what, path, todo string) { log.Warn(what, "path", path, "todo", todo) }
	var dirs []string
	for i, m := range t.list {
		if t.reads(i) && isFile(m.point) {
			dirs = append(dirs, path.Dir(m.point))
			warn("single file mounted: what replaces it is never seen", m.point, "mount its directory")
		}
	}
	if !t.pod {
		return // a container that restarts keeps its root file system
	}
	for _, v := range volumes {
		if v.Kind == "plain" && !slices.Contains(dirs, v.Path) {
			warn("plain volume: a change of several keys may be read in part", v.Path, "mount a ConfigMap, a Secret or a projected volume")
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

// isKernels reports a directory of a file system in which nobody can make a symlink,
// whatever its mode says.
func isKernels(dir string) bool {
	var st unix.Statfs_t
	return unix.Statfs(dir, &st) == nil && slices.Contains([]int64{
		unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC, unix.DEVPTS_SUPER_MAGIC,
	}, int64(st.Type))
}
