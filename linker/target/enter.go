package target

import (
	"fmt"

	"golang.org/x/sys/unix"

	"confit/linker/safedir"
)

// open opens the directory of targets, and refuses as [*safedir.Blocked] one that somebody
// may have put in the place of another.
func (t *Set) open(path string, makes bool) (*safedir.Dir, error) {
	d, err := safedir.Open(path, false)
	if err == unix.ENOENT && makes {
		if link, to := safedir.Dangling(path); link != "" {
			t.log.Warn("a directory for targets is made where a symlink leads", "symlink", link, "to", to)
		}
		d, err = safedir.Open(path, true)
	}
	if err != nil {
		return nil, err
	}
	if was, worked := t.known[path]; worked && !d.MayReplace(was) {
		d.Close()
		return nil, &safedir.Blocked{What: fmt.Sprintf("another directory, of user %d, in the place of %q, which was user %d's,", d.St.Uid, path, was.Uid)}
	}
	t.known[path] = d.St
	return d, nil
}

// enter opens the directory of targets, unless confit is in it: most targets have it in common
// with the one before. Who works on targets leaves it in the end.
func (t *Set) enter(path string, makes bool) (*safedir.Dir, error) {
	if t.entered != nil && t.at == path {
		return t.entered, nil
	}
	t.leave()
	d, err := t.open(path, makes)
	if err == nil {
		t.entered, t.at = d, path
	}
	return d, err
}

func (t *Set) leave() {
	t.entered.Close()
	t.entered = nil
}
