package supervisor

import (
	"slices"

	"confit/linker"
	"confit/process"
)

// sayVariables says, once for each name, which variables of the app aren't what
// somebody may think.
func (l *loop) sayVariables(app process.Command, g linker.Generation) {
	if g.Env == nil {
		return
	}
	if names := l.unsaid("covered ", app.Covered()); len(names) > 0 {
		l.Log.Info("variables come from keys, and no longer from what confit was started with", "names", names)
	}
	if names := l.unsaid("newline ", g.Env.Newlines); len(names) > 0 {
		l.Log.Warn("variables end in a newline", "names", names, "todo", "write the keys without one: many an editor adds it")
	}
}

// unsaid lists the names of which this was not said before.
func (l *loop) unsaid(what string, names []string) []string {
	if l.said == nil {
		l.said = map[string]bool{}
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		said := l.said[what+name]
		l.said[what+name] = true
		return said
	})
}
