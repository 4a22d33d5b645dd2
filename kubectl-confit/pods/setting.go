package pods

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// SettingOf is what a container's spec gives to a flag of confit's, and by what: the flag, its variable or a line; ""
// for the default. No time can be read out of the value if the spec doesn't have it, or if confit runs no app there.
func SettingOf(spec *corev1.Container, name, otherwise string) (value, by string) {
	set := flagSet()
	c := Container{env: literals(spec)}
	if line := commandLine(spec); line != nil && (!c.readLine(line[1:]) || set.Parse(c.Expand(line[1:])) != nil) {
		return "", ""
	}
	if set.Changed(name) {
		return last(set, name, ""), "--" + name
	}
	variable := "CONFIT_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	if value, there := c.variable(spec, variable); there {
		return value, variable
	}
	lines, _ := set.GetStringArray("lines") // it is one
	if text, there := c.variable(spec, "CONFIT_LINES"); there && len(lines) == 0 {
		if text == hidden {
			return "", ""
		}
		lines = []string{text}
	}
	value = otherwise
	for line := range strings.Lines(strings.Join(lines, "\n")) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == name {
			value, by = strings.Join(words[1:], " "), "the line "+name
		}
	}
	return value, by
}

// hidden stands for the value of a variable that the spec doesn't have. No setting takes it.
const hidden = "$()"

// variable is the value of one, and whether there is one.
func (c *Container) variable(spec *corev1.Container, name string) (value string, there bool) {
	for _, e := range slices.Backward(spec.Env) { // of several the last counts
		if e.Name == name && e.ValueFrom != nil {
			return hidden, true
		}
		if e.Name == name {
			return c.Expand([]string{e.Value})[0], true
		}
	}
	return "", false
}
