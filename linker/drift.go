package linker

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"confit/linker/files"
	"confit/linker/lines"
)

// Drift is what others do to the links of the generation in force: an app
// replaces its own configuration by rename, somebody tidies up, another user
// writes to a state directory that is open to all.

// Mend puts the live link and the targets of the generation that is in force right and,
// with bytes, its files, and says so. What it can't mend it says once, returns, and tries
// again when it is called again. It reads each target, so it isn't part of each look: a
// swap needn't wait for it, as publishing reads them anyway.
func (l *Linker) Mend(number int, bytes bool) error {
	g, err := l.generation(number)
	if err != nil {
		return err
	}
	former := l.unmended
	l.unmended = nil
	l.mendLive(number, former)
	if bytes {
		l.healFiles(g, former)
	}
	missed, unwanted := l.targets.differences(g.targets)
	failed := map[Target]error{}
	for _, target := range files.SortedKeys(unwanted) {
		failed[target] = l.mendTarget(target, nil, map[Target]destination{target: unwanted[target]}, former)
	}
	for _, target := range files.SortedKeys(missed) {
		failed[target] = l.mendTarget(target, map[Target]want{target: missed[target]}, nil, former)
	}
	l.targets.forgetAll(g.targets, failed)
	var wrong []error
	for _, path := range files.SortedKeys(l.unmended) {
		wrong = append(wrong, errors.New(l.unmended[path]))
	}
	return errors.Join(wrong...)
}

// healFiles gives the files of a generation back the bytes that were accepted.
func (l *Linker) healFiles(g *generation, former map[string]string) {
	mounted := mounted{reader: &l.reader}
	defer mounted.close()
	if err := l.copies.heal(g, mounted.copy); err != nil {
		l.sayMended("generation", "path", g.Dir, "", err, former)
	}
}

// mendLive points the live link at a generation again, whatever stands there now.
func (l *Linker) mendLive(number int, former map[string]string) {
	if l.state.LiveNumber() == number {
		return
	}
	found, err := l.state.MendLive(number)
	l.sayMended("live link", "link", l.state.Live(""), found, err, former)
}

// mendTarget makes one target what it is to be, or prunes it.
func (l *Linker) mendTarget(target Target, wanted map[Target]want, made map[Target]destination, former map[string]string) error {
	found := l.targets.find(target, wanted[target].dest)
	steps, err := plan(wanted, made, func(Target) place { return found })
	if err == nil {
		err = l.targets.noteSteps(steps)
	}
	for _, s := range steps {
		if err == nil {
			err = l.targets.carryOut(s)
		}
	}
	if err != nil || (len(steps) > 0 && steps[0].verb != spare) {
		l.sayMended("target", "target", string(target), found.what, err, former)
	}
	return err
}

// sayMended says what was mended. What was not, it says once.
func (l *Linker) sayMended(what, key, path, found string, err error, former map[string]string) {
	if err == nil {
		l.log.Warn(what+" mended", key, path, "found", found)
		return
	}
	if l.unmended == nil {
		l.unmended = map[string]string{}
	}
	l.unmended[path] = err.Error()
	if former[path] != err.Error() {
		l.log.Warn(what+" not mended", key, path, "error", err.Error())
	}
}

// sweep removes what a killed confit left beside targets: links and empty
// directories under a temporary name, and links of ours under the name for what
// is kept. What confit did not make stays, whatever its name.
func (t *targets) sweep(links []lines.Line) {
	dirs := map[string]bool{}
	for target := range t.made {
		dirs[filepath.Dir(string(target))] = true
	}
	for i := range links {
		switch s := &links[i]; {
		case s.Single():
			dirs[filepath.Dir(string(s.Target))] = true
		case s.Use == Linked:
			dirs[string(s.Target)] = true
		}
	}
	for path := range dirs {
		if d, err := t.open(path, false); err == nil {
			t.sweepDir(d, path)
			d.Close()
		}
	}
}

func (t *targets) sweepDir(d *dir, path string) {
	entries, _ := d.List()
	for _, e := range entries {
		if t.leftover(d, path, e) {
			_ = d.Remove(e.Name()) // removes a directory only if it is empty
		}
	}
}

// leftover reports whether a killed confit left this entry beside a target.
func (t *targets) leftover(d *dir, path string, e fs.DirEntry) bool {
	temporary := strings.HasPrefix(e.Name(), files.TmpPrefix)
	if e.IsDir() {
		return temporary
	}
	read, err := d.Readlink(e.Name())
	if err != nil || !files.IsOwnName("/"+e.Name()) {
		return false
	}
	to := destination(read)
	for target, dest := range t.made {
		name := filepath.Base(string(target))
		if dest == to && (temporary || filepath.Dir(string(target)) == path &&
			(e.Name() == files.Beside(name, files.KeptPrefix) || e.Name() == files.Beside(name, files.ReplacedPrefix))) {
			return true
		}
	}
	return t.ours("", to)
}
