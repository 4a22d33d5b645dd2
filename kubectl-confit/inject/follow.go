package inject

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Reason says why something stays as it is.
type Reason string

// Reasons for a whole pod. The policy gives the same.
const (
	Windows   Reason = "it is for Windows"
	Mirror    Reason = "it is a mirror pod"
	HostPID   Reason = "it has hostPID: true, and confit has to be PID 1"
	BinVolume Reason = "it has confit: a volume is named confit-bin"
	HasConfit Reason = "it has confit: a container starts it or has its variables"
	LineBreak Reason = "an annotation has a line break, which only NAME.confit/command may have"
	Taken     Reason = "it has a name that confit gives"
)

// Reasons for a container.
const (
	NoCommand Reason = "it has no command"
	OwnPaths  Reason = "it has a mount at /confit, /run/confit or /.confit"
)

// Reasons for a mount.
const (
	Expression  Reason = "it has a subPathExpr"
	NoSource    Reason = "its volume is neither a ConfigMap nor a Secret"
	SubPath     Reason = "its subPath is not a plain name, such as a.conf or conf.d/a.conf"
	Directory   Reason = "its subPath is a directory"
	NoItem      Reason = "its subPath is not among the items of its volume"
	NoKey       Reason = "its subPath is not a key"
	MountPath   Reason = "its mountPath is not a plain path, such as /etc/app/a.conf"
	InRoot      Reason = "its mountPath is right in /"
	System      Reason = "its mountPath is in /proc, /sys or /dev"
	BelowOthers Reason = "its mountPath is below another mount"
)

var (
	subPathPattern   = regexp.MustCompile(`^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$`)
	mountPathPattern = regexp.MustCompile(`^(/[A-Za-z0-9._-]+)+$`)
)

// stays says why confit doesn't follow a mount that has a subPath. It is "" if it does.
func (p *Pod) stays(c container, m mount) Reason {
	v, _ := p.volume(m.Name)
	switch {
	case m.SubPathExpr != "":
		return Expression
	case v.source() == nil:
		return NoSource
	case !subPathPattern.MatchString(m.SubPath) || hasDots(m.SubPath):
		return SubPath
	case v.source().noKey(m.SubPath) != "":
		return v.source().noKey(m.SubPath)
	case !mountPathPattern.MatchString(m.MountPath) || hasDots(m.MountPath):
		return MountPath
	case path.Dir(m.MountPath) == "/":
		return InRoot
	case below(m.MountPath, "/proc", "/sys", "/dev"):
		return System
	case c.covers(m):
		return BelowOthers
	}
	return ""
}

func hasDots(p string) bool {
	return slices.ContainsFunc(strings.Split(p, "/"), func(s string) bool { return s == "." || s == ".." })
}

// noKey says why a subPath is no key of the volume. It is "" if it is one.
func (s *source) noKey(subPath string) Reason {
	if len(s.Items) == 0 {
		if strings.Contains(subPath, "/") {
			return NoKey
		}
		return ""
	}
	found := NoItem
	for _, item := range s.Items {
		if strings.HasPrefix(item.Path, subPath+"/") {
			return Directory
		}
		if item.Path == subPath {
			found = ""
		}
	}
	return found
}

// covers says whether a mount lies below another one of the container.
func (c container) covers(m mount) bool {
	return slices.ContainsFunc(c.Mounts, func(o mount) bool {
		return below(m.MountPath, strings.TrimSuffix(o.MountPath, "/"))
	})
}

// below says whether a path lies below one of some directories.
func below(p string, dirs ...string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return strings.HasPrefix(p, dir+"/") })
}

// hasOwnPaths tells a container that uses the paths that confit needs.
func (c container) hasOwnPaths() bool {
	return slices.ContainsFunc(c.Mounts, func(m mount) bool {
		return below(m.MountPath+"/", stateDir, volumesDir, binDir)
	})
}

// concerns tells a mount whose author may expect confit to follow it. Of claims and other places for data nobody does.
func (p *Pod) concerns(m mount) bool {
	v, _ := p.volume(m.Name)
	return (m.SubPath != "" || m.SubPathExpr != "") && (v.source() != nil || v.Projected != nil)
}

// followed are the indexes of the container's mounts that confit follows.
func (p *Pod) followed(c container) (list []int) {
	for i, m := range c.Mounts {
		if m.SubPath != "" && p.stays(c, m) == "" {
			list = append(list, i)
		}
	}
	return list
}
