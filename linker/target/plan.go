// Package target knows how a target changes: it plans from what stands there to what is wanted, and
// carries that out.
//
// It guarantees that
//   - each target is whole at all times, old or new, wherever confit is killed;
//   - what confit did not make is kept beside the target, and comes back when the link goes;
//   - each step checks, in the moment in which it acts, that what it was planned for is still
//     there.
//
// It does not know how a target came to be wanted, nor what a link leads to.
package target

import (
	"cmp"
	"errors"
	"fmt"
	"path"

	"confit/linker/files"
	"confit/linker/lines"
)

// Dest is what a link points at.
type Dest string

// Want is what a target is to be: a symlink to dest. note.json has it, too.
type Want struct {
	Dest Dest `json:"dest"`
	Dir  bool `json:"dir,omitempty"` // dest is a directory, so it may cover an empty directory
}

type standing int

const (
	nothing   standing = iota
	ourLink            // a symlink that confit made
	rightLink          // a symlink to just the wanted place, whoever made it
	aFile              // a regular file, or a symlink that confit didn't make
	emptyDir           // an empty directory
	immovable          // what is refused by name
)

// foretold is what a link would do to it, to be added to a text.
func (s standing) foretold() string {
	switch s {
	case rightLink:
		return "  (is there)"
	case aFile:
		return "  (covers what is there)"
	case emptyDir:
		return "  (covers an empty directory)"
	case immovable:
		return "  (refused)"
	}
	return ""
}

const (
	fullDir     = "a directory that isn't empty" // only a link to a key below it can be made there
	regularFile = "a regular file"               // a link to a whole directory must not cover it
)

// place is a target as it was found.
type place struct {
	standing standing
	what     string // what it is, with its article
	instead  string // what to write, "" for another target
	link     Dest   // what our link points at
	kept     bool   // something was kept beside it when it was covered
	linked   bool   // our link stood here, and wasn't pruned since
	err      error  // why the system keeps it from being looked at
}

// verb is what is done to a target. Each leaves it whole: old or new.
type verb int

const (
	none    verb = iota // what is as wanted                    →  the same
	link                // nothing, or our link to elsewhere    →  our link
	cover               // the image's file or empty directory  →  our link; what stood there is kept beside
	reclaim             // what an app put in our link's place  →  our link; the newest such is kept beside
	uncover             // our link, or nothing                 →  what was kept
	remove              // our link                             →  nothing
	skip                // what is no longer our link           →  the same
)

// String is the verb in an error.
func (v verb) String() string {
	switch v {
	case uncover:
		return "restore"
	case remove:
		return "remove"
	case skip:
		return "prune"
	}
	return "link"
}

// Step is one change of one target. It is carried out only if what it was planned for is still
// there.
type Step struct {
	verb   verb
	Target lines.Target
	Want          // no Dest: what confit made there is to go
	place         // what was found there
	ready  string // the name beside the target of the new link, "" if there is none, or it was used
}

// coversFile reports a file of the image where a link to a whole directory is wanted, which nobody
// could open as a file.
func (s *Step) coversFile() bool { return s.Dir && s.what == regularFile && !s.kept && !s.linked }

// Plan is how to come from targets as they are to what is wanted.
type Plan struct {
	// of targets that nobody wants any more: before the live link is moved, as what they covered
	// has to be back by then
	prunes  []Step
	Links   []Step                 // of the others
	refused []Step                 // that can't be, so that nothing is done
	failed  map[lines.Target]error // why one can't be done, or wasn't
	Live    error                  // why the live link wasn't moved
	Moved   bool                   // it leads to the generation, so an app can run
}

// Err names all that can't be as wanted.
func (p *Plan) Err() error { return errors.Join(p.Live, files.Joined(p.failed)) }

// each does the same with all steps that haven't failed.
func (p *Plan) each(do func(*Step) error, parts ...[]Step) {
	for _, steps := range parts {
		for i := range steps {
			if s := &steps[i]; p.failed[s.Target] == nil {
				if err := do(s); err != nil {
					p.failed[s.Target] = err
				}
			}
		}
	}
}

// plan works out how to come from what is found at a target to what is wanted there. A link that
// points where it should is left alone, so planning again after the step was done yields none. A
// file counts as the image's own until a link of confit's has stood in its place. What can't be
// covered is refused.
func plan(target lines.Target, w Want, p place) (Step, error) {
	s := Step{Target: target, Want: w, place: p}
	ours := p.standing == ourLink || p.standing == nothing
	switch unwanted := w.Dest == ""; {
	case unwanted && ours && p.kept:
		s.verb = uncover
	case unwanted && p.standing == ourLink:
		s.verb = remove
	case unwanted && p.standing == nothing, p.standing == rightLink:
	case unwanted && p.err != nil: // which may pass: what was kept there has to come back
		return s, fmt.Errorf("cannot prune target %q: %w", target, p.err)
	case unwanted:
		s.verb = skip
	case ours:
		s.verb = link
	case p.standing == aFile && !s.coversFile(), p.standing == emptyDir && w.Dir:
		s.verb = cover
		if p.kept || p.linked {
			s.verb = reclaim
		}
	default:
		return s, s.refusal()
	}
	return s, nil
}

func (s *Step) refusal() error {
	what, instead := s.what, cmp.Or(s.instead, "another target")
	if s.standing == emptyDir {
		what = "a directory"
	}
	name := path.Base(string(s.Dest))
	isDir := what == fullDir || what == "a directory"
	switch {
	case s.coversFile():
		instead = "one key of the directory as the source, or a directory as the target"
	case !s.Dir && isDir && name != s.Target.Base():
		instead = fmt.Sprintf("the file, such as %q", path.Join(string(s.Target), name))
	}
	return fmt.Errorf("cannot link target %q: %s is there; write %s, or remove it from the image or the pod", s.Target,
		what, instead)
}
