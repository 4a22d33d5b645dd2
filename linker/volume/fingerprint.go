package volume

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/lines"
)

// Fingerprint is what the volumes looked like, cheap to compare; "": nobody knows. It has a line
// for each volume and for each key of a plain one, below a line with the number of volumes.
type Fingerprint string

// Without lists, for people, the first lines that another print doesn't have.
func (p Fingerprint) Without(other Fingerprint) (list []string) {
	known := map[string]bool{"": true}
	for _, line := range strings.Split(string(other), "\n") {
		known[line] = true
	}
	for _, line := range strings.Split(string(p), "\n")[1:] {
		if !known[line] && len(list) < files.MaxProblems {
			list = append(list, line)
		}
	}
	return list
}

// fingerprint is equal for two looks if nothing was swapped in between.
func (r *Reading) fingerprint() Fingerprint {
	var b strings.Builder
	fmt.Fprintln(&b, len(r.volumes)) // without volumes, too, it isn't empty
	for _, v := range r.volumes {
		fmt.Fprintf(&b, "%s %q", v.dir, v.data)
		if v.root != nil {
			v.print = identity(&v.root.St, v.atomic)
		}
		fmt.Fprintln(&b, v.print)
	}
	for _, k := range r.Keys {
		fmt.Fprintf(&b, "%s%s\n", k.Path, identity(&k.st, true))
	}
	for _, err := range r.wrong {
		fmt.Fprintln(&b, err)
	}
	return Fingerprint(b.String())
}

// Swaps is where ..data of each volume led at a look. nil: a volume changes otherwise, too.
type Swaps map[string]string

// Swaps can tell of a look at volumes that are all swapped, and in which nothing is wrong.
func (r *Reading) Swaps() (s Swaps) {
	if r.Writing() != FileByFile && len(r.wrong) == 0 {
		s = Swaps{}
		for _, v := range r.volumes {
			s[v.dir] = v.print
		}
	}
	return s
}

// Hold reports that all volumes are known to be as they were. What is behind ..data never changes, but
// for being removed after a swap.
func (s Swaps) Hold() bool {
	for dir, print := range s {
		var st files.Stat
		err := unix.Stat(filepath.Join(dir, lines.DataLink), &st.Stat_t)
		if err != nil || identity(&st, true) != print {
			return false
		}
	}
	return s != nil
}

// CheckUnmoved returns files.ErrMoved if the volumes no longer look as they did. Swaps that hold need no
// whole look.
func (r *Reading) CheckUnmoved() error {
	if r.Swaps().Hold() {
		return nil
	}
	now, err := r.from.Look()
	if err != nil {
		return err
	}
	defer now.Close()
	if now.Fingerprint != r.Fingerprint {
		return files.ErrMoved
	}
	return nil
}

// Fresh reports whether a key of a plain volume was changed in the tick in which the look began; a
// tick has four milliseconds as a rule. A second change in that tick leaves the times as they are:
// finer ones came with Linux 6.13, Documentation/filesystems/multigrain-ts.rst, and some file
// systems count in seconds.
func (r *Reading) Fresh() bool {
	return slices.ContainsFunc(r.Keys, func(k Key) bool {
		changed := k.st.Ctim
		if changed.Nsec == 0 {
			changed.Sec += 2
		}
		return !k.vol.swapped() &&
			(changed.Sec > r.began.Sec || changed.Sec == r.began.Sec && changed.Nsec >= r.began.Nsec)
	})
}

// Writing is how the volumes of a look change.
func (r *Reading) Writing() Writing {
	switch {
	case slices.ContainsFunc(r.volumes, func(v *volume) bool { return !v.swapped() }):
		return FileByFile
	case len(r.volumes) > 1:
		return SwapBySwap
	}
	return OneSwap
}

// Writing is how a change of the volumes comes: what there may be to wait for once it has begun.
type Writing int

const (
	FileByFile Writing = iota // there is a plain volume, or a mirrored one
	SwapBySwap                // several atomic volumes, each of which is swapped as a whole
	OneSwap                   // one atomic volume: a swap is the whole change
)
