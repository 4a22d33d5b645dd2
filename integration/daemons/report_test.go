//go:build check

package daemons

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"confit/integration/internal/harness"
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

const reportPath = "../../docs/bad-edits.md"

// writeReport writes the page anew, from a whole run.
func writeReport() error {
	var rows strings.Builder
	for _, d := range daemons {
		least := costs.least[d.name]
		if len(least) != 3 {
			return fmt.Errorf("cannot write %q: %s wasn't given every edit", reportPath, d.name)
		}
		fmt.Fprintf(&rows, "| %s | %s | %s | %s | %s | %s | `%s` |\n", d.name, harness.SignalName(d.reload), effect(d.keeps),
			least[goodEdit], least[rolledBackEdit], least[validatedEdit], d.validate)
	}
	load, err := os.ReadFile("/proc/loadavg") // of the last 1, 5 and 15 minutes, proc_loadavg(5)
	if err != nil {
		return fmt.Errorf("cannot write %q: %w", reportPath, err)
	}
	page := fmt.Sprintf(report, time.Now().Format(time.DateOnly), runtime.NumCPU(), strings.Fields(string(load))[2], &rows)
	return os.WriteFile(reportPath, []byte(page), 0o644)
}

func effect(keeps bool) string {
	if keeps {
		return "goes on, and logs it"
	}
	return "exits"
}

func (c cost) String() string {
	return fmt.Sprintf("%v · %v", c.outage.Round(time.Millisecond), c.slowest.Round(time.Millisecond))
}

const report = `# What a bad edit costs

A bad edit of a ConfigMap reaches a running container, and the app reloads it. Most daemons exit then. Under another
init the container ends, and the next one finds the same bad file. Under confit the container lives and serves what was
accepted.

The table shows Debian 12's packages under the real confit. A prober asks each daemon every 5 ms on a new connection. Each cell
has two numbers: the time without service, and the slowest answer. The time without service goes from the last answer before a
failed question to the next answer. 0s means that no question failed.

` + "`go test -count=3 -timeout 30m -run 'Good|validated|rolled' ./integration/daemons -update`" + ` makes the figures again, as
root, in some ten minutes. It keeps the least of three rounds and runs one daemon at a time. These are of %s, on %d processors with a load
average of %s.

| daemon | reloaded by | with a bad file, it | a good edit | a bad edit, rolled back | a bad edit, validated | by |
|---|---|---|---|---|---|---|
%s
- *A good edit* is the daemon's own reload. It costs the same under any init.
- *Rolled back* means that there is no ` + "`validate`" + ` and all else is the default. A daemon that exits within ` + "`probation`" + ` is started again on
  what was accepted. If a daemon goes on with what it has, a ` + "`verify`" + ` hook finds out: it compares what is served with what is linked.
- *Validated* means that the candidate is rejected before anybody can see it. This is what to use.

haproxy runs as a master with workers (-W); without a master it doesn't reload at all. apache does the same at HUP as at USR1.
Some daemons read a bad file late, or do something else at HUP: see [reload.md](reload.md).
`
