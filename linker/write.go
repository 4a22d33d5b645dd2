package linker

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"strconv"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/lines"
	"confit/linker/target"
	"confit/linker/volume"
)

// write puts a generation into the state directory, steps 4 to 7 of Stage. A
// failure leaves nothing behind, but for an N.tmp that could not be removed;
// the next write of N removes it first. The result is the generation, or the
// accepted one if that has the same keys.
func (l *Linker) write(g *generation.Copy, r *volume.Reading, accepted *generation.Copy, spared Hash) (*generation.Copy, error) {
	g.Unrendered = l.renders
	if accepted != nil && g.Inputs == accepted.Inputs && (accepted.Current || !l.renders || spared == g.Inputs) { // 4
		return accepted, l.lead(accepted, g)
	}
	if _, err := l.targets.Plan(g.Targets); err != nil { // 5
		return nil, err
	}
	g.Number = l.state.Next
	name := strconv.Itoa(g.Number)
	tmp := name + ".tmp"
	err := l.writeFiles(tmp, g, r) // 6
	if err == nil {
		err = g.Unmoved() // 7
	}
	if err == nil {
		err = l.state.Generations.Rename(tmp, name)
	}
	if err != nil {
		_ = l.state.Generations.RemoveAll(tmp)
		if errors.Is(err, files.ErrMoved) {
			return nil, err
		}
		return nil, fmt.Errorf("cannot write generation %d in state directory %q: %w", g.Number, l.state.Path, files.Cause(err))
	}
	l.state.Next++
	if err := l.readEnvironment(g); err != nil {
		l.state.RemoveGeneration(g.Number)
		return nil, err
	}
	return g, nil
}

// lead gives a generation that is written already the targets of a look that has
// found the same keys.
func (l *Linker) lead(written, found *generation.Copy) error {
	targets := found.Targets
	if written.Hash != found.Hash { // a look finds no rendered files: their targets stay
		targets = map[Target]target.Want{}
		maps.Copy(targets, written.Targets)
		maps.Copy(targets, found.Targets)
	}
	if _, err := l.targets.Plan(targets); err != nil {
		return err
	}
	written.Targets, written.Unmoved = targets, found.Unmoved
	return nil
}

func (l *Linker) writeFiles(tmp string, g *generation.Copy, r *volume.Reading) error {
	gens := l.state.Generations
	if err := gens.RemoveAll(tmp); err != nil {
		return err
	}
	if err := files.MakeDir(gens, tmp); err != nil {
		return err
	}
	root, err := gens.OpenRoot(tmp)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := l.makeWholeDirs(root, l.reader.Mounted); err != nil {
		return err
	}
	if g.Unrendered {
		err = errors.Join(files.MakeDir(root, lines.RenderedDir), files.Chmod(root, lines.RenderedDir, 0o700))
	}
	return errors.Join(err, l.writeKeys(g, r, root))
}

// makeWholeDirs makes the directories that are linked as a whole, also those
// that will have no key.
func (l *Linker) makeWholeDirs(root *os.Root, links []int) error {
	for _, i := range links {
		if s := &l.links[i]; s.Kind == lines.WholeDir && !s.Direct {
			if err := files.MakeDirs(root, string(s.Prefix)); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeKeys makes a file of each key.
func (l *Linker) writeKeys(g *generation.Copy, r *volume.Reading, root *os.Root) error {
	at := outDir{top: root}
	defer at.close()
	for _, k := range r.FirstKeys() {
		if err := l.writeFile(&at, k, g, r); err != nil {
			return err
		}
	}
	return nil
}

// writeFile makes one file of a generation. The bytes must be those that were hashed. A
// key that is the same in the live generation is copied, too: with a hard link, who
// changes one file would change both.
func (l *Linker) writeFile(at *outDir, k volume.Key, g *generation.Copy, r *volume.Reading) error {
	f := g.Files[k.Path]
	if f.Direct {
		return nil
	}
	dir, err := at.enter(path.Dir(string(k.Path)))
	if err != nil {
		return err
	}
	out, err := files.OpenAt(dir, path.Base(string(k.Path)), unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	sum, err := r.Copy(k, out, f)
	if err == nil && sum != f.Sum {
		err = files.ErrMoved
	}
	if err != nil {
		return err
	}
	return g.Finish(k.Path, out)
}

// outDir is the directory of a generation that is being written to. Keys come
// in order, so it rarely changes, and no path is walked for each key.
type outDir struct {
	top  *os.Root
	dir  *os.File
	name string
}

// enter makes and opens a directory below top.
func (d *outDir) enter(name string) (*os.File, error) {
	if d.dir != nil && d.name == name {
		return d.dir, nil
	}
	d.close()
	if err := files.MakeDirs(d.top, name); err != nil {
		return nil, err
	}
	dir, err := d.top.OpenFile(name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NONBLOCK, 0) // as a Root doesn't show its descriptor
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
