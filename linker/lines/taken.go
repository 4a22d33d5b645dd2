package lines

import (
	"fmt"
	"path/filepath"

	"confit/linker/files"
)

// Taken collects targets. Each may have one line only.
//
// Two targets are compared as written and by their real directories: /etc/app/x
// and /srv/app/x are one if /etc/app is a link to /srv/app. Both comparisons
// are needed, because a real path may lead through a link that confit has made.
type Taken struct {
	by    map[Target]*Line  // the line of each target
	paths map[string]Target // by the real path of a target, the written one
	real  files.Resolver
	wrong []error
}

// NewTaken makes one without targets.
func NewTaken() *Taken {
	return &Taken{by: map[Target]*Line{}, paths: map[string]Target{}, real: files.Resolver{}}
}

// Add takes a target for a line. If the line can't have it, Add reports false, and Err has
// an error that errorf made.
func (t *Taken) Add(target Target, s *Line, errorf func(string, ...any) error) bool {
	if files.IsOwnName(string(target)) {
		t.wrong = append(t.wrong, errorf("target %q has a name that confit gives to what it keeps: rename the key", target))
		return false
	}
	real := t.real.Path(string(target))
	other, taken := t.paths[real]
	if _, written := t.by[target]; written {
		other, taken = target, true
	}
	if taken {
		by := ""
		if other != target {
			by = fmt.Sprintf(" by the path %q", other)
		}
		t.wrong = append(t.wrong, errorf("target %q has a link already, for %s%s: give each source a target of its own", target, t.by[other].Label(), by))
		return false
	}
	t.by[target], t.paths[real] = s, target
	return true
}

// Err is what is wrong with the targets, an [*files.Invalid] or nil. It is asked once, at
// the end.
func (t *Taken) Err() error {
	t.checkInside()
	return files.JoinInvalid(t.wrong)
}

// checkInside refuses targets below others, by either path.
func (t *Taken) checkInside() {
	outers := map[string]Target{} // by directory: thousands of targets may be in one
	for _, target := range files.SortedKeys(t.by) {
		dir := filepath.Dir(string(target))
		if _, known := outers[dir]; !known {
			outers[dir] = t.outer(dir)
		}
		t.refuseInside(t.by[target], target, outers[dir])
	}
}

// refuseInside refuses a line's target that is inside another one; "": in none.
func (t *Taken) refuseInside(s *Line, target, outer Target) {
	if outer != "" {
		t.wrong = append(t.wrong, s.Errorf("target %q is inside target %q, which is a link itself, for %s: write a path outside of it", target, outer, t.by[outer].Label()))
	}
}

// outer is a target that is a directory or contains it, "" if there is none.
func (t *Taken) outer(dir string) Target {
	for _, d := range above(Target(dir)) {
		if _, found := t.by[d]; found {
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
