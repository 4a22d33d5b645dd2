package linker

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Drift is what others do to the links of the generation in force: an app
// replaces its own configuration by rename, somebody tidies up, another user
// writes to a state directory that is open to all.

// Mend puts the live link and the targets of the accepted generation right, and
// says so. What it can't mend it says once, and tries again when it is called
// again. It does nothing while a candidate is published, or while the accepted
// generation isn't in force for another reason. It reads each target, so it isn't
// part of each look: a swap needn't wait for it, as publishing reads them anyway.
func (l *Linker) Mend() {
	if l.accepted == nil || l.previous != nil {
		return
	}
	former := l.unmended
	l.unmended = nil
	l.mendLive(former)
	missed, unwanted := l.targets.differences(l.accepted.targets)
	failed := map[Target]error{}
	for _, target := range sortedKeys(unwanted) {
		failed[target] = l.mendTarget(target, nil, map[Target]destination{target: unwanted[target]}, former)
	}
	for _, target := range sortedKeys(missed) {
		failed[target] = l.mendTarget(target, map[Target]want{target: missed[target]}, nil, former)
	}
	l.targets.forgetAll(l.accepted.targets, failed)
}

// mendLive points the live link at the accepted generation again, whatever
// stands there now.
func (l *Linker) mendLive(former map[string]string) {
	if l.state.liveNumber() == l.accepted.Number {
		return
	}
	path := filepath.Join(l.state.path, liveName)
	found := lookAt(path).what
	l.sayMended("live link", "link", path, found, l.state.point(l.accepted.Number), former)
}

// mendTarget makes one target what it is to be, or prunes it.
func (l *Linker) mendTarget(target Target, wanted map[Target]want, made map[Target]destination, former map[string]string) error {
	found := lookAt(string(target)).what
	steps, err := plan(wanted, made, func(Target) place { return l.targets.find(target, wanted[target].dest) })
	if err == nil {
		err = l.targets.noteSteps(steps)
	}
	for _, s := range steps {
		if err == nil {
			err = l.targets.carryOut(s)
		}
	}
	if err != nil || (len(steps) > 0 && steps[0].verb != leave) {
		l.sayMended("target", "target", string(target), found, err, former)
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
func (t *targets) sweep(links []source) {
	dirs := map[string]bool{}
	for target := range t.made {
		dirs[filepath.Dir(string(target))] = true
	}
	for i := range links {
		switch s := &links[i]; {
		case s.single():
			dirs[filepath.Dir(string(s.Target))] = true
		case s.Use == Linked:
			dirs[string(s.Target)] = true
		}
	}
	for dir := range dirs {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if t.leftover(dir, e) {
				_ = os.Remove(filepath.Join(dir, e.Name())) // removes a directory only if it is empty
			}
		}
	}
}

// leftover reports whether a killed confit left this entry beside a target.
func (t *targets) leftover(dir string, e os.DirEntry) bool {
	temporary := strings.HasPrefix(e.Name(), tmpPrefix)
	if e.IsDir() {
		return temporary
	}
	if e.Type() != fs.ModeSymlink {
		return false
	}
	read, err := os.Readlink(filepath.Join(dir, e.Name()))
	if err != nil {
		return false
	}
	to := destination(read)
	if temporary {
		return t.oursAnywhere(to)
	}
	for _, prefix := range []string{keptPrefix, replacedPrefix} {
		if name, found := strings.CutPrefix(e.Name(), prefix); found {
			return t.ours(Target(filepath.Join(dir, name)), to)
		}
	}
	return false
}

// oursAnywhere is ours for a link with an unknown target.
func (t *targets) oursAnywhere(to destination) bool {
	if t.ours("", to) {
		return true
	}
	for _, dest := range t.made {
		if dest == to {
			return true
		}
	}
	return false
}
