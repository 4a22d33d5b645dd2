package linker

import (
	"slices"

	"confit/linker/files"
	"confit/linker/generation"
)

// tellAlone says once which copies of the first generation in force their group can't read any
// more: a sidecar of another user may.
func (l *Linker) tellAlone(g *generation.Stored) {
	if l.toldAlone || g == nil {
		return
	}
	l.toldAlone = true
	keys := slices.DeleteFunc(files.SortedKeys(g.Files), func(p Key) bool { return !g.Files[p].KeepsGroupOut() })
	if len(keys) > 0 {
		l.log.Info("copies are for confit's user alone", "user", files.Euid,
			"keys", keys[:min(len(keys), files.MaxProblems)], "count", len(keys),
			"todo", "if another user of their group reads them, add mode=0440 to their lines")
	}
}
