package linker

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/lines"
	"confit/linker/target"
	"confit/linker/volume"
)

// maxAttempts is how often a stage starts over when the volumes change under it: for a good part of
// a second, where a kubelet's whole update takes some milliseconds.
const maxAttempts = 100

// ErrUnchanged says that nothing was swapped since the last look.
var ErrUnchanged = errors.New("nothing has changed")

// Candidate is a staged generation that is not accepted yet.
type Candidate struct {
	Generation
	Changes     []Change    // against the accepted generation
	Writing     Writing     // how the volumes change that it comes from
	Unrendered  bool        // the renderer has to run, and then [Linker.Complete]
	Unrun       bool        // it is the accepted generation, as its keys are [Known.Except]
	Fingerprint Fingerprint // of the volumes
	Fresh       bool        // a key may have changed once more without another print
}

// Known is what the caller of a look knows. The zero value knows nothing.
type Known struct {
	Fingerprint Fingerprint // of the last look that came to an end
	Accepted    int         // the generation that is accepted; 0: none
	Except      Hash        // keys on which the renderer doesn't run, if the accepted generation has its files
	Unwritten   bool        // nobody is about to try the candidate: nothing is written, and it has no number
}

// Stage looks at every volume and, if one has changed, writes a candidate, or takes the accepted
// generation as that if it has the same keys. The error is [ErrUnchanged] if no volume has. It is
// an [*Invalid] if no candidate can be made of the mounted configuration. The candidate then has
// what was seen, and the changes as far as the keys can be read. Any other error is the system's,
// and another call may go better. The live generation stays in any case.
func (l *Linker) Stage(k Known) (c Candidate, err error) {
	if l.otherwise != nil {
		return l.otherwise()
	}
	defer l.warnOfMounts()
	if err := l.names(); err != nil {
		return c, err
	}
	c, err = l.stageFrom(l.reader, &k, func(r *volume.Reading) error {
		dirs, swaps := r.Dirs(), r.Swaps()
		added, holds := l.watch.Sync(dirs), false // nothing can change any more without a hint
		if k.Unwritten {                          // the caller may not wait for what is found
			holds = swaps.Hold()
		} else {
			holds = l.watch.See(swaps.Hold)
		}
		if !holds && (added || swaps != nil) {
			return files.ErrMoved
		}
		l.volumes = r.Status(l.watch, dirs)
		if r.Fingerprint == k.Fingerprint {
			return ErrUnchanged
		}
		return nil
	})
	l.logLook(k.Fingerprint, &c, err)
	return c, err
}

// stageFrom makes a candidate of what a reader finds, once the volumes stand still. looked may end
// a look before its keys are read.
func (l *Linker) stageFrom(rd *volume.Reader, k *Known, looked func(*volume.Reading) error) (c Candidate, err error) {
	attempt := func() error {
		r, err := rd.Look()
		if err != nil {
			return err
		}
		defer r.Close()
		if err := looked(r); err != nil {
			return err
		}
		return l.take(r, k, &c)
	}
	for range maxAttempts {
		if err := attempt(); !errors.Is(err, files.ErrMoved) {
			return c, err
		}
	}
	return c, errors.New("cannot stage a candidate: the volumes change faster than they can be read")
}

// HasFallback reports whether [Linker.StageFallback] has anything to stage. What can't be looked at
// counts: the stage tells why.
func (l *Linker) HasFallback() bool {
	_, err := l.fallback()
	return !errors.Is(err, ErrNoFallback)
}

// StageFallback is [Linker.Stage] with the keys of each volume that the fallback has from there.
// Watches and [Linker.Volumes] stay those of the mounted configuration. The error is
// [ErrNoFallback] if no volume is there.
func (l *Linker) StageFallback(k Known) (Candidate, error) {
	rd, err := l.fallback()
	if err != nil {
		return Candidate{}, err
	}
	return l.stageFrom(rd, &k, func(*volume.Reading) error { return nil })
}

func (l *Linker) fallback() (*volume.Reader, error) {
	return l.reader.InFallback(l.config.Volumes, l.config.Fallback)
}

// warnOfMounts comes after the first look: a mount that doesn't answer (NFS) holds up nothing but
// looks.
func (l *Linker) warnOfMounts() {
	if l.mounts == nil {
		return
	}
	var plain []string
	for _, v := range l.volumes {
		if v.Kind == "plain" {
			plain = append(plain, v.Path)
		}
	}
	l.mounts.Warn(l.log, plain)
	l.mounts = nil
}

// logLook has a debug log say what a look found, and what it compared: what the look before didn't
// see so, or else all.
func (l *Linker) logLook(before Fingerprint, c *Candidate, err error) {
	if !l.log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	var found any = c.Hash
	if err != nil {
		found = err
	}
	seen := c.Fingerprint
	if errors.Is(err, ErrUnchanged) {
		seen, before = before, ""
	}
	l.log.Debug("volumes looked at", "found", found, "compared", seen.Without(before))
}

