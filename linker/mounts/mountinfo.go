package mounts

import (
	"os"
	"path"
	"strings"

	"confit/linker/files"
)

// mount is a line of /proc/self/mountinfo: proc_pid_mountinfo(5).
type mount struct {
	root  string // which directory or file of its file system is mounted
	point string // where
}

// readMountinfo is the kernel's own list. Without /proc nothing is known.
func readMountinfo() string {
	text, _ := os.ReadFile("/proc/self/mountinfo")
	return string(text)
}

// parseMounts lists what is mounted, in the order in which it was.
func parseMounts(text string) []mount {
	list := make([]mount, 0, strings.Count(text, "\n"))
	for line := range strings.Lines(text) {
		for range 3 {
			_, line, _ = strings.Cut(line, " ")
		}
		root, line, _ := strings.Cut(line, " ")
		if point, _, more := strings.Cut(line, " "); more {
			list = append(list, mount{root: unescaped.Replace(root), point: unescaped.Replace(point)})
		}
	}
	return list
}

// unescaped gives a path of mountinfo what the kernel writes by number, as it parts the fields: show_mountinfo.
var unescaped = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

// holder is the index of the mount in which a path is seen: of those on it and
// above it the last one, which covers the others. -1 when none is known.
func holder(list []mount, path string) int {
	last := -1
	for i, m := range list {
		if files.Inside(path, m.point) {
			last = i
		}
	}
	return last
}

// IsPoint reports whether something is mounted on an absolute path. Where nothing is known rename(2)
// refuses what is mounted, with EBUSY.
func IsPoint(path string) bool {
	list := parseMounts(readMountinfo())
	path = files.Resolver{}.Path(path)
	i := holder(list, path)
	return i >= 0 && list[i].point == path
}

// subPath reports a subPath mount, and names its volume and its key as far as
// its root tells them. It is a bind mount of what ..data led to when the
// container was started, in a directory ..2006_01_02_15_04_05.N: newTimestampDir
// of pkg/volume/util/atomic_writer.go in k8s.io/kubernetes. The kubelet makes it
// below volume-subpaths, from where the runtime mounts it in the container; if
// the runtime doesn't see the first mount, what it mounts is a placeholder:
// doBindSubPath and getSubpathBindTarget of subpath/subpath_linux.go.
func (m mount) subPath() (volume, key string, found bool) {
	if volume, rest, found := strings.Cut(m.root, "/..20"); found {
		_, key, _ := strings.Cut(rest, "/")
		return path.Base(volume), strings.TrimSuffix(key, "//deleted"), true // by a later swap: dentry_path of the kernel
	}
	_, rest, found := strings.Cut(m.root, "/volume-subpaths/")
	volume, _, _ = strings.Cut(rest, "/")
	return volume, path.Base(m.point), found
}
