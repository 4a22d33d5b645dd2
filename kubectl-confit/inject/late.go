package inject

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"confit/kubectl-confit/grace"
)

// Late says of each container that has confit, or gets it, that the pod's grace period is over before confit ends a
// script at the entrypoint, which a stop waits for. Nothing is held up by that.
func (pl *Plan) Late() (list []Left) {
	p := pl.pod
	for i, c := range p.spec.Containers {
		gets := slices.ContainsFunc(pl.changes, func(made change) bool { return made.index == i })
		if !gets && !c.hasConfit() {
			continue
		}
		at := []any{"spec", "containers", i}
		if p.spec.Grace != nil {
			at = []any{"spec", "terminationGracePeriodSeconds"}
		}
		if why := grace.Late(p.spec.Grace, c.inAPI()); why != "" {
			list = append(list, Left{Line: p.line(at...), Container: c.Name, Why: why})
		}
	}
	return list
}

// inAPI is what of the container decides on confit's settings, as the API has it.
func (c container) inAPI() *corev1.Container {
	made := &corev1.Container{Name: c.Name, Command: c.Command, Args: c.Args}
	for _, e := range c.Env {
		v := corev1.EnvVar{Name: e.Name, Value: e.Value}
		if e.ValueFrom != nil {
			v.ValueFrom = &corev1.EnvVarSource{}
		}
		made.Env = append(made.Env, v)
	}
	return made
}
