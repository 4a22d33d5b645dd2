//go:build check

package daemons

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// edit is what was done to a daemon.
type edit int

const (
	goodEdit edit = iota
	validatedEdit
	rolledBackEdit
)

// cost is what clients noticed of an edit: the time without service, and the slowest answer.
type cost struct{ outage, slowest time.Duration }

// costs are the least that each edit cost each daemon in -count rounds: other work of the machine only adds to them.
var costs = struct {
	mu    sync.Mutex
	least map[string]map[edit]cost
}{least: map[string]map[edit]cost{}}

func record(t *testing.T, d daemon, e edit, list answers) {
	t.Helper()
	t.Log(list)
	costs.mu.Lock()
	defer costs.mu.Unlock()
	if costs.least[d.name] == nil {
		costs.least[d.name] = map[edit]cost{}
	}
	now := cost{list.outage(), list.slowest()}
	if before, ok := costs.least[d.name][e]; ok {
		now = cost{min(now.outage, before.outage), min(now.slowest, before.slowest)}
	}
	costs.least[d.name][e] = now
}

// reportHeading is above the list of docs/daemons.md that -update writes.
const (
	reportPath    = "../../" + page
	reportHeading = "## What clients notice"
)

// writeReport writes the list anew, from a whole run.
func writeReport() error {
	items := ""
	for _, d := range daemons {
		least := costs.least[d.name]
		if len(least) != 3 {
			return fmt.Errorf("cannot write %q: %s wasn't given every edit", reportPath, d.name)
		}
		items += fmt.Sprintf("- %s: %s; %s; %s\n", d.name, least[goodEdit], least[rolledBackEdit], least[validatedEdit])
	}
	text, err := os.ReadFile(reportPath)
	if err != nil {
		return err
	}
	before, section, _ := strings.Cut(string(text), reportHeading)
	prose, rest, _ := strings.Cut(section, "\n- ")
	_, after, found := strings.Cut(rest, "\n\n")
	if !found {
		return fmt.Errorf("cannot write %q: it has no list below %q", reportPath, reportHeading)
	}
	return os.WriteFile(reportPath, []byte(before+reportHeading+prose+"\n"+items+"\n"+after), 0o644)
}

func (c cost) String() string {
	return fmt.Sprintf("%v, %v", c.outage.Round(time.Millisecond), c.slowest.Round(time.Millisecond))
}
