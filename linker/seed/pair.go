// Package seed copies directories of an image to where links can be made: below an
// emptyDir that the app's container then has in their place.
//
// It guarantees that
//   - nothing is written before all that is asked for was looked at;
//   - what is there stays: a name that a directory has is never replaced or changed;
//   - a name appears when all that belongs to it is there, wherever confit is killed, and
//     the next run finishes what that one began;
//   - a copy gives nobody rights that the user who makes it lacks, and what can't be
//     copied is named;
//   - it writes in the directory that was opened, and follows no symlink there.
//
// It does not know what the directories are for.
package seed

import (
	"fmt"
	"path/filepath"
	"strings"

	"confit/linker/files"
	"confit/linker/safedir"
)

// Pair is a directory of the image, and where it is copied to. Both are absolute and clean.
type Pair struct{ From, To string }

// Parse reads DIR=TO. Its error says what to write instead.
func Parse(text string) (Pair, error) {
	from, to, _ := strings.Cut(text, "=")
	if !strings.HasPrefix(from, "/") || !strings.HasPrefix(to, "/") {
		return Pair{}, fmt.Errorf("%q names no two absolute paths: write DIR=TO, such as /etc/nginx=/seed/etc/nginx", text)
	}
	p := Pair{filepath.Clean(from), filepath.Clean(to)}
	return p, p.check()
}

// check refuses paths of which one can't be copied to the other.
func (p Pair) check() error {
	switch {
	case p.From == "/":
		return fmt.Errorf("%q is the whole image: write the directory in which links are to be made, such as /etc/nginx", p.From)
	case files.Inside(p.To, p.From):
		return fmt.Errorf("%q is inside %q: write a directory of another volume", p.To, p.From)
	}
	return nil
}

// open opens the directory that is copied, if it can be listed.
func (p Pair) open() (*safedir.Dir, error) {
	real, err := filepath.EvalSymlinks(p.From)
	if err != nil {
		return nil, files.Cause(err)
	}
	if err := (Pair{real, files.Resolver{}.Dir(p.To)}).check(); err != nil {
		return nil, err
	}
	d, err := safedir.Open(real, false)
	if err == nil {
		if _, err = d.List(); err != nil {
			d.Close()
		}
	}
	return d, files.Cause(err)
}
