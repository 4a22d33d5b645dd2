package inject

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// whole says why the pod is left alone as a whole, if it is.
func (p *Pod) whole() (list []Left) {
	say := func(why Reason, what string, steps ...any) {
		list = append(list, Left{p.line(steps...), what, why, why == LineBreak})
	}
	switch {
	case p.spec.OS.Name == "windows":
		say(Windows, "the pod", "spec", "os", "name")
	case p.isMirror():
		say(Mirror, "the pod", "metadata", "annotations", mirror)
	case p.spec.HostPID:
		say(HostPID, "the pod", "spec", "hostPID")
	}
	if _, bin := p.volume(binVolume); len(list) == 0 && bin >= 0 {
		say(BinVolume, "the pod", "spec", "volumes", bin)
	}
	if len(list) == 0 && p.hasConfit() {
		say(HasConfit, "the pod", "spec")
	}
	for _, name := range slices.Sorted(maps.Keys(p.annotations)) {
		if len(list) == 0 && oneLine.MatchString(name) && strings.ContainsAny(p.annotations[name], "\r\n") {
			say(LineBreak, fmt.Sprintf("annotation %q", name), "metadata", "annotations", name)
		}
	}
	return list
}

// oneLine are the annotations that become a line each, whatever container they are for.
var oneLine = regexp.MustCompile("^([a-z0-9-]+[.])?confit/(" + strings.Join(options, "|") + ")$")

// mirror is the annotation of a pod that the API server only shows.
const mirror = "kubernetes.io/config.mirror"

func (p *Pod) isMirror() bool {
	_, there := p.annotations[mirror]
	return there
}

// mountsFiles tells a pod that confit could be for: to leave any other alone is not worth a word.
func (p *Pod) mountsFiles() bool {
	return slices.ContainsFunc(p.spec.Containers, func(c container) bool { return len(p.followed(c)) > 0 })
}

// hasConfit tells a pod whose containers have confit, whoever put it there.
func (p *Pod) hasConfit() bool {
	return slices.ContainsFunc(p.spec.Containers, container.hasConfit) || slices.ContainsFunc(p.spec.InitContainers, container.hasConfit)
}

// parts says what stays as it is in a pod that isn't left alone as a whole.
func (p *Pod) parts() (list []Left) {
	for i, c := range p.spec.Containers {
		if len(p.followed(c)) > 0 && c.hasOwnPaths() {
			list = append(list, Left{p.line("spec", "containers", i), fmt.Sprintf("container %q", c.Name), OwnPaths, false})
			continue
		}
		for j, m := range c.Mounts {
			if why := p.stays(c, m); p.concerns(m) && why != "" {
				list = append(list, Left{p.line("spec", "containers", i, "volumeMounts", j), fmt.Sprintf("container %q: mount %q", c.Name, m.MountPath), why, false})
			}
		}
	}
	return list
}

// taken finds the names that the pod has and confit would give.
func (p *Pod) taken(changes []change) (list []Left) {
	volumes, containers := given(changes)
	for i, v := range p.spec.Volumes {
		if slices.Contains(volumes, v.Name) {
			list = append(list, Left{p.line("spec", "volumes", i, "name"), fmt.Sprintf("volume %q", v.Name), Taken, true})
		}
	}
	for kind, all := range map[string][]container{"initContainers": p.spec.InitContainers, "containers": p.spec.Containers} {
		for i, c := range all {
			if len(changes) > 0 && slices.Contains(containers, c.Name) {
				list = append(list, Left{p.line("spec", kind, i, "name"), fmt.Sprintf("container %q", c.Name), Taken, true})
			}
		}
	}
	slices.SortFunc(list, func(a, b Left) int { return a.Line - b.Line })
	return list
}
