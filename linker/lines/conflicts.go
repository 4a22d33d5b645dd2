package lines

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"confit/linker/files"
)

// Parse works out every link and refuses those that can't live together. Relative
// sources are below volumes. No target may be there or in state. Both are absolute
// paths. rendered says that there is a renderer. The errors are joined.
func Parse(all []Link, volumes, state string, rendered bool) ([]Line, error) {
	var links []Line
	var wrong []error
	real := files.Resolver{}
	for _, link := range all {
		s, err := parseLink(link, volumes)
		if err == nil && s.Use == Linked {
			s.real = s.realTarget(real)
			err = s.checkPlace(volumes, state, real)
		}
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		links = append(links, s)
	}
	exemptNamed(links)
	return links, errors.Join(append(wrong, checkPairs(links), checkRender(all, rendered))...)
}

// checkRender refuses lines that need a renderer if there is none.
func checkRender(all []Link, rendered bool) error {
	var wrong []error
	for _, l := range all {
		if s := (Line{Link: l}); !rendered && strings.HasPrefix(l.Source, Rendered) {
			wrong = append(wrong, s.Errorf("source %q: nothing is rendered: write a line render COMMAND", l.Source))
		}
	}
	return errors.Join(wrong...)
}

// exemptNamed takes the keys that a line names out of the globs and directories
// of link lines: then web/*.conf doesn't match web/nginx.conf. One link to a
// whole directory has no keys of its own to leave out.
func exemptNamed(links []Line) {
	named := map[Key]bool{}
	for i := range links {
		if links[i].Kind == OneKey {
			named[links[i].Prefix] = true
		}
	}
	for i := range links {
		if s := &links[i]; s.Use == Linked && (s.Kind == Glob || s.Kind == Tree) {
			s.Exempt = named
		}
	}
}

// checkPlace refuses a target that confit or the kubelet owns.
func (s *Line) checkPlace(volumes, state string, real files.Resolver) error {
	for _, forbidden := range [][2]string{{"its own volume", s.Floor}, {"the state directory", state}, {"the volumes", volumes}} {
		what, dir := forbidden[0], forbidden[1]
		if dir != "/" && files.Inside(s.real, real.Dir(dir)) {
			return s.Errorf("target %q is inside %s %q: write a path outside of it", s.Target, what, dir)
		}
	}
	return nil
}

// Two targets are compared as written and by their real directories: /etc/app/x
// and /srv/app/x are one if /etc/app is a link to /srv/app. Both comparisons
// are needed, because a real path may lead through a link that confit has made.

// realTarget is a link's target by its real directory. For a link that has a
// target for each key it is that real directory.
func (s *Line) realTarget(real files.Resolver) string {
	if s.Single() {
		return real.Path(string(s.Target))
	}
	return real.Dir(string(s.Target))
}

// above lists a path and the directories above it, except for the root.
func above[S ~string](path S) (dirs []S) {
	for ; path != "/" && path != "." && path != ""; path = S(filepath.Dir(string(path))) {
		dirs = append(dirs, path)
	}
	return dirs
}

// pairs finds links that can't live together. It looks links up by their paths,
// as there may be thousands.
type pairs struct {
	links []Line
	names map[string]int         // by variable: the line that names it
	roots map[Key]map[string]int // by place in a generation and by root: the first link
	wrong []error
}

// checkPairs refuses two links to one target, a target inside another, two keys
// for one variable, and two sources for one place in a generation, as far as
// they are known without the volumes.
func checkPairs(links []Line) error {
	p := pairs{links: links, names: map[string]int{}, roots: map[Key]map[string]int{}}
	for i := range links {
		p.enter(i)
		p.enterName(i)
	}
	for i := range links {
		p.checkSource(i)
	}
	return errors.Join(append(checkTargets(links), p.wrong...)...)
}

// checkTargets looks at the targets that a line names, and at the directories of the others.
func checkTargets(links []Line) []error {
	taken := NewTaken()
	for i := range links {
		if s := &links[i]; s.Single() {
			taken.Add(s.Target, s, s.Errorf)
		}
	}
	taken.checkInside()
	for i := range links {
		if s := &links[i]; s.Use == Linked && !s.Single() {
			taken.refuseInside(s, s.Target, taken.outer(string(s.Target)))
		}
	}
	return taken.wrong
}

// enter notes where a link's keys stand in a generation.
func (p *pairs) enter(i int) {
	b := &p.links[i]
	if p.roots[b.Prefix] == nil {
		p.roots[b.Prefix] = map[string]int{}
	}
	if _, known := p.roots[b.Prefix][b.Root]; !known {
		p.roots[b.Prefix][b.Root] = i
	}
}

// enterName notes a variable, and refuses the second of one name.
func (p *pairs) enterName(i int) {
	b := &p.links[i]
	if b.Use != Variable || b.Kind != OneKey {
		return
	}
	if j, taken := p.names[b.Name]; taken {
		p.refuse(b, "variable %q has a key already, for %s: give each key a variable of its own", b.Name, p.links[j].Label())
		return
	}
	p.names[b.Name] = i
}

func (p *pairs) refuse(s *Line, format string, args ...any) {
	p.wrong = append(p.wrong, s.Errorf(format, args...))
}

// checkSource refuses a source that would stand at or below another source's
// place.
func (p *pairs) checkSource(i int) {
	b := &p.links[i]
	for _, dir := range above(b.Prefix) {
		for root, j := range p.roots[dir] {
			if root == b.Root || (dir == b.Prefix && j > i) {
				continue
			}
			first, second := &p.links[min(i, j)], &p.links[max(i, j)]
			p.refuse(second, "source %q would stand where %s stands in a generation, at %q: mount one of the two elsewhere", second.Source, first.Label(), second.Prefix)
			return
		}
	}
}

// alias names the other path of one target.
func alias(target, other Target) string {
	if target == other {
		return ""
	}
	return fmt.Sprintf(" by the path %q", other)
}
