package inject

import (
	"fmt"
	"slices"
	"strings"

	"confit/kubectl-confit/tree"
)

// Left is something that stays as it is.
type Left struct {
	Line      int    // in the document
	Container string // "": the pod as a whole
	Mount     string // its mountPath; "": the container as a whole
	Why       string
	Mistake   bool // nobody can want it that way
}

// What says what of the pod it is that stays. It is "" for the pod itself.
func (l Left) What() string {
	switch {
	case l.Container == "":
		return ""
	case l.Mount == "":
		return fmt.Sprintf(": container %q", l.Container)
	}
	return fmt.Sprintf(": container %q: mount %q", l.Container, l.Mount)
}

// whole says why the pod is left alone as a whole, if it is.
func (p *Pod) whole() []Left {
	say := func(why string, steps ...any) []Left { return []Left{{Line: p.line(steps...), Why: why}} }
	_, bin := p.volume(binVolume)
	own := p.withConfit()
	switch {
	case p.spec.OS.Name == "windows":
		return say(windows, "spec", "os", "name")
	case p.spec.NodeSelector["kubernetes.io/os"] == "windows":
		return say(windows, "spec", "nodeSelector", "kubernetes.io/os")
	case p.spec.Affinity.isWindows():
		return say(windows, "spec", "affinity", "nodeAffinity")
	case p.isMirror():
		return say(isMirror, "metadata", "annotations", mirror)
	case p.spec.HostPID:
		return say(hostPID, "spec", "hostPID")
	case len(own) > 0:
		return say("it has confit, in container "+strings.Join(own, ", "), "spec")
	case bin >= 0:
		return say("it has confit, in the volume "+binVolume, "spec", "volumes", bin)
	}
	if mistakes := p.Mistakes(); len(mistakes) > 0 {
		return mistakes
	}
	if p.ofJob() && !slices.ContainsFunc(p.ourNames(), func(name string) bool { return strings.HasSuffix(name, "confit/reload") }) {
		return say(ofJob, "spec")
	}
	return nil
}

// isWindows tells that each term leads to nodes with Windows.
func (a affinity) isWindows() bool {
	terms := a.Node.Required.Terms
	for _, term := range terms {
		windows := false
		for _, e := range term.Expressions {
			windows = windows || e.Key == "kubernetes.io/os" && e.Operator == "In" && len(e.Values) == 1 && e.Values[0] == "windows"
		}
		if !windows {
			return false
		}
	}
	return len(terms) > 0
}

// ofJob tells the pod of a Job, or of what makes Jobs.
func (p *Pod) ofJob() bool {
	n := len(p.path)
	if slices.Contains(p.path, any("jobTemplate")) {
		return true
	}
	if n >= 2 && p.path[n-1] == "template" {
		kind := tree.At(p.document.Content[0], p.path[:n-2].With("kind")...)
		return kind != nil && kind.Value == "Job"
	}
	for i := range tree.Items(p.at("metadata", "ownerReferences")) {
		if kind := p.at("metadata", "ownerReferences", i, "kind"); kind != nil && kind.Value == "Job" {
			return true
		}
	}
	return false
}

// mirror is the annotation of a pod that the API server only shows.
const mirror = "kubernetes.io/config.mirror"

func (p *Pod) isMirror() bool {
	_, there := p.annotations[mirror]
	return there
}

// MountsFiles tells a pod that confit could be for: to leave any other alone is not worth a word.
func (p *Pod) MountsFiles() bool {
	return slices.ContainsFunc(p.spec.Containers, func(c container) bool { return slices.ContainsFunc(c.Mounts, p.concerns) })
}

// withConfit are the containers that have confit, whoever put it there.
func (p *Pod) withConfit() (names []string) {
	for _, c := range slices.Concat(p.spec.Containers, p.spec.InitContainers) {
		if c.hasConfit() {
			names = append(names, c.Name)
		}
	}
	return names
}

// parts says what stays as it is in a pod that isn't left alone as a whole.
func (p *Pod) parts() (list []Left) {
	for i, c := range p.spec.Containers {
		switch at := p.line("spec", "containers", i); {
		case len(p.followed(c)) == 0:
		case c.hasOwnPaths():
			list = append(list, Left{Line: at, Container: c.Name, Why: ownPaths})
		case p.touchesLocked(c):
			list = append(list, Left{Line: at, Container: c.Name, Why: touch, Mistake: true})
		}
		for j, m := range c.Mounts {
			if why := p.stays(c, m); p.concerns(m) && why != "" {
				list = append(list, Left{Line: p.line("spec", "containers", i, "volumeMounts", j), Container: c.Name, Mount: m.MountPath, Why: why})
			}
		}
	}
	for i, c := range p.spec.InitContainers {
		for j, m := range c.Mounts {
			if p.concerns(m) {
				why := map[bool]string{false: early, true: sidecar}[c.RestartPolicy == "Always"]
				list = append(list, Left{Line: p.line("spec", "initContainers", i, "volumeMounts", j), Container: c.Name, Mount: m.MountPath, Why: why})
			}
		}
	}
	return list
}

// touchesLocked tells a container whose links are to be made anew where they can't be.
func (p *Pod) touchesLocked(c container) bool {
	return c.locked() && strings.TrimSpace(p.option(c, "reload")) == "touch" &&
		slices.ContainsFunc(p.followed(c), func(i int) bool { return c.above(c.Mounts[i]) == nil })
}

// taken finds the names that the pod has and confit would give.
func (p *Pod) taken(changes []change) (list []Left) {
	volumes, containers := given(changes)
	for i, v := range p.spec.Volumes {
		if slices.Contains(volumes, v.Name) {
			list = append(list, Left{Line: p.line("spec", "volumes", i, "name"), Why: "volume " + v.Name + ": " + taken, Mistake: true})
		}
	}
	for _, kind := range []string{"initContainers", "containers"} {
		all := map[string][]container{"initContainers": p.spec.InitContainers, "containers": p.spec.Containers}[kind]
		for i, c := range all {
			if len(changes) > 0 && slices.Contains(containers, c.Name) {
				list = append(list, Left{p.line("spec", kind, i, "name"), c.Name, "", taken, true})
			}
		}
	}
	return list
}
