package inject

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"confit/kubectl-confit/tree"
	"confit/linker/near"
)

// signal are the signals that a process can catch, as confit takes them.
const signal = `(?i:(SIG)?(HUP|INT|QUIT|ILL|TRAP|ABRT|IOT|BUS|FPE|USR1|SEGV|USR2|PIPE|ALRM|TERM|STKFLT|CHLD|CLD|CONT|TSTP|TTIN|TTOU|URG|XCPU|XFSZ|VTALRM` +
	`|PROF|WINCH|IO|POLL|PWR|SYS|RTMIN([+]([12]?[0-9]|30))?|RTMAX(-([12]?[0-9]|30))?|[1-8]|1[0-8]|2[0-9]|3[014-9]|[45][0-9]|6[0-4]))`

// What an annotation may say. The policy has the same patterns.
var (
	ours    = regexp.MustCompile(`^([a-z0-9-]+[.])?confit/`)
	oneLine = regexp.MustCompile(`^([a-z0-9-]+[.])?confit/(` + strings.Join(options, "|") + `)$`)
	others  = regexp.MustCompile(`^[a-z0-9-]+[.]confit/(command|entrypoint-of)$|^confit/(exec|sync|check-of)$`)

	values = map[string]struct {
		takes *regexp.Regexp
		wrong string
	}{
		"stop-signal": {regexp.MustCompile(`^` + signal + `$`), "is no signal that can be caught; write a name such as TERM, QUIT or RTMIN+1"},
		"reload":      {regexp.MustCompile(`^(auto|touch|restart|none|signal:` + signal + `|exec:.*[^ \t].*)$`), "is no way to reload; write auto, touch, restart, none, signal:NAME or exec:COMMAND"},
		"probation":   {regexp.MustCompile(`^([+]?0|[+]?(([0-9]+([.][0-9]*)?|[.][0-9]+)(ns|us|\x{b5}s|\x{3bc}s|ms|s|m|h))+)$`), "is no time; write a number with a unit, such as 5s or 2m"},
	}
)

// Mistakes are annotations that mean nothing, and those that confit would refuse.
func (p *Pod) Mistakes() (list []Left) {
	for _, name := range p.ourNames() {
		if wrong := mistake(name, p.annotations[name]); wrong != "" {
			list = append(list, Left{Line: p.line("metadata", "annotations", name), Why: wrong, Mistake: true})
		}
	}
	return list
}

// ourNames are the names of confit's annotations.
func (p *Pod) ourNames() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(p.annotations)), func(name string) bool { return !ours.MatchString(name) })
}

// mistake says what is wrong with an annotation. It is "" if nothing is.
func mistake(name, text string) string {
	_, option, _ := strings.Cut(name, "/")
	is := "the annotation " + name + " "
	switch value, known := values[option]; {
	case others.MatchString(name):
	case !oneLine.MatchString(name):
		return is + "means nothing; write validate, reload, stop-signal or probation behind confit/ or NAME.confit/, or NAME.confit/command"
	case text == "":
	case strings.ContainsAny(text, "\r\n"):
		return "there is a line break in the annotation " + name + ": write one line, as only NAME.confit/command may have several"
	case strings.TrimSpace(text) == "":
		return is + "is blank; write something, or leave it empty"
	case known && !value.takes.MatchString(strings.TrimSpace(text)):
		return is + value.wrong
	}
	return ""
}

// Strangers are annotations for containers that the pod doesn't have, as another policy may bring one, and those that stand elsewhere.
func (p *Pod) Strangers() (list []Left) {
	for above := range p.path {
		list = append(list, p.misplaced("an annotation of the workload", append(slices.Clone(p.path[:above]), "metadata", "annotations"))...)
	}
	list = append(list, p.misplaced("a label", p.path.With("metadata", "labels"))...)
	for _, name := range p.ourNames() {
		prefix, _, _ := strings.Cut(name, "/")
		of, named := strings.CutSuffix(prefix, ".confit")
		if named && !slices.ContainsFunc(p.spec.Containers, func(c container) bool { return c.Name == of }) {
			why := fmt.Sprintf("the annotation %s is for a container that it doesn't have: %s", name, meant(of, p.spec.Containers))
			list = append(list, Left{Line: p.line("metadata", "annotations", name), Why: why})
		}
	}
	return list
}

// meant says which container somebody meant.
func meant(name string, containers []container) string {
	var names []string
	for _, c := range containers {
		names = append(names, c.Name)
	}
	if likely := near.Of(name, names); likely != "" {
		return "did you mean " + likely + "?"
	}
	return "write one of " + strings.Join(names, ", ")
}

// misplaced are names of ours where they mean nothing, unless the pod has them, too.
func (p *Pod) misplaced(where string, at tree.Path) (list []Left) {
	var found map[string]any
	if n := tree.At(p.document.Content[0], at...); n == nil || n.Decode(&found) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if _, right := p.annotations[name]; !right && ours.MatchString(name) {
			why := fmt.Sprintf("%s is %s, and means nothing there: write it into the annotations of the pod template", name, where)
			list = append(list, Left{Line: tree.Line(p.document.Content[0], at.With(name)...), Why: why})
		}
	}
	return list
}
