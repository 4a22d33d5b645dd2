package inject

import (
	"fmt"
	"slices"
	"strings"
)

// Summary is what is to be expected of the pod, in a line. It is "" if nothing is changed.
func (pl *Plan) Summary() string {
	keys := 0
	var unchecked []string
	for _, c := range pl.changes {
		keys += len(c.followed)
		if pl.pod.option(c.container, "validate") == "" {
			unchecked = append(unchecked, c.Name)
		}
	}
	if keys == 0 {
		return ""
	}
	list := []string{counted(keys, "key follows", "keys follow")}
	switch len(unchecked) {
	case 0:
	case len(pl.changes):
		list = append(list, "no check")
	default:
		list = append(list, "no check in container "+strings.Join(unchecked, ", "))
	}
	for name := range pl.pod.annotations {
		if strings.Contains(name, "checksum") {
			list = append(list, "checksum annotation: an upgrade makes new pods as well")
			break
		}
	}
	if rest := pl.pod.unfollowed(); len(rest) > 0 {
		verb := " doesn't follow"
		if len(rest) > 1 || strings.HasSuffix(rest[0], "directories") {
			verb = " don't follow"
		}
		list = append(list, strings.Join(rest, " and ")+verb)
	}
	return strings.Join(list, "; ")
}

// unfollowed is what of the pod's configuration never follows.
func (p *Pod) unfollowed() (list []string) {
	directories, envFrom, env := 0, false, false
	for _, c := range p.spec.Containers {
		for _, m := range c.Mounts {
			if v, _ := p.volume(m.Name); v.source() != nil && m.SubPath == "" && m.SubPathExpr == "" {
				directories++
			}
		}
		envFrom = envFrom || len(c.EnvFrom) > 0
		env = env || slices.ContainsFunc(c.Env, func(e variable) bool {
			return e.ValueFrom != nil && (e.ValueFrom.ConfigMap != nil || e.ValueFrom.Secret != nil)
		})
	}
	if directories > 0 {
		list = append(list, counted(directories, "directory", "directories"))
	}
	if envFrom {
		list = append(list, "envFrom")
	}
	if env {
		list = append(list, "env")
	}
	return list
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
