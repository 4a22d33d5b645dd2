package volume

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// The names that are part of the volume's format.
const (
	dataLink  = "..data"                 // points at the directory that counts
	nextLink  = "..data_tmp"             // becomes dataLink
	dirFormat = "..2006_01_02_15_04_05." // UTC; os.MkdirTemp appends a random number
)

// Write makes p the content of the volume dir, which must exist. Keys that p does not name are removed; an empty p is an
// empty volume. A change of modes alone is not noticed. When a step fails, Write returns at once and leaves this:
//
//  1. Check the keys' names. Left: nothing was touched.
//  2. Read which directory ..data names (none in a fresh volume). Left: nothing was touched.
//  3. Read that directory: which of its paths does p not have, do the bytes of any key differ? If nothing is to be removed
//     and all bytes are equal, go on with step 8. Left: nothing was touched.
//  4. Make a new directory, named after the time, 0755 whatever the umask. Left: perhaps that directory, forever.
//  5. Write every key into it, with the key's mode whatever the umask. Left: the half-written directory, forever.
//  6. Make the link ..data_tmp to it. Left: the volume as it was; the new directory is removed again. A ..data_tmp of a
//     crashed writer makes every later Write fail here, until somebody removes it.
//  7. Rename ..data_tmp to ..data: the swap. Left: the volume as it was; link and new directory are removed again.
//  8. Make the visible link of every first path element that has none. Left: the new content is in force, but a new key
//     may only be reached through ..data, until any later Write makes its link, even one of the same bytes
//     (kubernetes#121472); dangling links of removed keys and the old directory stay, forever.
//  9. Remove the visible links that nothing stands behind any more; one that can't be removed does not stop the others.
//     Left: the new content is in force; a link that dangles and the old directory stay, forever.
//  10. Remove the old directory. Left: the new content is in force; some of the old directory stays, forever.
//
// What stays "forever" is beside what ..data names, so that nobody reads it.
func Write(dir string, p Payload) error {
	if err := write(dir, p); err != nil {
		return fmt.Errorf("cannot write the volume %q: %w", dir, err)
	}
	return nil
}

func write(dir string, p Payload) error {
	p, err := clean(p) // 1
	if err != nil {
		return err
	}
	old, err := current(dir) // 2
	if err != nil {
		return err
	}
	d, err := compare(p, old) // 3
	if err != nil {
		return err
	}
	if d.any() {
		if err := swap(dir, p); err != nil { // 4 to 7
			return err
		}
	}
	if err := show(dir, p); err != nil { // 8
		return err
	}
	if err := hide(dir, d.gone); err != nil { // 9
		return err
	}
	if old == "" || !d.any() {
		return nil
	}
	return os.RemoveAll(old) // 10
}

// current returns the path of the directory that ..data names, "" in a fresh volume. Step 2.
func current(dir string) (string, error) {
	name, err := os.Readlink(filepath.Join(dir, dataLink))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return filepath.Join(dir, name), err
}

// swap writes p into a new directory and makes ..data name that. Steps 4 to 7.
func swap(dir string, p Payload) error {
	fresh, err := makeDir(dir) // 4
	if err != nil {
		return err
	}
	if err := fill(fresh, p); err != nil { // 5
		return err
	}
	next := filepath.Join(dir, nextLink)
	if err := os.Symlink(filepath.Base(fresh), next); err != nil { // 6
		_ = os.RemoveAll(fresh) // the link's error is the one to report
		return err
	}
	if err := os.Rename(next, filepath.Join(dir, dataLink)); err != nil { // 7
		_ = os.Remove(next) // as above
		_ = os.RemoveAll(fresh)
		return err
	}
	return nil
}

// makeDir makes the directory of a new payload. Step 4.
func makeDir(dir string) (string, error) {
	fresh, err := os.MkdirTemp(dir, time.Now().UTC().Format(dirFormat))
	if err != nil {
		return "", err
	}
	return fresh, os.Chmod(fresh, 0o755)
}

// fill writes every key of p below fresh. Step 5. Directories get what the umask leaves of 0777, as the kubelet's do.
func fill(fresh string, p Payload) error {
	for _, key := range p.keys() {
		path, mode := filepath.Join(fresh, key), p[key].mode()
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, p[key].Data, mode); err != nil {
			return err
		}
		if err := os.Chmod(path, mode); err != nil {
			return err
		}
	}
	return nil
}
