package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"confit/kubectl-confit/inject"
	"confit/kubectl-confit/manifest"
	"confit/kubectl-confit/tree"
)

// find reads the pods of the file.
func (r *injection) find(file *manifest.File) {
	for _, d := range file.Documents {
		for _, m := range d.Pods() {
			p, err := inject.Read(d.Root, m.Path)
			if err != nil {
				r.fail(manifest.Mistake(tree.Line(d.Root.Content[0], m.Path...), 0, err))
				continue
			}
			if m.Unknown && !p.MountsFiles() {
				continue
			}
			found := &pod{Pod: p, object: m, document: d}
			if m.Unknown {
				r.notes = append(r.notes, message{tree.Line(d.Root.Content[0], m.Path...), found.called() + " stays as it is: nobody knows what its kind does with the template of a pod"})
				continue
			}
			r.pods = append(r.pods, found)
		}
	}
}

// checkGiven holds that --command names containers that need it, as a misspelt one would be silence, and one image: two are two programs.
func (r *injection) checkGiven() {
	for _, name := range slices.Sorted(maps.Keys(r.given)) {
		var images, of []string
		for _, p := range r.pods {
			for _, c := range p.Containers() {
				if key, _ := r.givenTo(p, c); key == name && !c.HasCommand && !slices.Contains(images, c.Image) {
					images, of = append(images, c.Image), append(of, fmt.Sprintf("that of %s is %s", p.called(), c.Image))
				}
			}
		}
		switch {
		case len(images) == 0:
			r.errs = append(r.errs, message{1, fmt.Sprintf("cannot use --command for container %q: no container of that name lacks a command and mounts a key by subPath", name)})
		case len(images) > 1:
			r.errs = append(r.errs, message{1, fmt.Sprintf("cannot use --command for container %q: it is of different images: %s; write --command KIND/NAME/%s='WORD WORD…' for each", name, strings.Join(of, ", "), name)})
		}
	}
}

// givenTo is the command that a flag gives to a container, and what the flag calls it.
func (r *injection) givenTo(p *pod, c inject.Container) (key string, command inject.Command) {
	key = address(p.object.Kind, p.object.Name, c.Name)
	if _, named := r.given[key]; !named {
		key = c.Name
	}
	return key, r.given[key]
}

// image is confit's: the flag's, else the one that the file's pods have.
func (r *injection) image() string {
	if r.flags.image != "" {
		return r.flags.image
	}
	found := map[string]bool{}
	first := 0
	for _, p := range r.pods {
		if image := p.Image(); image != "" {
			found[image] = true
		}
		if list := p.Containers(); len(list) > 0 && first == 0 {
			first = list[0].Line
		}
	}
	all := slices.Sorted(maps.Keys(found))
	if first > 0 && len(all) != 1 {
		hint := ""
		if len(all) > 1 {
			hint = ": its pods have " + strings.Join(all, " and ")
		}
		r.errs = append(r.errs, message{first, "cannot tell confit's image" + hint + "; write --image REFERENCE"})
	}
	return strings.Join(all, " ")
}

// decide says what is to be done, and does nothing yet but ask registries.
func (r *injection) decide(ctx context.Context, image string) (apply []func()) {
	for _, p := range r.pods {
		o := inject.Options{Image: image, ImageVolume: r.flags.imageVolume, Commands: map[string]inject.Command{}}
		if !r.commandsOf(ctx, p, o.Commands) {
			continue
		}
		o.Image = r.flags.image
		for _, stale := range p.Again(o) {
			r.changes = append(r.changes, message{stale.Line, stale.What})
			apply = append(apply, p.writing(stale.Apply))
		}
		o.Image = image
		plan := p.Plan(o)
		r.leave(p, plan.Left)
		if p.Image() != "" { // what was rewritten before has annotations, too
			r.leave(p, p.Mistakes())
			plan.Notes = p.Strangers()
		}
		for _, l := range plan.Notes {
			r.notes = append(r.notes, message{l.Line, p.called() + ": " + l.Why})
		}
		for _, l := range plan.Late() {
			r.notes = append(r.notes, message{l.Line, p.called() + l.What() + ": " + l.Why})
		}
		if !plan.Empty() {
			at := p.Containers()[0].Line
			r.changes = append(r.changes, message{at, fmt.Sprintf("%s isn't rewritten", p.called())})
			if !r.flags.check {
				r.notes = append(r.notes, message{at, p.called() + ": " + plan.Summary()})
			}
			apply = append(apply, p.writing(plan.Apply))
		}
	}
	return apply
}

