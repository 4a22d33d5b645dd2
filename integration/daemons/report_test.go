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

// costs are the least that each edit cost each daemon, of as many rounds as -count says: whatever else the machine does only
// adds to them.
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
		fmt.Fprintf(&rows, "| %s | %s | %s | %s | %s | %s | `%s` |\n", d.name, signalName(d.reload), effect(d.keeps),
			least[goodEdit], least[rolledBackEdit], least[validatedEdit], d.validate)
	}
	return os.WriteFile(reportPath, []byte(fmt.Sprintf(report, &rows)), 0o644)
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
init that is the end of the container, and the next one finds the same bad file. Under confit the container lives, and what
was accepted is served again.

Here are Debian 12's packages under the real confit, each asked every 5 ms on a new connection. The two numbers are the time
without service (from the last answer before a failed question to the next answer; 0s means that no question failed) and the
slowest answer. Written by ` + "`go test -count=3 -run 'Good|validated|rolled' ./integration/daemons -update`" + `: the least of
three rounds on two cores, one daemon at a time.

| daemon | reloaded by | with a bad file, it | a good edit | a bad edit, rolled back | a bad edit, validated | by |
|---|---|---|---|---|---|---|
%s
- *A good edit* is the daemon's own reload: what it costs there is the daemon's, under whatever init.
- *Rolled back*: no ` + "`validate`" + `, all else as by default. A daemon that exits within ` + "`probation`" + ` is started again on what was
  accepted. One that goes on with what it has is found out by a ` + "`verify`" + ` hook that compares what is served with what is linked.
- *Validated*: the candidate is rejected before anything of it can be seen. This is what to use.

haproxy is its master and workers (-W); without a master it doesn't reload at all. What apache does on USR1 it does on HUP, too.
[What isn't seen at once, and to whom HUP means something else](reload.md).
`
