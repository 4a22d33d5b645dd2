// Package target knows how a target changes: it plans from what stands there to what is
// wanted, and carries that out.
//
// It guarantees that
//   - each target is whole at all times, old or new, wherever confit is killed;
//   - what confit did not make is kept beside the target, and comes back when the link goes;
//   - each step checks, in the moment in which it acts, that what it was planned for is
//     still there.
//
// It does not know how a target came to be wanted, nor what a link leads to.
package target

import (
	"cmp"
	"fmt"
	"path"

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

// fullDir is what only a link to a key below it can be made in.
const fullDir = "a directory that isn't empty"

// regularFile is what a link to a whole directory must not cover.
const regularFile = "a regular file"

// place is a target as it was found.
type place struct {
	standing standing
	what     string // what it is, with its article
	instead  string // what to write, "" for another target
	link     Dest   // what our link points at
	kept     bool   // something was kept beside it when it was covered
	linked   bool   // our link stood here, and wasn't pruned since
}

// isFileFor reports a file of the image where a link to a whole directory is
// wanted: who opens the file would find a directory.
func (p place) isFileFor(w Want) bool { return w.Dir && p.what == regularFile && !p.kept && !p.linked }

// verb is what is done to a target. Each leaves it whole: old or new.
type verb int

const (
	none    verb = iota // what is as wanted                    →  the same
	link                // nothing, or our link to elsewhere    →  our link
	cover               // the image's file or empty directory  →  our link; what stood there is kept beside
	reclaim             // what an app put in our link's place  →  our link; the newest such is kept beside
	uncover             // our link, or nothing                 →  what was kept
	remove              // our link                             →  nothing
	spare               // what is no longer our link           →  the same
)

// Step is one change of one target. It is carried out only if what it was
// planned for is still there.
type Step struct {
	verb   verb
	Target lines.Target
	dest   Dest   // of link, cover and reclaim
	from   Dest   // what our link that stands there points at, "" where nothing stands
	dir    bool   // of cover and reclaim: it may be an empty directory
	ready  string // the name beside the target under which the new link was made, "" if it wasn't yet
}

// plan works out how to come from what is found at a target to what is wanted there; no Dest: what
// confit made there is to go. A link that points where it should is left alone, so planning again after
// the step was done yields none. A file counts as the image's own until a link of confit's has stood in
// its place. What can't be covered is refused.
func plan(target lines.Target, w Want, p place) (Step, error) {
	s := Step{Target: target, dest: w.Dest, dir: w.Dir, from: p.link}
	ours := p.standing == ourLink || p.standing == nothing
	switch unwanted := w.Dest == ""; {
	case unwanted && ours && p.kept:
		s.verb = uncover
	case unwanted && p.standing == ourLink:
		s.verb = remove
	case unwanted && p.standing == nothing, p.standing == rightLink:
	case unwanted:
		s.verb = spare
	case ours:
		s.verb = link
	case p.standing == aFile && !p.isFileFor(w), p.standing == emptyDir && w.Dir:
		s.verb = cover
		if p.kept || p.linked {
			s.verb = reclaim
		}
	default:
		return s, refusal(target, w, p)
	}
	return s, nil
}

func refusal(target lines.Target, w Want, p place) error {
	what, instead := p.what, cmp.Or(p.instead, "another target")
	switch {
	case p.standing == emptyDir:
		what = "a directory"
	case p.isFileFor(w):
		instead = "one key of the directory as the source, or a directory as the target"
	}
	if name := path.Base(string(w.Dest)); !w.Dir && (what == fullDir || what == "a directory") && name != path.Base(string(target)) {
		instead = fmt.Sprintf("the file, such as %q", path.Join(string(target), name))
	}
	return fmt.Errorf("cannot link target %q: %s is there; write %s, or remove it from the image or the pod", target, what, instead)
}

// prunes reports whether a step comes before the live link is moved: pruned
// targets lose their key with it, and what they covered is back before that.
func (s Step) prunes() bool { return s.verb >= uncover }
