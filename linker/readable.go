package linker

import (
	"fmt"
	"slices"

	"confit/linker/files"
	"confit/linker/lines"
)

// WarnOfModes says, once for each line, which rendered files the app's user can't
// open. Only the running app shows who that is: its program may have changed its
// user. A line with a mode says that its author knows.
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
			s := &l.links[i]
			if s.Use != Linked || s.Mode != 0 || slices.Contains(l.tooPrivate, i) {
				continue
			}
			l.tooPrivate = append(l.tooPrivate, i)
			l.log.Warn("app's user can't open a rendered file", "file", string(key), "user", user, "mode", fmt.Sprintf("%04o", f.Mode),
				"todo", fmt.Sprintf("add mode=0644 to the line link %s %s%s: everybody in the container may read the file then", s.Source, s.Target, s.At()))
		}
	}
}
