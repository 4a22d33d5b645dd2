// Package seed copies directories of an image to where links can be made: below an emptyDir that
// the app's container then has in their place.
//
// It guarantees that
//   - nothing is written before all that is asked for was looked at;
//   - what is there stays: a name that a directory has is never replaced or changed;
//   - a name appears when all that belongs to it is there, wherever confit is killed, and the next
//     run finishes;
//   - a copy gives nobody rights that the user who makes it lacks, and what can't be copied is
//     named;
//   - it writes in the directory that was opened, and follows no symlink there.
//
// It does not know what the directories are for.
package seed

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/safedir"
)

// Pair is a directory of the image, and where it is copied to. Both are absolute and clean.
type Pair struct{ From, To string }

// Parse reads DIR=TO. Its error says what to write instead.
func Parse(text string) (Pair, error) {
	from, to, _ := strings.Cut(text, "=")
	if !strings.HasPrefix(from, "/") || !strings.HasPrefix(to, "/") {
		return Pair{}, fmt.Errorf("%q names no two absolute paths: write DIR=TO, such as /etc/nginx=/seed/etc/nginx",
			text)
	}
	p := Pair{filepath.Clean(from), filepath.Clean(to)}
	return p, p.check()
}

// check refuses paths of which one can't be copied to the other.
func (p Pair) check() error {
	switch {
	case p.From == "/":
		return fmt.Errorf(
			"%q is the whole image: write the directory in which links are to be made, such as /etc/nginx", p.From)
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
	return d, err
}

// most is how many bytes are copied at most: an emptyDir in memory is charged to the pod.
const most = 64 << 20

// work is one look at all that is asked for, or the copy.
type work struct {
	w     io.Writer // nil: it only looks and counts
	files int       // what is no directory
	bytes int64     // of regular files
}

// Run copies each directory of the pairs. It says on w what it leaves out, and in its last line how
// much it copied. It looks at all pairs first: the errors of that are joined, and nothing was
// written.
func Run(w io.Writer, pairs []Pair) error {
	for _, c := range []*work{{}, {w: w}} {
		var wrong []error
		for _, p := range pairs {
			if err := c.seed(p); err != nil {
				wrong = append(wrong, fmt.Errorf("cannot seed %q from %q: %w", p.To, p.From, err))
			}
		}
		switch {
		case wrong != nil:
			return errors.Join(wrong...)
		case c.bytes > most:
			return fmt.Errorf("cannot seed %d MiB: %d MiB are the most; write directories that hold less",
				(c.bytes+1<<20-1)>>20, most>>20)
		case c.w != nil:
			fmt.Fprintf(w, "seeded %d files, %d bytes\n", c.files, c.bytes)
		}
	}
	return nil
}

func (c *work) seed(p Pair) error {
	if c.w != nil {
		defer lock(p.To).Close()
	}
	to, err := safedir.Open(p.To, false)
	missing := err == unix.ENOENT
	if err != nil && !missing {
		return err
	}
	defer to.Close() // nil: it is missing
	from, err := p.open()
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return c.nothing(p, err, missing)
	case err != nil:
		return err
	}
	defer from.Close()
	if c.w == nil {
		return c.tree(from, nil)
	}
	if missing { // it is made with all that is in it
		if to, err = safedir.Open(filepath.Dir(p.To), true); err != nil {
			return err
		}
		defer to.Close()
	}
	return to.Unshut(func() error {
		_, _ = to.Sweep(safedir.IsTemporary)
		if missing {
			return c.place(to, filepath.Base(p.To), func(tmp string) error { return c.dir(from, to, tmp) })
		}
		return each(from, func(name string) error {
			return c.place(to, name, func(tmp string) error { return c.copy(from, name, to, tmp) })
		})
	})
}

// nothing makes an empty directory, as the kubelet would, which makes the directory of a mount: but
// that is root's.
func (c *work) nothing(p Pair, why error, missing bool) error {
	if c.w == nil {
		return nil
	}
	_ = c.say("nothing to copy", p.From, why.Error())
	err := safedir.MakeParents(p.To)
	if err == nil && missing && files.Euid != 0 {
		err = os.Chmod(p.To, 0o555)
	}
	return err
}

// place has something made under a temporary name, and gives it its own. What has that already
// stays.
func (c *work) place(to *safedir.Dir, name string, makes func(tmp string) error) error {
	if !to.Missing(name) {
		return nil
	}
	tmp := files.TmpName()
	err := makes(tmp)
	if err == nil {
		err = files.Ignoring(to.Move(tmp, name), unix.ENOENT, unix.EEXIST) // it was left out; somebody was faster
	}
	_ = to.RemoveAll(tmp)
	return err
}

// lock keeps other seeds out of a volume until the file is closed, or confit is killed: init
// containers may run side by side, and one would sweep what the other is about to name. It locks
// the topmost directory of the volume, which all of them see, as the path itself may be missing.
// Where that can't be locked, nothing is.
func lock(path string) *os.File {
	topmost, seen := "", files.Stat{}
	for dir := (files.Resolver{}).Dir(path); ; dir = filepath.Dir(dir) {
		var st files.Stat
		if unix.Stat(dir, &st.Stat_t) == nil {
			if topmost != "" && st.Dev != seen.Dev {
				break
			}
			topmost, seen = dir, st
		}
		if dir == "/" {
			break
		}
	}
	volume, _ := os.Open(topmost)
	for volume != nil && unix.Flock(int(volume.Fd()), unix.LOCK_EX) == unix.EINTR {
	}
	return volume
}
