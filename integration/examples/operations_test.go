//go:build check

package examples

import (
	"strings"
	"testing"

	"confit/integration/volume"
)

// operationsPage are the blocks of docs/operations.md.
var operationsPage = map[string]runner{
	"Find the pod and the key 1": whichKeys,
	"Find the pod and the key 2": whatDiffers,
	"Pause edits 1":              holdEverything,
	"Pause edits 2":              isShell,
	"Pause edits 3":              isShell,
	"Apply an edit now 1":        triesAgainAtOnce,
	"Roll back by hand 1":        takesTheText,
	"A reload without an edit 1": reloadsByHand,
	"Wait for the verdict 1":     ofTheJob,
	"Wait for the verdict 2":     ofTheJob,
	"With Flux 1":                makesTheJobAnew,
	"With Flux 2":                leadsToTheJob,
	"Leaving confit 1":           leaves,
	"Leaving confit 2":           leavesWithoutState,
}

// ofWeb is a pod whose volume is web, with a key that its validator refuses in the second edition.
func ofWeb(t *testing.T, links string, env ...string) *container {
	t.Helper()
	return pod{
		configMaps: map[string]volume.Payload{"web": volume.Strings("text", first)},
		app:        []string{"sh", "-c", `trap 'cat /etc/web/text; echo' HUP; trap 'exit 0' TERM; while :; do sleep 0.2; done`},
		env:        env,
	}.start(t, "link web/text /etc/web/text\nreload signal:HUP\n"+forLife+links)
}

const refusesSecond = "validate sh -c '! grep second {candidate}/web/text'\n"

// refused has a pod refuse an edit.
func refused(t *testing.T) *container {
	t.Helper()
	c := ofWeb(t, refusesSecond)
	c.edit("text", first, second)
	c.Eventually("a status that says so", c.rejected)
	return c
}

func whichKeys(t *testing.T, block string) {
	if out, err := refused(t).kubectl(block); exitCode(err) != 3 || !strings.Contains(out, "\nchanged    web/text\n") {
		t.Errorf("the status is %s (%v)", out, err)
	}
}

func whatDiffers(t *testing.T, block string) {
	out, err := refused(t).kubectl(block)
	if exitCode(err) != 1 || !strings.Contains(out, "< "+first) || !strings.Contains(out, "> "+second) {
		t.Errorf("what differs is %q (%v)", out, err)
	}
}

// holdEverything runs all three blocks of the section.
func holdEverything(t *testing.T, links string) {
	page := pageBlocks(t, "operations.md")
	c := ofWeb(t, links)
	if out, err := c.kubectl(page["Pause edits 2"]); err != nil {
		t.Fatalf("%s (%v)", out, err)
	}
	c.edit("text", first, second)
	c.answers(func(c *container) (string, error) {
		out, err := c.kubectl("kubectl exec deploy/web -- confit --status=text")
		word, _, _ := strings.Cut(out, ":")
		return word, err
	}, "WAITING")
	if out, err := c.kubectl(page["Pause edits 3"]); err != nil {
		t.Fatalf("%s (%v)", out, err)
	}
	c.logs(2, `msg="generation accepted"`)
}

// triesAgainAtOnce ends the container, whose next one rejects the edit anew.
func triesAgainAtOnce(t *testing.T, block string) {
	c := refused(t)
	if out, err := c.kubectl(block); err != nil && !strings.Contains(out, "Terminated") { // the end of the container may come first
		t.Fatalf("%s (%v)", out, err)
	}
	c.Ends(0)
	c.start("CONFIT_PROBATION=3s")
	c.logs(1, `msg="app started"`)
	c.logs(1, `msg="candidate rejected"`, "step=validate")
}

func takesTheText(t *testing.T, block string) {
	if out, err := refused(t).kubectl("cd $(mktemp -d)\n" + block + "cat text\n"); err != nil || out != first {
		t.Errorf("the text is %q (%v)", out, err)
	}
}

func reloadsByHand(t *testing.T, block string) {
	c := ofWeb(t, "")
	if out, err := c.kubectl(block); err != nil {
		t.Fatalf("%s (%v)", out, err)
	}
	c.logs(1, first)
}
