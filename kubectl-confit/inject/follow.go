package inject

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Why a pod, a container or a mount stays as it is. The policy gives the same reasons, in the same words.
const (
	windows  = "it is for Windows"
	isMirror = "it is a mirror pod"
	ofJob    = "it is of a Job, which an edit would end in the middle; write the annotation confit/reload, such as none, to have it all the same"
	hostPID  = "it has hostPID: true, and confit has to be PID 1"
	taken    = "it has a name that confit gives"

	noCommand = "it has no command; write the words that start it into the annotation %s.confit/command, one a line"
	touch     = "reload touch makes links anew, and with readOnlyRootFilesystem their directory is read-only"
	ownPaths  = "a mount of its own is at or below /confit, /run/confit or /.confit"

	expression  = "it has a subPathExpr"
	noSource    = "its volume is neither a ConfigMap nor a Secret"
	subPath     = "its subPath is not a plain path, such as a.conf or conf.d/a.conf"
	mountPath   = "its mountPath is not a plain path, such as /etc/app/a.conf"
	directory   = "its subPath is a directory"
	noItem      = "its subPath is not among the items of its volume"
	noKey       = "its subPath has a slash, and a key has none"
	inRoot      = "its mountPath is right in /"
	belowOthers = "its mountPath is below another mount"
	belowLocked = "its mountPath is below an emptyDir that is mounted read-only"
	belowShared = "its mountPath is below an emptyDir that container %s mounts, too"
	early       = "it is an init container's, which reads it once"
	sidecar     = "it is a sidecar's, which is an init container, and confit goes into none of these"
	theirs      = "the kubelet mounts a file of its own there"
)

var (
	subPathPattern   = regexp.MustCompile(`^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$`)
	mountPathPattern = regexp.MustCompile(`^(/[A-Za-z0-9._-]+)+$`)
)

// stays says why confit doesn't follow a mount that has a subPath. It is "" if it does.
func (p *Pod) stays(c container, m mount) string {
	v, _ := p.volume(m.Name)
	switch {
	case m.SubPathExpr != "":
		return expression
	case v.source() == nil:
		return noSource
	case !subPathPattern.MatchString(m.SubPath) || hasDots(m.SubPath):
		return subPath
	case !mountPathPattern.MatchString(m.MountPath) || hasDots(m.MountPath):
		return mountPath
	case v.source().noKey(m.SubPath) != "":
		return v.source().noKey(m.SubPath)
	case slices.Contains([]string{"/etc/hosts", "/etc/resolv.conf", "/etc/hostname"}, m.MountPath):
		return theirs
	case path.Dir(m.MountPath) == "/":
		return inRoot
	case below(m.MountPath, "/proc", "/sys", "/dev"):
		return "its mountPath is in /" + strings.Split(m.MountPath, "/")[1]
	}
	return p.covered(c, m)
}

func hasDots(p string) bool {
	return slices.ContainsFunc(strings.Split(p, "/"), func(s string) bool { return s == "." || s == ".." })
}

// noKey says why a subPath is no key of the volume. It is "" if it is one.
func (s *source) noKey(subPath string) string {
	if len(s.Items) == 0 {
		if strings.Contains(subPath, "/") {
			return noKey
		}
		return ""
	}
	found := noItem
	for _, item := range s.Items {
		if strings.HasPrefix(item.Path, subPath+"/") {
			return directory
		}
		if item.Path == subPath {
			found = ""
		}
	}
	return found
}

// covered says why a link can't be made in what is mounted above it. It is "" if it can, or nothing is.
func (p *Pod) covered(c container, m mount) string {
	over := c.above(m)
	if over == nil {
		return ""
	}
	if v, _ := p.volume(over.Name); !v.isScratch() || over.SubPathExpr != "" {
		return belowOthers
	}
	if over.ReadOnly {
		return belowLocked
	}
	var names []string
	for _, other := range slices.Concat(p.spec.Containers, p.spec.InitContainers) {
		if other.Name != c.Name && slices.ContainsFunc(other.Mounts, over.shares) {
			names = append(names, other.Name)
		}
	}
	if len(names) > 0 {
		return fmt.Sprintf(belowShared, strings.Join(names, ", "))
	}
	return ""
}

// above is the lowest mount of the container that a mount lies below, nil if there is none.
func (c container) above(m mount) (lowest *mount) {
	for i, o := range c.Mounts {
		if below(m.MountPath, strings.TrimSuffix(o.MountPath, "/")) && (lowest == nil || len(o.MountPath) > len(lowest.MountPath)) {
			lowest = &c.Mounts[i]
		}
	}
	return lowest
}

// shares says whether two mounts have a part of a volume in common. What a subPathExpr leads to is anywhere.
func (m mount) shares(o mount) bool {
	return strings.HasPrefix(m.part(), o.part()) || strings.HasPrefix(o.part(), m.part())
}

func (m mount) part() string {
	if m.SubPath == "" {
		return m.Name + "/"
	}
	return m.Name + "/" + m.SubPath + "/"
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
