package linker

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"strconv"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/lines"
	"confit/linker/safedir"
	"confit/linker/target"
	"confit/linker/volume"
)

// write puts a generation into the state directory, first as N.tmp. A failure leaves nothing
// behind, but for one that could not be removed, which the next write of N does. The result is the
// generation, or the accepted one if that has the same keys.
func (l *Linker) write(
	g *generation.Stored, r *volume.Reading, accepted *generation.Stored, except Hash,
) (*generation.Stored, error) {
	g.Unrendered = l.config.Render
	isSame := accepted != nil && g.Inputs == accepted.Inputs
	if isSame && (accepted.Current || !l.config.Render || except == g.Inputs) {
		lead(accepted, g)
		return accepted, nil
	}
	g.Number = l.state.Next
	name := strconv.Itoa(g.Number)
	tmp := name + ".tmp"
	err := l.writeFiles(tmp, g, r)
	if err == nil {
		err = g.Unmoved()
	}
	if err == nil {
		err = l.state.Generations.Rename(tmp, name, 0)
	}
	if err != nil {
		_ = l.state.Generations.RemoveAll(tmp)
		if errors.Is(err, files.ErrMoved) {
			return nil, err
		}
		return nil, fmt.Errorf("cannot write generation %d in state directory %q: %w", g.Number, l.state.Path, err)
	}
	l.state.Next++
	if err := l.readEnvironment(g); err != nil {
		l.state.RemoveGeneration(g.Number)
		return nil, err
	}
	return g, nil
}

// lead gives a generation that is written already the targets of a look that has found the same
// keys.
func lead(written, found *generation.Stored) {
	targets := found.Targets
	if written.Hash != found.Hash { // a look finds no rendered files: their targets stay
		targets = map[Target]target.Want{}
		maps.Copy(targets, written.Targets)
		maps.Copy(targets, found.Targets)
	}
	written.Targets, written.Unmoved = targets, found.Unmoved
}

func (l *Linker) writeFiles(tmp string, g *generation.Stored, r *volume.Reading) error {
	if err := l.state.Generations.RemoveAll(tmp); err != nil {
		return err
	}
	top, err := l.state.Generations.Make(tmp, files.DirMode)
	if err != nil {
		return err
	}
	defer top.Close()
	if g.Unrendered {
		err = safedir.Made(top.Make(lines.RenderedDir, 0o700))
	}
	if err == nil {
		err = l.writeKeys(g, r, top, l.reader.Mounted)
	}
	return err
}

// writeKeys makes a file of each key of some links, and the directories that these link as a whole,
// also those without a key. The keys come in order, so their directory rarely changes.
func (l *Linker) writeKeys(g *generation.Stored, r *volume.Reading, top *safedir.Dir, links []*lines.Line) error {
	for _, s := range links {
		if s.Kind == lines.WholeDir && !s.Direct {
			if err := safedir.Made(top.Enter(string(s.Prefix), true)); err != nil {
				return err
			}
		}
	}
	var in *safedir.Dir
	defer func() { in.Close() }()
	at := ""
	for _, k := range r.FirstKeys() {
		if g.Files[k.Path].Direct {
			continue
		}
		if dir := path.Dir(string(k.Path)); dir != at {
			in.Close()
			var err error
			if in, err = top.Enter(dir, true); err != nil {
				return err
			}
			at = dir
		}
		err := in.Create(path.Base(string(k.Path)), func(out files.Raw) error { return fill(g, r, k, out) })
		if err == unix.EEXIST { // each key is written once
			err = fmt.Errorf("key %q: %w: another key's name differs in case only, and this file system tells no case",
				k.Path, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fill fills one file of a generation. What is the same in the live generation is copied, too: with
// a hard link, who changes one file would change both.
func fill(g *generation.Stored, r *volume.Reading, k *volume.Key, out files.Raw) error {
	err := r.Copy(k, out, g.Files[k.Path])
	if err != nil {
		return err
	}
	return g.Finish(k.Path, out)
}

// stageDamaged stages a generation again that is damaged, if what is mounted has its hash. The name
// stays, and the app isn't asked to read.
func (l *Linker) stageDamaged(g *generation.Stored, damage error) (err error) {
	d, is := errors.AsType[*Damaged](damage)
	if !is || g.Inputs != g.Hash { // what was rendered nobody makes again
		return damage
	}
	for range maxAttempts {
		err = l.stageAgain(g, damage)
		if !errors.Is(err, files.ErrMoved) {
			break
		}
	}
	l.anew = l.anew || d.Missing
	return err
}

func (l *Linker) stageAgain(g *generation.Stored, damage error) error {
	r, err := l.reader.Look()
	if err != nil {
		return errors.Join(damage, err)
	}
	defer r.Close()
	read, err := r.Read()
	switch {
	case files.MayPass(err):
		return err
	case err != nil || generation.HashOf(read) != g.Hash:
		return damage
	}
	again := &generation.Stored{Generation: g.Generation, Files: read}
	written := files.TmpName()
	if err = l.writeFiles(written, again, r); err == nil {
		err = r.CheckUnmoved()
	}
	if err == nil {
		err = l.copies.Replace(g, again, written)
	}
	if err != nil {
		_ = l.state.Generations.RemoveAll(written)
		return fmt.Errorf("cannot stage generation %d again: %w", g.Number, err)
	}
	l.log.Warn("generation staged again: somebody had changed or removed keys of it", "generation", g.Number,
		"error", damage.Error())
	return nil
}
