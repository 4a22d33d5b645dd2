package target

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/safedir"
	"confit/linker/statedir"
)

const targetsName = "targets.json"

// Set knows the links that confit made, and makes those that are wanted.
type Set struct {
	state *statedir.Dir
	log   *slog.Logger
	made  map[lines.Target]Dest // the targets that confit made, with their destinations: targets.json
	// where our link stands or stood, unless it was pruned: what is there instead is an app's
	linked map[lines.Target]bool
	known  map[string]files.Stat // the directories of targets by path, as confit worked in them last
	unread bool                  // the list can't be read now, so none is written

	entered *safedir.Dir // the directory in which confit works on targets, one after the other; nil: none
	at      string       // its path; "": none
	shut    error        // why it isn't open
}

// New makes one that knows of no link yet. log hears what is left alone.
func New(state *statedir.Dir, log *slog.Logger) *Set {
	return &Set{state: state, log: log, linked: map[lines.Target]bool{}, known: map[string]files.Stat{}}
}

// Plan plans how to come to what is wanted from what is there. If all is right, it costs one
// readlink(2) for each target.
func (t *Set) Plan(wanted map[lines.Target]Want) *Plan {
	defer t.leave()
	var unlike []lines.Target
	for target, w := range wanted {
		if leadsTo(string(target), w.Dest) {
			t.linked[target] = true
		} else {
			unlike = append(unlike, target)
		}
	}
	for target := range t.made {
		if _, keep := wanted[target]; !keep {
			unlike = append(unlike, target)
		}
	}
	slices.Sort(unlike)
	p := &Plan{failed: map[lines.Target]error{}}
	for _, target := range unlike {
		w := wanted[target]
		s, err := plan(target, w, t.find(target, w.Dest))
		switch {
		case err != nil:
			p.failed[target], p.refused = err, append(p.refused, s)
		case w.Dest == "":
			p.prunes = append(p.prunes, s)
		case s.verb != none:
			p.Links = append(p.Links, s)
		}
	}
	return p
}

// leadsTo reports whether a path is a symlink to dest, however it is reached: so an app finds it.
// It allocates nothing.
func leadsTo(path string, dest Dest) bool {
	var buf [unix.PathMax]byte
	n, err := unix.Readlink(path, buf[:])
	return err == nil && string(buf[:n]) == string(dest)
}

// find looks at what stands at a target. dest is its wanted destination, "" if it is to go.
func (t *Set) find(target lines.Target, dest Dest) place {
	d, err := t.enter(target.Dir(), false)
	if err != nil {
		return unreachable(err)
	}
	name := target.Base()
	p := lookAt(d, name)
	if read, err := d.Readlink(name); err == nil {
		switch to := Dest(read); {
		case to == dest:
			return place{standing: rightLink}
		case t.ours(target, to):
			p.standing, p.link = ourLink, to
		}
	}
	p.kept, p.linked = t.keeps(d, target), t.linked[target]
	return p
}

// ours reports whether confit made a symlink at target: it leads into the live generation, or is on
// the list.
func (t *Set) ours(target lines.Target, to Dest) bool {
	return files.Inside(string(to), t.state.Live("")) || t.made[target] == to
}

// keeps reports whether something is kept beside a target. A link of ours under that name is a
// leftover.
func (t *Set) keeps(d *safedir.Dir, target lines.Target) bool {
	kept := files.Sibling(target.Base(), files.KeptPrefix)
	if to, err := d.Readlink(kept); err == nil {
		return !t.ours(target, Dest(to))
	}
	return !d.Missing(kept)
}

// carryOut does one step, and notes whether our link stands there now. If a target that is to be
// pruned is no longer confit's link, it is left alone, with a warning.
func (t *Set) carryOut(s *Step) error {
	err := t.work(s, act.act)
	if by, ok := errors.AsType[*safedir.Blocked](err); ok && s.Dest == "" {
		t.log.Warn("target left alone", "target", string(s.Target), "found", by.What)
		err = nil
	}
	switch {
	case err != nil:
	case s.Dest == "":
		delete(t.linked, s.Target)
	default:
		t.linked[s.Target] = true
	}
	return err
}

// note puts the targets that will be made on the list of those that confit made. None is made that
// isn't on it.
func (t *Set) note(p *Plan) {
	if err := t.list(p, p.Links); err != nil {
		p.each(func(s *Step) error {
			if t.made[s.Target] == s.Dest {
				return nil
			}
			return err
		}, p.Links)
	}
}

// list puts the targets of steps that haven't failed on the list, or takes those that are to go off
// it.
func (t *Set) list(p *Plan, steps []Step) error {
	if len(steps) == 0 {
		return nil // no copy of it is needed
	}
	made := maps.Clone(t.made)
	p.each(func(s *Step) error {
		if made[s.Target] = s.Dest; s.Dest == "" {
			delete(made, s.Target)
		}
		return nil
	}, steps)
	if maps.Equal(made, t.made) {
		return nil
	}
	err := error(nil)
	if !t.unread {
		err = t.state.WriteJSON(targetsName, made)
	}
	if err == nil {
		t.made = made
	}
	return err
}

// ReadMade loads the list of the targets that a former confit made. Without a whole list nothing is
// pruned: links into the live generation are known without it.
func (t *Set) ReadMade() error {
	data, err := t.state.ReadTrusted(targetsName)
	t.made, t.unread = nil, files.MayPass(err)
	if err == nil && data != nil {
		err = json.Unmarshal(data, &t.made)
	}
	if err != nil || t.made == nil {
		t.made = map[lines.Target]Dest{}
	}
	return err
}

// WriteMade writes the list once more, where it is gone, or can't be trusted.
func (t *Set) WriteMade() {
	if !t.unread {
		_ = t.state.WriteJSON(targetsName, t.made) // the next write will say why
	}
}

// Made is the list of the targets that confit made, with their destinations. It stays the Set's.
func (t *Set) Made() map[lines.Target]Dest { return t.made }

// Foretell says what a link would do to what stands at a target, to be added to a text.
func (t *Set) Foretell(target lines.Target, w Want) string {
	defer t.leave()
	p := t.find(target, w.Dest)
	if _, err := plan(target, w, p); err != nil {
		p.standing = immovable
	}
	return p.standing.foretold()
}

// Hides names the file that a link would hide, with its article; "" if there is none.
func (t *Set) Hides(target lines.Target, dest Dest) string {
	defer t.leave()
	if p := t.find(target, dest); p.standing == aFile {
		return p.what
	}
	return ""
}

// MakeDir makes a directory for targets, and those above it that are missing.
func (t *Set) MakeDir(path string) error { return safedir.Made(t.open(path, true)) }

// open opens a directory of targets. One that somebody may have put in the place of another is
// [*safedir.Blocked].
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
		return nil, &safedir.Blocked{What: fmt.Sprintf(
			"another directory, of user %d, in the place of %q, which was user %d's,", d.St.Uid, path, was.Uid)}
	}
	t.known[path] = d.St
	return d, nil
}

// enter opens a directory of targets, once for all targets there, also if it can't be opened. Who
// works on targets leaves it.
func (t *Set) enter(path string, makes bool) (*safedir.Dir, error) {
	if t.at != path || t.entered == nil && makes {
		t.leave()
		t.at = path
		t.entered, t.shut = t.open(path, makes)
	}
	return t.entered, t.shut
}

func (t *Set) leave() {
	t.entered.Close()
	t.entered, t.at = nil, ""
}
