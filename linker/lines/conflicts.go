package lines

import (
	"errors"
	"path/filepath"
	"slices"
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
			err = s.checkPlace(volumes, state, real)
		}
		if err == nil {
			links = append(links, s)
		}
		if !rendered && strings.HasPrefix(s.Source, Rendered) {
			err = errors.Join(err, s.Errorf("source %q: nothing is rendered: write a line render COMMAND", s.Source))
		}
		wrong = append(wrong, err)
	}
	exemptNamed(links)
	return links, errors.Join(slices.Concat(wrong, checkTargets(links), checkNames(links), checkSources(links))...)
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
	target := real.Path(string(s.Target))
	if !s.Single() {
		target = real.Dir(string(s.Target))
	}
	for _, forbidden := range [][2]string{{"its own volume", s.Floor}, {"the state directory", state}, {"the volumes", volumes}} {
		what, dir := forbidden[0], forbidden[1]
		if dir != "/" && files.Inside(target, real.Dir(dir)) {
			return s.Errorf("target %q is inside %s %q: write a path outside of it", s.Target, what, dir)
		}
	}
	return nil
}

// above lists a path and the directories above it, except for the root.
func above[S ~string](path S) (dirs []S) {
	for ; path != "/" && path != "." && path != ""; path = S(filepath.Dir(string(path))) {
		dirs = append(dirs, path)
	}
	return dirs
}

// checkTargets refuses two links to one target, and a target inside another, as far as they are known
// without the volumes: those that a line names, and the directories of the others.
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

func checkNames(links []Line) (wrong []error) {
	names := map[string]*Line{}
	for i := range links {
		s := &links[i]
		if s.Use != Variable || s.Kind != OneKey {
			continue
		}
		if first, taken := names[s.Name]; taken {
			wrong = append(wrong, s.Errorf("variable %q has a key already, for %s: give each key a variable of its own", s.Name, first.Label()))
		} else {
			names[s.Name] = s
		}
	}
	return wrong
}

// checkSources refuses two sources for one place in a generation. It looks links up by their places,
// as there may be thousands.
func checkSources(links []Line) (wrong []error) {
	places := map[Key]map[string]int{} // by place and by root: the first link
	for i := range links {
		s := &links[i]
		if places[s.Prefix] == nil {
			places[s.Prefix] = map[string]int{}
		}
		if _, known := places[s.Prefix][s.Root]; !known {
			places[s.Prefix][s.Root] = i
		}
	}
	for i := range links {
		wrong = append(wrong, checkSource(links, i, places))
	}
	return wrong
}

// checkSource refuses a source that would stand at or below another source's
// place.
func checkSource(links []Line, i int, places map[Key]map[string]int) error {
	s := &links[i]
	for _, dir := range above(s.Prefix) {
		for root, j := range places[dir] {
			if root != s.Root && (dir != s.Prefix || j < i) {
				first, second := &links[min(i, j)], &links[max(i, j)]
				return second.Errorf("source %q would stand where %s stands in a generation, at %q: mount one of the two elsewhere", second.Source, first.Label(), second.Prefix)
			}
		}
	}
	return nil
}
