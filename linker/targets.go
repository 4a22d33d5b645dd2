package linker

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
)

// planTargets is plan on the file system as it is.
func (l *Linker) planTargets(wanted map[string]want) ([]step, error) {
	wanted, made := l.astray(wanted)
	return plan(wanted, made, func(target string) place {
		return l.find(target, wanted[target].dest)
	})
}

// astray picks the targets that are not as wanted, and those that confit made
// and that are no longer wanted. That all is right takes one readlink(2) each.
func (l *Linker) astray(wanted map[string]want) (missed map[string]want, unwanted map[string]string) {
	missed, unwanted = map[string]want{}, map[string]string{}
	for target, w := range wanted {
		if !leadsTo(target, w.dest) {
			missed[target] = w
		}
	}
	for target, dest := range l.made {
		if _, keep := wanted[target]; !keep {
			unwanted[target] = dest
		}
	}
	return missed, unwanted
}

// find looks at what stands at a target that is to point at dest, "" if it is
// to go.
func (l *Linker) find(target, dest string) place {
	p := lookAt(target)
	if to, err := os.Readlink(target); err == nil {
		switch {
		case to == dest && dest != "":
			return place{standing: rightLink}
		case l.ours(target, to):
			p.standing, p.link = ourLink, to
		}
	}
	p.kept = l.keeps(target)
	_, p.linked = l.linked[target]
	return p
}

// ours reports whether a symlink at target is one that confit made: it leads
// into the live generation, or the list says so.
func (l *Linker) ours(target, to string) bool {
	return inside(to, filepath.Join(l.state.path, liveName)) || (to != "" && l.made[target] == to)
}

// keeps reports whether something is kept beside a target. A link of ours under
// that name is a leftover.
func (l *Linker) keeps(target string) bool {
	kept := keptFor(target)
	if to, err := os.Readlink(kept); err == nil {
		return !l.ours(target, to)
	}
	_, err := os.Lstat(kept)
	return err == nil
}

func (l *Linker) doSteps(steps []step, prunes bool) error {
	for _, s := range steps {
		if s.prunes() != prunes {
			continue
		}
		if err := l.carryOut(s); err != nil {
			return err
		}
	}
	return nil
}

// carryOut does one step. What stands at a target that is to be pruned, and no
// longer is confit's link, is left alone: that is said.
func (l *Linker) carryOut(s step) error {
	err := s.do()
	var by *unplanned
	if s.prunes() && errors.As(err, &by) {
		l.log.Warn("target left alone", "target", s.target, "found", by.what)
		return nil
	}
	return err
}

// noteSteps adds the targets that will be made to the list.
func (l *Linker) noteSteps(steps []step) error {
	if len(steps) == 0 {
		return nil // the same targets: nothing is copied
	}
	made := maps.Clone(l.made)
	for _, s := range steps {
		if !s.prunes() {
			made[s.target] = s.dest
		}
	}
	return l.setMade(made)
}

// forgetAll takes what is no longer wanted off the list, but for what could not
// be pruned. It may stay there: a list that names too many does no harm, and the
// next look tries again.
func (l *Linker) forgetAll(wanted map[string]want, failed map[string]error) {
	var gone []string
	for target := range l.made {
		if _, keep := wanted[target]; !keep && failed[target] == nil {
			gone = append(gone, target)
		}
	}
	if len(gone) == 0 {
		return
	}
	made := maps.Clone(l.made)
	for _, target := range gone {
		delete(made, target)
	}
	_ = l.setMade(made)
}

func (l *Linker) setMade(made map[string]string) error {
	if maps.Equal(made, l.made) {
		return nil
	}
	if err := l.state.writeTargets(made); err != nil {
		return err
	}
	l.made = made
	return nil
}

// readTargets reads the list of targets that confit made. Without one that is
// whole nothing is pruned.
func (s *state) readTargets() (map[string]string, error) {
	made := map[string]string{}
	data, err := s.readTrusted(targetsName)
	if err == nil && data != nil {
		err = json.Unmarshal(data, &made)
	}
	if err != nil || made == nil {
		return map[string]string{}, err
	}
	return made, nil
}

// writeTargets replaces the list of targets that confit made.
func (s *state) writeTargets(made map[string]string) error {
	return s.writeJSON(targetsName, made)
}
