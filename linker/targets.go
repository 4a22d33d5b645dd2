package linker

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/statedir"
	"confit/linker/way"
)

// targetsName is the list of the targets that confit made.
const targetsName = "targets.json"

// targets knows the links that confit made, and makes those that are wanted.
type targets struct {
	state  *statedir.Dir
	log    *slog.Logger
	made   map[lines.Target]destination // the targets that confit made, with their destinations: targets.json
	linked map[lines.Target]bool        // where our link stands or stood, unless it was pruned: what is there instead is an app's
	known  map[string]unix.Stat_t       // the directories of targets by path, as confit worked in them last
}

// open opens the directory of targets, and refuses as [*way.InTheWay] one that somebody
// may have put in the place of another.
func (t *targets) open(path string, makes bool) (*dir, error) {
	opened, err := way.Open(path, makes)
	if err != nil {
		return nil, err
	}
	d := &dir{opened}
	if was, worked := t.known[path]; worked && !d.MayReplace(was) {
		d.Close()
		return nil, &way.InTheWay{What: fmt.Sprintf("another directory, of user %d, in the place of %q, which was user %d's,", d.St.Uid, path, was.Uid)}
	}
	if t.known == nil {
		t.known = map[string]unix.Stat_t{}
	}
	t.known[path] = d.St
	return d, nil
}

// plan plans for the file system as it is.
func (t *targets) plan(wanted map[lines.Target]want) ([]step, error) {
	wanted, made := t.differences(wanted)
	return plan(wanted, made, func(target lines.Target) place {
		return t.find(target, wanted[target].dest)
	})
}

// differences picks the targets that are not as wanted, and those that confit
// made but nobody wants any more. If all is right, it costs one readlink(2) for
// each.
func (t *targets) differences(wanted map[lines.Target]want) (missed map[lines.Target]want, unwanted map[lines.Target]destination) {
	missed, unwanted = map[lines.Target]want{}, map[lines.Target]destination{}
	for target, w := range wanted {
		if leadsTo(string(target), w.dest) {
			t.noteLinked(target)
		} else {
			missed[target] = w
		}
	}
	for target, dest := range t.made {
		if _, keep := wanted[target]; !keep {
			unwanted[target] = dest
		}
	}
	return missed, unwanted
}

// leadsTo reports whether a path is a symlink to dest, however it is reached: so
// an app finds it. It allocates nothing.
func leadsTo(path string, dest destination) bool {
	var buf [unix.PathMax]byte
	n, err := unix.Readlink(path, buf[:])
	return err == nil && string(buf[:n]) == string(dest)
}

// noteLinked notes that our link stands at a target.
func (t *targets) noteLinked(target lines.Target) {
	if t.linked == nil {
		t.linked = map[lines.Target]bool{}
	}
	t.linked[target] = true
}

// find looks at what stands at a target. dest is its wanted destination, "" if
// it is to go.
func (t *targets) find(target lines.Target, dest destination) place {
	d, err := t.open(filepath.Dir(string(target)), false)
	if err != nil {
		return unreachable(err)
	}
	defer d.Close()
	name := filepath.Base(string(target))
	p := d.lookAt(name)
	if read, err := d.Readlink(name); err == nil {
		switch to := destination(read); {
		case to == dest && dest != "":
			return place{standing: rightLink}
		case t.ours(target, to):
			p.standing, p.link = ourLink, to
		}
	}
	p.kept, p.linked = t.keeps(d, target), t.linked[target]
	return p
}

// ours reports whether confit made a symlink at target: it leads into the live
// generation, or is on the list.
func (t *targets) ours(target lines.Target, to destination) bool {
	return files.Inside(string(to), t.state.Live("")) || (to != "" && t.made[target] == to)
}

// keeps reports whether something is kept beside a target. A link of ours under
// that name is a leftover.
func (t *targets) keeps(d *dir, target lines.Target) bool {
	kept := files.Beside(filepath.Base(string(target)), files.KeptPrefix)
	if to, err := d.Readlink(kept); err == nil {
		return !t.ours(target, destination(to))
	}
	return !d.missing(kept)
}

// prepareAll prepares all steps. It returns those that can be done, and the errors
// of the others.
func (t *targets) prepareAll(steps []step) (ready []step, failed map[lines.Target]error) {
	failed = map[lines.Target]error{}
	for _, s := range steps {
		if err := t.prepare(&s); err != nil {
			failed[s.target] = err
		} else {
			ready = append(ready, s)
		}
	}
	return ready, failed
}

// doAll carries out all steps of a kind, and adds the errors to those that failed.
func (t *targets) doAll(steps []step, prunes bool, failed map[lines.Target]error) {
	for _, s := range steps {
		if s.prunes() != prunes {
			continue
		}
		if err := t.carryOut(s); err != nil {
			failed[s.target] = err
		}
	}
}

// carryOut does one step, and notes whether our link stands there now. If a
// target that is to be pruned is no longer confit's link, it is left alone, with
// a warning.
func (t *targets) carryOut(s step) error {
	err := t.do(s)
	var by *way.InTheWay
	if s.prunes() && errors.As(err, &by) {
		t.log.Warn("target left alone", "target", string(s.target), "found", by.What)
		err = nil
	}
	switch {
	case err != nil:
	case s.prunes():
		delete(t.linked, s.target)
	default:
		t.noteLinked(s.target)
	}
	return err
}

// noteSteps puts the targets that will be made on the list.
func (t *targets) noteSteps(steps []step) error {
	if len(steps) == 0 {
		return nil // the list stays: no copy of it is needed
	}
	made := maps.Clone(t.made)
	for _, s := range steps {
		if !s.prunes() {
			made[s.target] = s.dest
		}
	}
	return t.setMade(made)
}

// forgetAll takes what is no longer wanted off the list, except for targets
// that could not be pruned. A failure does no harm: the list may name too many,
// and the next look tries again.
func (t *targets) forgetAll(wanted map[lines.Target]want, failed map[lines.Target]error) {
	var gone []lines.Target
	for target := range t.made {
		if _, keep := wanted[target]; !keep && failed[target] == nil {
			gone = append(gone, target)
		}
	}
	if len(gone) == 0 {
		return
	}
	made := maps.Clone(t.made)
	for _, target := range gone {
		delete(made, target)
	}
	_ = t.setMade(made)
}

// readMade loads the list of the targets that a former confit made. Without a
// whole list nothing is pruned. A list that can't be trusted is replaced: links
// into the live generation are known without it.
func (t *targets) readMade() {
	data, err := t.state.ReadTrusted(targetsName)
	if err == nil && data != nil {
		err = json.Unmarshal(data, &t.made)
	}
	if err != nil || t.made == nil {
		t.made = map[lines.Target]destination{}
	}
	if err != nil {
		t.log.Warn("list of targets not trusted: a new one is written", "error", err)
		_ = t.state.WriteJSON(targetsName, t.made) // the next write will say why
	}
}

func (t *targets) setMade(made map[lines.Target]destination) error {
	if maps.Equal(made, t.made) {
		return nil
	}
	if err := t.state.WriteJSON(targetsName, made); err != nil {
		return err
	}
	t.made = made
	return nil
}
