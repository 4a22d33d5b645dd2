package inject

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"confit/kubectl-confit/tree"
)

// Stale is something that this program wrote before, and would write otherwise today.
type Stale struct {
	Line int    // in the document
	What string // says what it is, and what it should be
	put  func()
}

// Apply writes what it should be.
func (s Stale) Apply() { s.put() }

// Image is confit's own image in a pod that was rewritten before, and "" in any other.
func (p *Pod) Image() string {
	steps := p.imageAt()
	if steps == nil {
		return ""
	}
	return p.at(steps...).Value
}

// imageAt leads to where the pod names confit's image.
func (p *Pod) imageAt() []any {
	v, bin := p.volume(binVolume)
	if bin >= 0 && v.Image != nil && p.at("spec", "volumes", bin, "image", "reference") != nil {
		return []any{"spec", "volumes", bin, "image", "reference"}
	}
	for i, c := range p.spec.InitContainers {
		if c.Name == installContainer && len(c.Command) == 3 && c.Command[1] == "--install" && c.Image != "" {
			return []any{"spec", "initContainers", i, "image"}
		}
	}
	return nil
}

// Noted is a container whose command was read from its image.
type Noted struct {
	Container
	Digest string // of the image that it was
}

// Noted are those of the pod.
func (p *Pod) Noted() (list []Noted) {
	for i, c := range p.spec.Containers {
		if digest := p.annotations[noteName(c.Name)]; digest != "" && len(c.Command) > 1 && c.Command[0] == program {
			list = append(list, Noted{Container{Index: i, Name: c.Name, Image: c.Image, Line: p.line("spec", "containers", i), HasArgs: len(c.Args) > 0}, digest})
		}
	}
	return list
}

// Again finds what is stale in a pod that was rewritten before. Of the options it takes confit's image, if there is one, and
// the commands of containers that are Noted.
func (p *Pod) Again(o Options) (list []Stale) {
	if at := p.imageAt(); at != nil && o.Image != "" && o.Image != p.Image() {
		list = append(list, Stale{p.line(at...), fmt.Sprintf("confit's image is %s, not %s", p.Image(), o.Image), func() { setText(p.own(at...), o.Image) }})
	}
	list = append(list, p.staleSeeds()...)
	list = append(list, p.staleLines()...)
	for _, c := range p.Noted() {
		if now, known := o.Commands[c.Name]; known && now.From != c.Digest {
			list = append(list, p.staleCommand(c, now))
		}
	}
	return list
}

func (p *Pod) staleCommand(c Noted, now Command) Stale {
	made := p.change(c.Index).running(now.Words, now.From)
	return Stale{c.Line, fmt.Sprintf("container %q: its command is of %s, and %s is %s now", c.Name, c.Digest, c.Image, now.From), func() {
		p.writeCommand(made, "spec", "containers", c.Index, "command")
		p.note(c.Name, now.From)
	}}
}

// staleLines are those of containers whose annotations say something else.
func (p *Pod) staleLines() (list []Stale) {
	for i, c := range p.spec.Containers {
		at := slices.IndexFunc(c.Env, func(e variable) bool { return e.Name == linesVariable })
		if at < 0 || len(c.Command) == 0 || c.Command[0] != program || p.imageAt() == nil {
			continue
		}
		value := p.at("spec", "containers", i, "env", at, "value")
		if value == nil {
			continue
		}
		had, others := optionsOf(value.Value)
		if now := p.optionLines(c); !slices.Equal(had, now) {
			list = append(list, Stale{value.Line, fmt.Sprintf("container %q: its CONFIT_LINES aren't what annotations say", c.Name), func() {
				setText(p.own("spec", "containers", i, "env", at, "value"), strings.Join(append(others, now...), "\n"))
			}})
		}
	}
	return list
}

// optionsOf parts the lines that come of annotations from the others.
func optionsOf(lines string) (found, others []string) {
	for line := range strings.SplitSeq(lines, "\n") {
		if word, _, _ := strings.Cut(line, " "); slices.Contains(options, word) {
			found = append(found, line)
		} else {
			others = append(others, line)
		}
	}
	return found, others
}

// staleSeeds are init containers that have another image than the container that they are for.
func (p *Pod) staleSeeds() (list []Stale) {
	for i, seed := range p.spec.InitContainers {
		c := p.seededBy(seed)
		if c < 0 || seed.Image == p.spec.Containers[c].Image {
			continue
		}
		image := p.spec.Containers[c].Image
		list = append(list, Stale{
			p.line("spec", "initContainers", i, "image"),
			fmt.Sprintf("init container %q: its image is %s, and that of container %q is %s", seed.Name, seed.Image, p.spec.Containers[c].Name, image),
			func() { setText(p.own("spec", "initContainers", i, "image"), image) },
		})
	}
	return list
}

// seededBy is the index of the container whose directories an init container of this program's fills with files or links, or -1.
func (p *Pod) seededBy(seed container) int {
	if len(seed.Command) < 3 || seed.Command[0] != program || seed.Command[1] != "--seed" && seed.Command[1] != "--bake" {
		return -1
	}
	return slices.IndexFunc(p.spec.Containers, func(c container) bool {
		return slices.ContainsFunc(c.Mounts, func(m mount) bool {
			return strings.HasPrefix(m.Name, "confit-seed-") && slices.ContainsFunc(seed.Mounts, func(own mount) bool { return own.Name == m.Name })
		})
	})
}

// setText gives a scalar another text, in the quotes that it has.
func setText(n *yaml.Node, text string) {
	made := tree.Str(text)
	n.Kind, n.Tag, n.Value, n.Content = made.Kind, made.Tag, made.Value, nil
	n.Style |= made.Style
}
