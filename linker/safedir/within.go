package safedir

import (
	"confit/linker/files"
	"errors"
	"strings"

	"golang.org/x/sys/unix"
)

// ErrOut says that a way leads out of the directory in which it began.
var ErrOut = errors.New("path escapes from parent")

// The bounds of a way: symlinks, as many as for os.Root, and directories below each other, each of
// which takes a descriptor.
const (
	maxLinksWithin = 8
	MaxDepth       = 100
)

// Within goes a way from this directory on, element by element, and calls do with where it ends:
// the directory, the name there, and what that is, which is no symlink. It follows symlinks as
// os.Root does, and none out of this directory: [ErrOut].
func (d *Dir) Within(way string, do func(in *Dir, name string, st files.Stat) error) error {
	passed := []*Dir{d}
	defer func() {
		for _, in := range passed[1:] {
			in.Close()
		}
	}()
	for links := 0; links <= maxLinksWithin; {
		in := passed[len(passed)-1]
		name, rest, goesOn := strings.Cut(way, "/")
		way = rest
		switch {
		case name == ".." && in == d:
			return ErrOut
		case name == "..":
			in.Close()
			passed = passed[:len(passed)-1]
			continue
		case name != "" && name != ".":
		case goesOn:
			continue
		default:
			return do(in, ".", in.St)
		}
		next, st, to, err := in.pass(name, goesOn)
		if err == nil && len(passed) > MaxDepth {
			err = unix.ENAMETOOLONG
		}
		switch {
		case err != nil:
			next.Close()
			return err
		case next != nil:
			passed = append(passed, next)
			continue
		case to == "":
			return do(in, name, st)
		case strings.HasPrefix(to, "/"):
			return ErrOut
		}
		way = to
		if goesOn {
			way += "/" + rest
		}
		links++
	}
	return unix.ELOOP
}

// pass looks at one element of a way: it opens a directory through which the way goes on, or finds
// out where a symlink leads.
func (d *Dir) pass(name string, goesOn bool) (next *Dir, st files.Stat, to string, err error) {
	if goesOn {
		if next, err = d.open(name); err != unix.ENOTDIR {
			return next, st, "", err
		}
	}
	st, err = d.Stat(name)
	if err == nil && st.IsLink() {
		to, err = d.Readlink(name)
	} else if err == nil && goesOn {
		err = unix.ENOTDIR
	}
	return nil, st, to, err
}

// OpenWithin opens the directory to which a way leads.
func (d *Dir) OpenWithin(way string) (sub *Dir, err error) {
	err = d.Within(way, func(in *Dir, name string, _ files.Stat) (err error) {
		sub, err = in.open(name)
		return err
	})
	return sub, err
}