// writing marks the document, and repairs its aliases afterwards.
func (p *pod) writing(write func()) func() {
	return func() {
		write()
		tree.Repair(p.document.Root)
		p.document.Changed = true
	}
}

// concerns reports that there is, or was, something to rewrite.
func (p *pod) concerns() bool { return len(p.Containers()) > 0 || p.Image() != "" || p.left }

// called is how people know the pod's object.
func (p *pod) called() string { return fmt.Sprintf("%s %q", p.object.Kind, p.object.Name) }

// leave tells what stays as it is, or refuses to leave it so.
func (r *injection) leave(p *pod, left []inject.Left) {
	p.left = len(left) > 0
	for _, l := range left {
		if l.Mistake {
			r.errs = append(r.errs, message{l.Line, fmt.Sprintf("cannot rewrite %s%s: %s", p.called(), l.What(), l.Why)})
			continue
		}
		r.notes = append(r.notes, message{l.Line, fmt.Sprintf("%s%s stays as it is: %s", p.called(), l.What(), l.Why)})
	}
}

// commandsOf finds what the pod's containers run that don't say it, and says no if that can't be known.
func (r *injection) commandsOf(ctx context.Context, p *pod, found map[string]inject.Command) bool {
	known := true
	for _, c := range p.Containers() {
		_, given := r.givenTo(p, c)
		switch {
		case c.HasCommand:
		case len(given.Words) > 0:
			found[c.Name] = given
		case c.NoCommand:
			command, err := r.ask(ctx, c)
			if err != nil {
				r.errs = append(r.errs, message{c.Line, fmt.Sprintf("cannot rewrite %s: container %q has no command, and nobody knows its ENTRYPOINT: %v; write --command %s='WORD WORD…', or the annotation %s.confit/command", p.called(), c.Name, err, c.Name, c.Name)})
				known = false
				continue
			}
			found[c.Name] = command
		}
	}
	return r.noted(ctx, p, found) && known
}

// noted looks whether the images are still those that commands were read from.
func (r *injection) noted(ctx context.Context, p *pod, found map[string]inject.Command) bool {
	known := true
	for _, c := range p.Noted() {
		if r.flags.noRegistry {
			r.notes = append(r.notes, message{c.Line, fmt.Sprintf("%s: container %q: nobody looked whether its command is still that of %s: --no-registry", p.called(), c.Name, c.Image)})
			continue
		}
		digest, err := r.registry.Digest(ctx, c.Image)
		if err == nil && digest != c.Digest {
			found[c.Name], err = r.ask(ctx, c.Container)
		}
		if err != nil {
			r.errs = append(r.errs, message{c.Line, fmt.Sprintf("cannot tell whether %s has a stale command: container %q: %v; --no-registry leaves it as it is", p.called(), c.Name, err)})
			known = false
		}
	}
	return known
}

// ask reads a container's command out of its image.
func (r *injection) ask(ctx context.Context, c inject.Container) (inject.Command, error) {
	if r.flags.noRegistry {
		return inject.Command{}, fmt.Errorf("no registry is asked")
	}
	image, err := r.registry.Image(ctx, c.Image)
	if err != nil {
		return inject.Command{}, err
	}
	words := image.Entrypoint
	if !c.HasArgs {
		words = slices.Concat(image.Entrypoint, image.Cmd)
	}
	if len(words) == 0 && !c.HasArgs {
		return inject.Command{}, fmt.Errorf("the image %s has neither ENTRYPOINT nor CMD", c.Image)
	}
	return inject.Command{Words: words, From: image.Digest}, nil
}