// take makes a candidate of what a look has found.
func (l *Linker) take(r *volume.Reading, k *Known, c *Candidate) error {
	accepted := l.generations[k.Accepted]
	read, err := l.read(r)
	g := read
	if err == nil && !k.Unwritten {
		g, err = l.write(read, r, accepted, k.Except)
	}
	// A swap deletes the old directory while it is read. So an error, or the finding that nothing
	// needs to be written, counts only if nothing has changed.
	if err != nil || g == accepted || k.Unwritten {
		if moved := r.CheckUnmoved(); moved != nil {
			return moved
		}
	}
	switch {
	case err == nil && k.Unwritten:
		c.Generation, c.Changes = g.Generation, generation.Changes(accepted, g)
	case err == nil:
		l.describe(c, g, accepted)
		c.Fresh, c.Writing, c.Fallback = r.Fresh(), r.Writing(), r.OfFallback()
		c.Unrun = l.config.Render && g == accepted && k.Except == g.Inputs
	case !IsInvalid(err):
		return err
	default:
		if read == nil {
			read = l.readable(r, accepted)
		}
		c.Changes = generation.Changes(accepted, read)
	}
	c.Fingerprint = r.Fingerprint
	return err
}

// readable is what can be read of volumes that give no generation.
func (l *Linker) readable(r *volume.Reading, accepted *generation.Stored) *generation.Stored {
	g := &generation.Stored{Files: r.ReadSome(), Unrendered: true}
	for path, f := range g.Files {
		if accepted != nil {
			f.Mode = accepted.Files[path].Mode // nobody looked at that
			g.Files[path] = f
		}
	}
	return g
}

// read checks and hashes the keys.
func (l *Linker) read(r *volume.Reading) (*generation.Stored, error) {
	files, err := r.Read()
	if err != nil {
		return nil, err
	}
	targets, err := l.linkable(r.Keys)
	if err != nil {
		return nil, err
	}
	g := &generation.Stored{Files: files, Targets: targets, Unmoved: r.CheckUnmoved}
	g.Hash = generation.HashOf(files)
	g.Shared, g.Local = l.share(files)
	g.Inputs = g.Hash
	if l.config.Render {
		l.unlinked = r.Keys
	}
	return g, nil
}

// share returns the hash that every replica gets for the same edit, without modes and what isn't
// staged, and lists the local keys.
func (l *Linker) share(read map[Key]generation.File) (shared Hash, local string) {
	h := sha256.New()
	var keys []string
	for _, path := range files.SortedKeys(read) {
		switch f := read[path]; {
		case f.Direct || lines.IsRendered(path):
		case slices.ContainsFunc(f.Links, func(i int) bool { return !l.links[i].Local }):
			fmt.Fprintf(h, "%q %x\n", path, f.Sum[:])
		default:
			keys = append(keys, string(path))
		}
	}
	return Hash(h.Sum(nil)), strings.Join(keys, "\n")
}

// linkable lists the targets of a generation, which all can be linked.
func (l *Linker) linkable(keys []volume.Key) (map[Target]target.Want, error) {
	targets, err := l.wanted(keys)
	if err == nil {
		err = l.targets.Plan(targets).Err()
	}
	return targets, err
}

// wanted lists the targets of a generation, with their destinations.
func (l *Linker) wanted(keys []volume.Key) (map[Target]target.Want, error) {
	targets := map[Target]target.Want{}
	taken := lines.NewTaken()
	for _, s := range l.links {
		if s.Kind == lines.WholeDir {
			dest := l.state.Live(string(s.Prefix))
			if s.Direct {
				dest = volume.DirInPlace(s)
			}
			if taken.Add(s.Target, s, "") {
				targets[s.Target] = target.Want{Dest: target.Dest(dest), Dir: true}
			}
		}
	}
	for _, k := range keys {
		if k.Target != "" && taken.Add(k.Target, k.Line, k.Path) {
			targets[k.Target] = target.Want{Dest: l.destOf(k)}
		}
	}
	return targets, taken.Err()
}

// destOf is what a key's target points at.
func (l *Linker) destOf(k volume.Key) target.Dest {
	if !k.Line.Direct {
		return target.Dest(l.state.Live(string(k.Path)))
	}
	return target.Dest(k.InPlace())
}

// describe describes a staged generation to the caller.
func (l *Linker) describe(c *Candidate, g, accepted *generation.Stored) {
	l.generations[g.Number] = g
	g.Know(l.state.GenerationDir(g.Number))
	c.Generation, c.Changes, c.Unrendered = g.Generation, generation.Changes(accepted, g), g.Unrendered
}

// Check looks at a candidate after a hook has run, see [generation.Store.Check].
func (l *Linker) Check(number int) error {
	g, err := l.generation(number)
	if err != nil {
		return err
	}
	return l.copies.Check(g)
}
