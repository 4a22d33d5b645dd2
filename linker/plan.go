package linker

import (
	"cmp"
	"errors"
	"fmt"
	"path"

	"confit/linker/files"
	"confit/linker/lines"
)

// destination is what a link points at.
type destination string

// want is what a target is to be: a symlink to dest.
type want struct {
	dest destination
	dir  bool // dest is a directory, so an empty directory may stand in the way
}

// standing is what stands at a target now.
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
	what     string      // what it is, with its article
	instead  string      // what to write, "" for another target
	link     destination // what our link points at
	kept     bool        // something was kept beside it when it was covered
	linked   bool        // our link stood here, and wasn't pruned since
}

// isFileFor reports a file of the image where a link to a whole directory is
// wanted: who opens the file would find a directory.
func (p place) isFileFor(w want) bool { return w.dir && p.what == regularFile && !p.kept && !p.linked }

// verb is what is done to a target. Each leaves it whole: old or new.
type verb int

const (
	link    verb = iota // nothing, or our link to elsewhere    →  our link
	cover               // the image's file or empty directory  →  our link; what stood there is kept beside
	reclaim             // what an app put in our link's place  →  our link; the newest such is kept beside
	uncover             // our link, or nothing                 →  what was kept
	remove              // our link                             →  nothing
	spare               // what is no longer our link           →  the same
)

// step is one change of one target. It is carried out only if what it was
// planned for is still there.
type step struct {
	verb   verb
	target lines.Target
	dest   destination // of link, cover and reclaim
	from   destination // what our link that stands there points at, "" where nothing stands
	dir    bool        // of cover and reclaim: it may be an empty directory
	ready  string      // the name beside the target under which the new link was made, "" if it wasn't yet
}

// plan works out how to come from what is found to what is wanted. made lists
// the targets that confit made. Those that are no longer wanted are pruned,
// before anything new is made. A link that points where it should is left
// alone, so planning again after the steps were done yields none. A file counts
// as the image's own until a link of confit's has stood in its place. Whatever
// is in the way and can't be covered is refused, all of it at once.
func plan(wanted map[lines.Target]want, made map[lines.Target]destination, find func(lines.Target) place) ([]step, error) {
	var steps []step
	for _, target := range files.SortedKeys(made) {
		if _, keep := wanted[target]; keep {
			continue
		}
		switch p := find(target); {
		case p.kept && (p.standing == ourLink || p.standing == nothing):
			steps = append(steps, step{verb: uncover, target: target, from: p.link})
		case p.standing == ourLink:
			steps = append(steps, step{verb: remove, target: target, from: p.link})
		case p.standing != nothing:
			steps = append(steps, step{verb: spare, target: target})
		}
	}
	var refused []error
	for _, target := range files.SortedKeys(wanted) {
		w, p := wanted[target], find(target)
		switch {
		case p.standing == rightLink:
		case p.standing == nothing, p.standing == ourLink:
			steps = append(steps, step{verb: link, target: target, dest: w.dest, from: p.link})
		case p.standing == aFile && !p.isFileFor(w), p.standing == emptyDir && w.dir:
			s := step{verb: cover, target: target, dest: w.dest, dir: w.dir}
			if p.kept || p.linked {
				s.verb = reclaim
			}
			steps = append(steps, s)
		default:
			refused = append(refused, refusal(target, w, p))
		}
	}
	return steps, errors.Join(refused...)
}

func refusal(target lines.Target, w want, p place) error {
	what, instead := p.what, cmp.Or(p.instead, "another target")
	switch {
	case p.standing == emptyDir:
		what = "a directory"
	case p.isFileFor(w):
		instead = "one key of the directory as the source, or a directory as the target"
	}
	if name := path.Base(string(w.dest)); !w.dir && (what == fullDir || what == "a directory") && name != path.Base(string(target)) {
		instead = fmt.Sprintf("the file, such as %q", path.Join(string(target), name))
	}
	return fmt.Errorf("cannot link target %q: %s is there; write %s, or remove it from the image or the pod", target, what, instead)
}

// prunes reports whether a step comes before the live link is moved: pruned
// targets lose their key with it, and what they covered is back before that.
func (s step) prunes() bool { return s.verb >= uncover }
