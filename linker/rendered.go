package linker

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/lines"
	"confit/linker/safedir"
	"confit/linker/volume"
)

// RenderDir is the directory that the renderer of an unrendered candidate fills.
func (c Candidate) RenderDir() string { return c.Dir + "/" + lines.RenderedDir }

// Complete takes up what the renderer has made of the staged keys of a [Candidate] that says
// Unrendered, and leaves out what only a look can tell. The error is an [*Invalid] if the renderer
// did something wrong, or else the system's.
func (l *Linker) Complete(number, accepted int) (c Candidate, err error) {
	g := l.generations[number]
	if g == nil || !g.Unrendered {
		return c, fmt.Errorf("cannot complete generation %d: it doesn't wait for the renderer", number)
	}
	done := g
	if err = l.names(); err == nil {
		done, err = l.complete(g, l.generations[accepted])
	}
	switch {
	case err == nil:
		l.describe(&c, done, l.generations[accepted])
	case !IsInvalid(err):
		err = fmt.Errorf("cannot complete generation %d in state directory %q: %w", number, l.state.Path, err)
	}
	return c, err
}

func (l *Linker) complete(g, accepted *generation.Stored) (*generation.Stored, error) {
	if err := l.Check(g.Number); err != nil {
		return nil, err
	}
	top, err := l.copies.Enter(g)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	aside := files.TmpName()
	defer func() { _ = top.RemoveAll(aside) }()
	err = top.Rename(lines.RenderedDir, aside, 0) // what the renderer left running may still hold files open there
	if err == unix.ENOENT {
		return nil, files.Invalidf("the renderer removed its directory: let it write below {rendered}")
	}
	var made *safedir.Dir
	if err == nil {
		made, err = top.Enter(aside, false)
	}
	var r *volume.Reading
	if err == nil {
		r, err = l.reader.LookAtRendered(made)
	}
	if errors.Is(err, fs.ErrPermission) { // of a directory that a user other than root may not read or move
		err = files.Invalidf("cannot take up what the renderer made: %w", err)
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	err = l.writeRendered(g, r, top)
	if err == nil {
		g, err = l.finish(g, r, accepted)
	}
	if errors.Is(err, files.ErrMoved) {
		err = files.Invalidf("files of the renderer change after it has ended: let it wait for all that it starts")
	}
	return g, err
}

// writeRendered adds copies of the files that lines ask for. None is more readable than the strictest
// staged key, whose bytes may be in each, unless a line has a mode.
func (l *Linker) writeRendered(g *generation.Stored, r *volume.Reading, top *safedir.Dir) error {
	made, err := r.Hash()
	if err != nil {
		return err
	}
	for path, f := range made {
		f.Mode &^= g.Unreadable(f.Group)
		if err := l.reader.LimitMode(&f); err != nil {
			return err
		}
		made[path] = f
	}
	maps.Copy(g.Files, made)
	return l.writeKeys(g, r, top, l.reader.Rendered)
}

// finish works out what follows from all files of a generation. The result is that, or the accepted
// one if it has the same files.
func (l *Linker) finish(
	g *generation.Stored, r *volume.Reading, accepted *generation.Stored,
) (*generation.Stored, error) {
	targets, err := l.linkable(append(l.unlinked, r.Keys...))
	if err != nil {
		return nil, err
	}
	g.Targets = targets
	g.Unrendered, g.Current, l.unlinked = false, true, nil
	g.Hash = generation.HashOf(g.Files)
	if accepted != nil && g.Hash == accepted.Hash {
		l.state.RemoveGeneration(g.Number)
		delete(l.generations, g.Number)
		accepted.Current = true
		lead(accepted, g)
		return accepted, nil
	}
	return g, l.readEnvironment(g)
}

// WarnOfModes says, once for each line, which rendered files the app's user can't open. Only the
// running app shows who that is: its program may have changed its user. A line with a mode says
// that its author knows.
func (l *Linker) WarnOfModes(user uint32, groups []uint32) {
	g := l.generations[l.state.LiveNumber()]
	if g == nil || user == 0 {
		return
	}
	for _, key := range files.SortedKeys(g.Files) {
		f := g.Files[key]
		if !lines.IsRendered(key) || f.OpensFor(user, groups) {
			continue
		}
		for _, i := range f.Links {
			s := l.links[i]
			if s.Use != Linked || s.Mode != 0 || slices.Contains(l.tooPrivate, i) {
				continue
			}
			l.tooPrivate = append(l.tooPrivate, i)
			todo := fmt.Sprintf(
				"add mode=0644 to the line link %s %s%s: everybody in the container may read the file then",
				s.Source, s.Target, s.At())
			l.log.Warn("app's user can't open a rendered file", "file", string(key), "user", user,
				"mode", fmt.Sprintf("%04o", f.Mode), "todo", todo)
		}
	}
}
