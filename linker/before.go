package linker

import (
	"encoding/json"

	"confit/linker/files"
)

// replaced lists what a confit that knew no note.json kept in its state directory.
var replaced = []string{"accepted.json", "report.json", "trial.json", "packs"}

// replaceBefore takes the state directory over from such a confit. What that accepted isn't
// used, and the gate that it asked last is told that it ended. The list of its targets is as
// it was, so what they cover comes back.
func (l *Linker) replaceBefore(n *Note) error {
	data, _ := l.state.ReadTrusted("report.json")
	var open Record
	if json.Unmarshal(data, &open) == nil && open.Hash != "" && n.Record == nil {
		if open.Outcome == "" {
			open.Outcome = "stopped"
		}
		n.Record = &open
		if err := l.WriteNote(*n); err != nil {
			return err
		}
	}
	said := false
	for _, name := range replaced {
		if _, err := l.state.Root.Lstat(name); err != nil {
			continue
		}
		if files.RemoveAll(l.state.Root, name); !said {
			said = true
			l.log.Warn("state directory of an earlier version: what it accepted isn't used", "replaced", name)
		}
	}
	return nil
}
