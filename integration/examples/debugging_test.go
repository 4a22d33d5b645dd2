//go:build check

package examples

import (
	"strings"
	"testing"
)

// debuggingPage are the blocks of docs/troubleshooting.md.
var debuggingPage = map[string]runner{
	"What confit waits for 1": turnsDebugOn,
	"What confit waits for 2": saidAsOnThePage,
}

// debugged is a pod that has the variable of the page, and refuses an edit.
func debugged(t *testing.T) *container {
	t.Helper()
	block := pageBlocks(t, "troubleshooting.md")["What confit waits for 1"]
	variable, found := strings.CutPrefix(strings.TrimSpace(block), "kubectl set env deploy/web ")
	if !found {
		t.Fatalf("no variable is set by\n%s", block)
	}
	c := ofWeb(t, refusesSecond, variable)
	c.edit("text", first, second)
	c.Eventually("a status that says so", c.rejected)
	return c
}

// turnsDebugOn is for the variable: what confit waited for is said to the end of the change.
func turnsDebugOn(t *testing.T, _ string) {
	c := debugged(t)
	for _, line := range []string{
		"event=hinted was=running", "event=staged was=staging now=\"staging for ", "event=recorded was=staging now=\"validating for ",
		"event=elapsed was=\"running (what is mounted was rejected)\" now=\"staging for ",
	} {
		c.logs(1, `level=DEBUG msg="event taken"`, line)
	}
}

// saidAsOnThePage waits for each line of a block, as far as no time and no volume stand in it.
func saidAsOnThePage(t *testing.T, block string) {
	c := debugged(t)
	for line := range strings.Lines(block) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " for ")
		line, volume, _ := strings.Cut(line, "..2026")
		parts := []string{line}
		if volume != "" {
			parts = append(parts, "/confit/web")
		}
		c.logs(1, parts...)
	}
}
