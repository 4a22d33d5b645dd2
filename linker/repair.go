package linker

import (
	"errors"
	"fmt"
	"runtime/debug"

	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/statedir"
)

// repairsToRest is after how many calls Repair returns memory. Each look leaves 40 KiB, and the
// collector alone keeps a megabyte.
const repairsToRest = 16

// Offer names the socket where the app says how it is: it is bound again when its name is gone.
func (l *Linker) Offer(s statedir.Socket) { l.state.Socket = s }

// Emptied receives a value when the names that confit works in are to be compared.
func (l *Linker) Emptied() <-chan struct{} { return l.watch.Emptied }

// Has compares the names that confit works in before a hook is given paths there, or a candidate is
// published. The error is [ErrEmptied] if the generation isn't there any more.
func (l *Linker) Has(number int) error {
	err := l.names()
	if err == nil && l.isGone(number) {
		err = fmt.Errorf("cannot use generation %d: %w", number, ErrEmptied)
	}
	return err
}

// CheckShown is Check for a candidate that is published. Where all of it is gone no hook has done
// that: it is staged again.
func (l *Linker) CheckShown(number int) error {
	g, err := l.generation(number)
	if err == nil && errors.Is(l.Has(number), ErrEmptied) {
		_ = l.stageDamaged(g, l.copies.Compare(g, true)) // or the look at it says what is missing
	}
	if err != nil {
		return err
	}
	return l.copies.Check(g)
}

// Repair puts right what others have changed: the names that confit works in, with the small files
// that went with them; the generation, the live link and the targets, unless another generation was
// put in force meanwhile. It removes what killed tries have left. What it puts right it logs, and
// once what it can't, which it returns: [ErrEmptied] of the names, a [*Damaged] where something
// else is mounted. anew reports that something was missing since the last call. While it is watched
// who opens what has changed it opens no file, as that would count. Now and then it returns memory
// to the system, as [Linker.Collect] does.
func (l *Linker) Repair(number int) (anew bool, err error) {
	l.repairs++
	if l.repairs%repairsToRest == 0 {
		debug.FreeOSMemory()
	}
	l.saidBefore, l.unrepaired = l.unrepaired, map[string]error{}
	if err := l.names(); err != nil {
		err = fmt.Errorf("%w: %w", ErrEmptied, err)
		l.said("state directory", "path", l.state.Path, "", err)
		return l.anew, err
	}
	l.state.SweepTries()
	if g := l.generations[number]; g != nil && (l.shown == 0 || l.shown == number) {
		l.repairGeneration(g)
	}
	if l.anew {
		l.rewrite()
	}
	anew, l.anew = l.anew, false
	return anew, files.Joined(l.unrepaired)
}

// said logs what was put right or, once, what could not be.
func (l *Linker) said(what, key, path, found string, err error) {
	if err == nil {
		l.log.Warn(what+" restored", key, path, "found", found)
		return
	}
	l.unrepaired[path] = err
	if before := l.saidBefore[path]; before == nil || before.Error() != err.Error() {
		l.log.Warn(what+" not restored", key, path, "error", err.Error())
	}
}

func (l *Linker) repairGeneration(g *generation.Stored) {
	damage := l.copies.Compare(g, l.opens.Watches())
	if err := l.stageDamaged(g, damage); err != nil {
		l.said("generation", "path", g.Dir, "", err)
	}
	isLive, found := l.state.LiveNumber() == g.Number, l.state.DescribeLive()
	p := l.targets.Switch(g.Number, g.Targets, false)
	if !isLive {
		l.anew = l.anew || p.Moved
		l.said("live link", "link", l.state.Live(""), found, p.Live)
	}
	if p.Moved {
		p.Tell(func(path Target, found string, err error) { l.said("target", "target", string(path), found, err) })
	}
}

// rewrite writes the small files once more, which may have gone with the directory, and watches
// that again.
func (l *Linker) rewrite() {
	l.watch.Again()
	l.targets.WriteMade()
	l.RecordTrial(l.lastTrial)
	if l.lastNote == nil {
		return
	}
	if err := l.WriteNote(*l.lastNote); err != nil {
		l.said("note", "path", l.state.Top.Join(statedir.Note), "", err)
	}
}
