package linker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// write puts a generation into the state directory, steps 4 to 7 of Stage. A
// failure leaves nothing but a directory N.tmp that couldn't be removed either;
// the next write of N begins by removing it.
func (l *Linker) write(g *generation, r *reading) error {
	if _, err := l.planTargets(g.targets); err != nil {
		return err
	}
	if l.live != nil && g.Hash == l.live.Hash {
		g.Number = l.live.Number
		return nil
	}
	g.Number = l.state.next
	tmp := fmt.Sprintf("%d.tmp", g.Number)
	err := l.writeFiles(tmp, g, r)
	if err == nil {
		err = l.moved(g.print)
	}
	if err == nil {
		err = l.state.generations.Rename(tmp, fmt.Sprint(g.Number))
	}
	if err != nil {
		_ = l.state.generations.RemoveAll(tmp)
		if errors.Is(err, errMoved) {
			return err
		}
		return fmt.Errorf("cannot write generation %d in state directory %q: %w", g.Number, l.state.path, cause(err))
	}
	l.state.next++
	return nil
}

func (l *Linker) writeFiles(tmp string, g *generation, r *reading) error {
	gens := l.state.generations
	if err := gens.RemoveAll(tmp); err != nil {
		return err
	}
	if err := makeDir(gens, tmp); err != nil {
		return err
	}
	root, err := gens.OpenRoot(tmp)
	if err != nil {
		return err
	}
	defer root.Close()
	for i := range l.links {
		if s := &l.links[i]; s.kind == wholeDir && !s.Direct {
			if err := makeDirs(root, s.prefix); err != nil {
				return err
			}
		}
	}
	written := map[string]bool{}
	at := outDir{top: root}
	defer at.close()
	for _, k := range r.keys {
		if f := g.files[k.path]; f.direct || written[k.path] {
			continue
		}
		written[k.path] = true
		if err := l.writeFile(&at, tmp, k, g.files[k.path]); err != nil {
			return err
		}
	}
	return nil
}

// writeFile makes one file of a generation: a hard link when the live one has
// the same, else a copy, whose bytes must be those that were hashed.
func (l *Linker) writeFile(at *outDir, tmp string, k key, f file) error {
	dir, err := at.enter(path.Dir(k.path))
	if err != nil {
		return err
	}
	if l.live != nil {
		if old, ok := l.live.files[k.path]; ok && old.sameFile(f) {
			from := path.Join(fmt.Sprint(l.live.Number), k.path)
			if l.state.generations.Link(from, path.Join(tmp, k.path)) == nil {
				return nil
			}
		}
	}
	// O_NONBLOCK spares five system calls by which os looks for a pipe.
	out, err := dir.OpenFile(path.Base(k.path), os.O_CREATE|os.O_EXCL|os.O_WRONLY|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	sum, _, err := l.copyKey(k, out, f.size)
	if err == nil && sum != f.sum {
		err = errMoved
	}
	return errors.Join(err, dress(out, f), out.Close())
}

// sameFile reports whether two generations can share one file.
func (f file) sameFile(g file) bool {
	return f.sum == g.sum && f.mode == g.mode && f.owner == g.owner && f.group == g.group && !f.direct
}

// dirMode is the mode of every directory that confit makes: an app of another
// user must be able to read below it; the files keep their own modes.
const dirMode = 0o755

// makeDir makes a directory with just that mode, whatever the umask. Root.Chmod
// would do it by fchmodat2(2), which is refused by many a seccomp profile.
func makeDir(root *os.Root, name string) error {
	if err := root.Mkdir(name, dirMode); err != nil {
		return err
	}
	dir, err := root.OpenFile(name, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
	if err != nil {
		return root.Chmod(name, dirMode) // the umask took even our own right to read it
	}
	defer dir.Close()
	return dir.Chmod(dirMode)
}

// makeDirs makes a directory and those above it, as far as they are missing.
func makeDirs(root *os.Root, name string) error {
	if name == "." {
		return nil
	}
	if _, err := root.Lstat(name); err == nil {
		return nil
	}
	if err := makeDirs(root, path.Dir(name)); err != nil {
		return err
	}
	if err := makeDir(root, name); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// outDir is the directory of a generation that is being written to. Keys come
// in order, so it changes seldom, and no path is walked for each of them.
type outDir struct {
	top, dir *os.Root
	name     string
}

// enter makes and opens a directory below top.
func (d *outDir) enter(name string) (*os.Root, error) {
	if d.dir != nil && d.name == name {
		return d.dir, nil
	}
	d.close()
	if err := makeDirs(d.top, name); err != nil {
		return nil, err
	}
	dir, err := d.top.OpenRoot(name)
	if err == nil {
		d.dir, d.name = dir, name
	}
	return dir, err
}

func (d *outDir) close() {
	if d.dir != nil {
		d.dir.Close()
		d.dir = nil
	}
}
