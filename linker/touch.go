package linker

// Touch puts a new link in the place of each target of a changed key, by
// rename(2). So an app that watches the directory of its configuration sees
// there that it has changed, CREATE and MOVED_TO of inotify(7): behind a link
// that stays nothing happens in it. Each target is whole at all times, whatever
// the error and wherever confit is killed.
//
// Before the first new link it begins to watch who opens a changed key. watched
// is the answer of [Linker.WatchOpens].
func (l *Linker) Touch(number int, changes []Change) (watched bool, err error) {
	watched = l.WatchOpens(number, changes)
	g := l.generations[number]
	if g == nil {
		return false, nil
	}
	for _, c := range changes {
		for _, i := range c.Links {
			target := l.links[i].TargetOf(c.Key)
			if w, wanted := g.Targets[target]; wanted && !c.ModeOnly {
				if err := l.targets.Touch(target, w.Dest); err != nil {
					return watched, err
				}
			}
		}
	}
	return watched, nil
}
