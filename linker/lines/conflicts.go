package lines

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"confit/linker/files"
)

// Parse works out every link and refuses those that can't live together. Relative sources are below
// volumes. No target may be there or in state. Both are absolute paths. rendered says that there is
// a renderer. The errors are joined.
func Parse(all []Link, volumes, state string, rendered bool) ([]*Line, error) {
	var links []*Line
	var wrong []error
	real := files.Resolver{}
	for _, link := range all {
		s, err := parseLink(link, volumes)
		if err == nil && s.Use == Linked {
			err = s.checkPlace(volumes, state, real)
		}
		if err == nil {
			s.Index = len(links)
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

// exemptNamed takes the keys that a line names out of the globs and directories of link lines: then
// web/*.conf doesn't match web/nginx.conf. One link to a whole directory has no keys of its own to
// leave out.
func exemptNamed(links []*Line) {
	named := map[Key]bool{}
	for _, s := range links {
		if s.Kind == OneKey {
			named[s.Prefix] = true
		}
	}
	for _, s := range links {
		if s.Use == Linked && (s.Kind == Glob || s.Kind == Tree) {
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
	owned := []struct{ what, dir string }{
		{"its own volume", s.Floor},
		{"the state directory", state},
		{"the volumes", volumes},
	}
	for _, o := range owned {
		if o.dir != "/" && files.Inside(target, real.Dir(o.dir)) {
			return s.Errorf("target %q is inside %s %q: write a path outside of it", s.Target, o.what, o.dir)
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

// checkTargets refuses two links to one target, and a target inside another, as far as they are
// known without the volumes: those that a line names, and the directories of the others.
func checkTargets(links []*Line) []error {
	taken := NewTaken()
	for _, s := range links {
		if s.Single() {
			taken.Add(s.Target, s, "")
		}
	}
	taken.checkInside()
	for _, s := range links {
		if s.Use == Linked && !s.Single() {
			taken.refuseInside(s, s.Target, taken.outer(string(s.Target)))
		}
	}
	return taken.wrong
}

func checkNames(links []*Line) (wrong []error) {
	names := map[string]*Line{}
	for _, s := range links {
		if s.Use != Variable || s.Kind != OneKey {
			continue
		}
		if first, taken := names[s.Name]; taken {
			wrong = append(wrong, s.Errorf("variable %q has a key already, for %s: give each key a variable of its own",
				s.Name, first.Label()))
		} else {
			names[s.Name] = s
		}
	}
	return wrong
}

// checkSources refuses a source at or below the place in a generation of another one, which has
// another root. It looks up places: links may be thousands.
func checkSources(links []*Line) (wrong []error) {
	places := map[Key]*Line{} // the first line of each: any other one of another root is refused itself
	for _, s := range slices.Backward(links) {
		places[s.Prefix] = s
	}
	for _, s := range links {
		for _, dir := range above(s.Prefix) {
			other := places[dir]
			if other == nil || other.Root == s.Root {
				continue
			}
			first, second := other, s
			if s.Index < other.Index {
				first, second = s, other
			}
			wrong = append(wrong, second.Errorf(
				"source %q would stand where %s stands in a generation, at %q: mount one of the two elsewhere",
				second.Source, first.Label(), second.Prefix))
			break
		}
	}
	return wrong
}

// Taken collects targets. Each may have one line only.
//
// Two targets are compared as written and by their real directories: /etc/app/x and /srv/app/x are
// one if /etc/app is a link to /srv/app. Both comparisons are needed, because a real path may lead
// through a link that confit has made.
type Taken struct {
	by    map[Target]*Line  // the line of each target
	paths map[Target]Target // by the path of a target, the written and the real one: the written one
	real  files.Resolver
	wrong []error
}

// NewTaken makes one without targets.
func NewTaken() *Taken {
	return &Taken{by: map[Target]*Line{}, paths: map[Target]Target{}, real: files.Resolver{}}
}

// Add takes a target for a line and, where that has many, one of its keys; else "". If the line
// can't have it, Add reports false, and Err has the error.
func (t *Taken) Add(target Target, s *Line, key Key) bool {
	real := Target(t.real.Path(string(target)))
	other := cmp.Or(t.paths[target], t.paths[real])
	var err error
	switch {
	case files.IsOwnName(string(target)):
		err = fmt.Errorf("target %q has a name that confit gives to what it keeps: rename the key", target)
	case other != "":
		by := ""
		if other != target {
			by = fmt.Sprintf(" by the path %q", other)
		}
		err = fmt.Errorf("target %q has a link already, for %s%s: give each source a target of its own",
			target, t.by[other].Label(), by)
	default:
		t.by[target], t.paths[target], t.paths[real] = s, target, target
		return true
	}
	if key != "" {
		err = fmt.Errorf("key %q: %w", key, err)
	}
	t.wrong = append(t.wrong, s.Errorf("%w", err))
	return false
}

// Err is what is wrong with the targets, an [*files.Invalid] or nil. It is asked once, at the end.
func (t *Taken) Err() error {
	t.checkInside()
	return files.JoinInvalid(t.wrong)
}

// checkInside refuses targets below others, by either path.
func (t *Taken) checkInside() {
	outers := map[string]Target{} // by directory: thousands of targets may be in one
	for _, target := range files.SortedKeys(t.by) {
		dir := target.Dir()
		if _, known := outers[dir]; !known {
			outers[dir] = t.outer(dir)
		}
		t.refuseInside(t.by[target], target, outers[dir])
	}
}

// refuseInside refuses a line's target that is inside another one; "": in none.
func (t *Taken) refuseInside(s *Line, target, outer Target) {
	if outer != "" {
		t.wrong = append(t.wrong,
			s.Errorf("target %q is inside target %q, which is a link itself, for %s: write a path outside of it",
				target, outer, t.by[outer].Label()))
	}
}

// outer is a target that is a directory or contains it, "" if there is none.
func (t *Taken) outer(dir string) Target {
	for _, d := range append(above(Target(dir)), above(Target(t.real.Dir(dir)))...) {
		if outer, found := t.paths[d]; found {
			return outer
		}
	}
	return ""
}
