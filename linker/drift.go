package linker

import (
	"runtime/debug"

	"confit/linker/files"
	"confit/linker/volume"
)

// mendsToRest is after how many calls Mend returns memory. Each look leaves 40 KiB behind. The
// collector alone waits for a megabyte, and keeps as much.
const mendsToRest = 16

// Mend puts the live link, the targets and the bytes of the generation that is in force right, and removes what killed tries
// have left. What it mends it logs, and once what it can't, which it returns. While it is watched who opens what has changed
// it looks at no file, as that would count. Now and then it returns memory to the system, as [Linker.Collect] does.
func (l *Linker) Mend(number int) error {
	if l.mends++; l.mends%mendsToRest == 0 {
		debug.FreeOSMemory()
	}
	l.state.SweepTries()
	g, err := l.generation(number)
	if err != nil {
		return err
	}
	former := l.unmended
	l.unmended = map[string]error{}
	said := func(what, key, path, found string, err error) {
		if err == nil {
			l.log.Warn(what+" mended", key, path, "found", found)
			return
		}
		l.unmended[path] = err
		if before := former[path]; before == nil || before.Error() != err.Error() {
			l.log.Warn(what+" not mended", key, path, "error", err.Error())
		}
	}
	if l.state.LiveNumber() != number { // whatever stands there now
		found, err := l.state.MendLive(number)
		said("live link", "link", l.state.Live(""), found, err)
	}
	if !l.opens.Watches() {
		mounted := volume.Mounted{Reader: l.reader}
		defer mounted.Close()
		if err := l.copies.Heal(g, mounted.Copy); err != nil {
			said("generation", "path", g.Dir, "", err)
		}
	}
	l.targets.Mend(g.Targets, func(target Target, found string, err error) { said("target", "target", string(target), found, err) })
	return files.Joined(l.unmended)
}
