package inject

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Command is what a container runs whose pod doesn't say it.
type Command struct {
	Words []string // as the program gets them: no $ of them is expanded
	From  string   // the digest of the image that says so, to be noted; "" if somebody else does
}

// Options are what a pod doesn't say itself.
type Options struct {
	Image       string             // confit's own
	ImageVolume bool               // the program comes by an image volume
	Commands    map[string]Command // by container: they go before its annotation, but never before its own command
}

// Plan is what becomes of a pod.
type Plan struct {
	Left    []Left
	Notes   []Left // what is said of the pod, and holds nothing up
	pod     *Pod
	options Options
	changes []change
}

// change is what becomes of a container.
type change struct {
	container
	index    int
	followed []int    // of its mounts
	volumes  []string // theirs, each once
	dirs     []string // of the image: those that get a mount of their own
	command  []string // the words behind confit's, ready to be written; nil: its own
	from     string   // the digest that the command is of
}

// Empty says that nothing is changed.
func (pl *Plan) Empty() bool { return len(pl.changes) == 0 }

// Container is one that confit can go into.
type Container struct {
	Index       int
	Name, Image string
	Line        int  // in the document
	HasArgs     bool // so that the image's CMD is out of the question
	NoCommand   bool // what it runs has to come out of Options
	HasCommand  bool // the pod itself says what it runs; the annotation doesn't count
}

// Containers are those that have something to follow. There are none in a pod that is left alone as a whole.
func (p *Pod) Containers() (list []Container) {
	if len(p.whole()) > 0 {
		return nil
	}
	for i, c := range p.spec.Containers {
		if len(p.followed(c)) > 0 && !c.hasOwnPaths() && !p.touchesLocked(c) {
			list = append(list, Container{
				i, c.Name, c.Image, p.line("spec", "containers", i), len(c.Args) > 0,
				len(c.Command) == 0 && len(p.words(c)) == 0, len(c.Command) > 0,
			})
		}
	}
	return list
}

// Plan decides what becomes of the pod, and changes nothing yet.
func (p *Pod) Plan(o Options) *Plan {
	pl := &Plan{pod: p, options: o}
	if whole := p.whole(); len(whole) > 0 {
		if p.MountsFiles() || whole[0].Mistake {
			pl.Left = whole
		}
		return pl
	}
	for _, c := range p.Containers() {
		command, known := o.Commands[c.Name]
		switch {
		case c.HasCommand:
			pl.changes = append(pl.changes, p.change(c.Index))
		case known:
			pl.changes = append(pl.changes, p.change(c.Index).running(command.Words, command.From))
		case !c.NoCommand:
			pl.changes = append(pl.changes, p.change(c.Index).running(p.words(p.spec.Containers[c.Index]), ""))
		default:
			pl.Left = append(pl.Left, Left{c.Line, c.Name, "", fmt.Sprintf(noCommand, c.Name), true})
		}
	}
	pl.Left, pl.Notes = append(pl.Left, p.parts()...), p.Strangers()
	slices.SortStableFunc(pl.Left, func(a, b Left) int { return a.Line - b.Line })
	if taken := p.taken(pl.changes); len(taken) > 0 {
		return &Plan{pod: p, Left: taken}
	}
	return pl
}

func (p *Pod) change(index int) change {
	c := p.spec.Containers[index]
	made := change{container: c, index: index, followed: p.followed(c)}
	for _, i := range made.followed {
		m := c.Mounts[i]
		if !slices.Contains(made.volumes, m.Name) {
			made.volumes = append(made.volumes, m.Name)
		}
		if dir := path.Dir(m.MountPath); c.above(m) == nil && !slices.Contains(made.dirs, dir) {
			made.dirs = append(made.dirs, dir)
		}
	}
	all := slices.Clone(made.dirs)
	made.dirs = slices.DeleteFunc(made.dirs, func(dir string) bool { return below(dir, all...) })
	return made
}

// running is the change with a command. The kubelet expands $(NAME) in a command, and takes $$ for a $.
func (c change) running(words []string, from string) change {
	c.command, c.from = []string{}, from
	for _, w := range words {
		c.command = append(c.command, doubled(w))
	}
	return c
}

func doubled(s string) string { return strings.ReplaceAll(s, "$", "$$") }

// Apply writes the plan into the pod's document.
func (pl *Plan) Apply() {
	if pl.Empty() {
		return
	}
	p := pl.pod
	volumes, added := pl.newVolumes(), pl.newInitContainers() // of what is there
	for _, c := range pl.changes {
		p.writeContainer(c)
	}
	p.appendTo(volumes, "spec", "volumes")
	if len(added) > 0 {
		inits := p.ownList("spec", "initContainers")
		inits.Content = append(inStyle(inits, nil, added), inits.Content...)
	}
	for _, c := range pl.changes {
		if c.from != "" {
			p.note(c.Name, c.from)
		}
	}
}

// appendTo appends nodes to a list of the pod.
func (p *Pod) appendTo(nodes []*yaml.Node, steps ...any) {
	list := p.ownList(steps...)
	list.Content = inStyle(list, list.Content, nodes)
}

// inStyle is what a list holds and what is added: an item a line, and each written as the first of the list is.
func inStyle(list *yaml.Node, there, added []*yaml.Node) []*yaml.Node {
	if len(list.Content) > 0 {
		for _, n := range added {
			n.Style |= list.Content[0].Style & yaml.FlowStyle
		}
	}
	list.Style &^= yaml.FlowStyle
	return append(there, added...)
}
