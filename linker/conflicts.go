package linker

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"confit/linker/files"
)

// sources are the links, worked out once.
func (c Config) sources() ([]source, error) {
	if c.checked != nil {
		return c.checked, nil
	}
	return parseLinks(c)
}

// parseLinks works out every link and refuses those that can't live together.
func parseLinks(c Config) ([]source, error) {
	var links []source
	var wrong []error
	real := files.Resolver{}
	for _, link := range c.Links {
		s, err := parseLink(link, c.Volumes)
		if err == nil && s.Use == Linked {
			s.real = s.realTarget(real)
			err = s.checkPlace(c, real)
		}
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		links = append(links, s)
	}
	exemptNamed(links)
	return links, errors.Join(append(wrong, checkPairs(links), checkRender(c))...)
}

// checkRender refuses lines that need a renderer if there is none.
func checkRender(c Config) error {
	var wrong []error
	for _, l := range c.Links {
		if s := (source{Link: l}); !c.Render && strings.HasPrefix(l.Source, Rendered) {
			wrong = append(wrong, s.errorf("source %q: nothing is rendered: write a line render COMMAND", l.Source))
		}
	}
	return errors.Join(wrong...)
}

// exemptNamed takes the keys that a line names out of the globs and directories
// of link lines: then web/*.conf doesn't match web/nginx.conf. One link to a
// whole directory has no keys of its own to leave out.
func exemptNamed(links []source) {
	named := map[Key]bool{}
	for i := range links {
		if links[i].kind == oneKey {
			named[links[i].prefix] = true
		}
	}
	for i := range links {
		if s := &links[i]; s.Use == Linked && (s.kind == glob || s.kind == tree) {
			s.exempt = named
		}
	}
}

// checkPlace refuses a target that confit or the kubelet owns.
func (s *source) checkPlace(c Config, real files.Resolver) error {
	for _, forbidden := range [][2]string{{"its own volume", s.floor}, {"the state directory", c.State}, {"the volumes", c.Volumes}} {
		what, dir := forbidden[0], forbidden[1]
		target := real.Path(string(s.Target))
		if !s.single() {
			target = real.Dir(string(s.Target))
		}
		if dir != "/" && files.Inside(target, real.Dir(dir)) {
			return s.errorf("target %q is inside %s %q: write a path outside of it", s.Target, what, dir)
		}
	}
	return nil
}

// Two targets are compared as written and by their real directories: /etc/app/x
// and /srv/app/x are one if /etc/app is a link to /srv/app. Both comparisons
// are needed, because a real path may lead through a link that confit has made.

// realTarget is a link's target by its real directory. For a link that has a
// target for each key it is that real directory.
func (s *source) realTarget(real files.Resolver) string {
	if s.single() {
		return real.Path(string(s.Target))
	}
	return filepath.Dir(real.Path(filepath.Join(string(s.Target), "key")))
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
	links  []source
	single map[string]int         // by target, as written and real: the first link with just this target
	names  map[string]int         // by variable: the line that names it
	roots  map[Key]map[string]int // by place in a generation and by root: the first link
	wrong  []error
}

// checkPairs refuses two links to one target, a target inside another, two keys
// for one variable, and two sources for one place in a generation, as far as
// they are known without the volumes.
func checkPairs(links []source) error {
	p := pairs{links: links, single: map[string]int{}, names: map[string]int{}, roots: map[Key]map[string]int{}}
	for i := range links {
		p.enter(i)
		p.enterName(i)
	}
	for i := range links {
		p.checkTarget(i)
		p.checkSource(i)
	}
	return errors.Join(p.wrong...)
}

// enter notes a link under its paths, and refuses the second link to one
// target.
func (p *pairs) enter(i int) {
	b := &p.links[i]
	if p.roots[b.prefix] == nil {
		p.roots[b.prefix] = map[string]int{}
	}
	if _, known := p.roots[b.prefix][b.root]; !known {
		p.roots[b.prefix][b.root] = i
	}
	if !b.single() {
		return
	}
	for _, path := range []string{string(b.Target), b.real} {
		if j, taken := p.single[path]; taken && j != i {
			a := &p.links[j]
			p.refuse(b, "target %q has a link already, for %s%s: give each source a target of its own", b.Target, a.label(), alias(b.Target, a.Target))
			return
		}
		p.single[path] = i
	}
}

// enterName notes a variable, and refuses the second of one name.
func (p *pairs) enterName(i int) {
	b := &p.links[i]
	if b.Use != Variable || b.kind != oneKey {
		return
	}
	if j, taken := p.names[b.Name]; taken {
		p.refuse(b, "variable %q has a key already, for %s: give each key a variable of its own", b.Name, p.links[j].label())
		return
	}
	p.names[b.Name] = i
}

func (p *pairs) refuse(s *source, format string, args ...any) {
	p.wrong = append(p.wrong, s.errorf(format, args...))
}

// checkTarget refuses what is inside another link's target. The error is about
// the later line.
func (p *pairs) checkTarget(i int) {
	b := &p.links[i]
	for _, path := range append(above(string(b.Target)), above(b.real)...) {
		j, taken := p.single[path]
		if !taken || j == i || (b.single() && (path == string(b.Target) || path == b.real)) {
			continue
		}
		if a := &p.links[j]; j < i {
			p.refuse(b, "target %q is inside target %q, which is a link itself, for %s: write a path outside of it", b.Target, a.Target, a.label())
		} else {
			p.refuse(a, "target %q has target %q inside, for %s: a link can't hold others, write another path", a.Target, b.Target, b.label())
		}
		return
	}
}

// checkSource refuses a source that would stand at or below another source's
// place.
func (p *pairs) checkSource(i int) {
	b := &p.links[i]
	for _, dir := range above(b.prefix) {
		for root, j := range p.roots[dir] {
			if root == b.root || (dir == b.prefix && j > i) {
				continue
			}
			first, second := &p.links[min(i, j)], &p.links[max(i, j)]
			p.refuse(second, "source %q would stand where %s stands in a generation, at %q: mount one of the two elsewhere", second.Source, first.label(), second.prefix)
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

// table collects targets. Each may have one link only.
type table struct {
	targets map[Target]want
	links   map[Target]*source // the link of each target
	paths   map[string]Target  // by the real path of a target, the written one
	real    files.Resolver
	wrong   []error
}

func (t *table) add(target Target, w want, s *source, errorf func(string, ...any) error) {
	if files.IsOwnName(string(target)) {
		t.wrong = append(t.wrong, errorf("target %q has a name that confit gives to what it keeps: rename the key", target))
		return
	}
	real := t.real.Path(string(target))
	other, taken := t.paths[real]
	if _, written := t.targets[target]; written {
		other, taken = target, true
	}
	if taken {
		t.wrong = append(t.wrong, errorf("target %q has a link already, for %s%s", target, t.links[other].label(), alias(target, other)))
		return
	}
	t.targets[target], t.links[target], t.paths[real] = w, s, target
}

// checkInside refuses targets below others, by either path.
func (t *table) checkInside() {
	outers := map[string]Target{} // by directory: thousands of targets may be in one
	for _, target := range files.SortedKeys(t.targets) {
		dir := filepath.Dir(string(target))
		if _, known := outers[dir]; !known {
			outers[dir] = t.outer(dir)
		}
		if outer := outers[dir]; outer != "" {
			t.wrong = append(t.wrong, fmt.Errorf("target %q, for %s, is inside target %q, which is a link itself, for %s",
				target, t.links[target].label(), outer, t.links[outer].label()))
		}
	}
}

// outer is a target that is a directory or contains it, "" if there is none.
func (t *table) outer(dir string) Target {
	for _, d := range above(Target(dir)) {
		if _, found := t.targets[d]; found {
			return d
		}
	}
	for _, d := range above(t.real.Dir(dir)) {
		if outer, found := t.paths[d]; found {
			return outer
		}
	}
	return ""
}
