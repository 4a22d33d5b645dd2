//go:build check

package examples

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"confit/integration/internal/harness"
	"confit/integration/markdown"
	"confit/integration/volume"
)

// runner runs a block of a page, as it stands.
type runner func(t *testing.T, block string)

// pages are those whose blocks are run. A block is known by the heading above it, and its number below that.
var pages = map[string]map[string]runner{
	"recipes.md":         recipes,
	"daemons.md":         daemonLines,
	"gate.md":            gatePage,
	"reference.md":       referencePage,
	"status.md":          statusPage,
	"operations.md":      operationsPage,
	"troubleshooting.md": debuggingPage,
	"kubernetes.md":      kubernetesPage,
	"migrate.md":         migratePage,
	"try-it.md":          tryItPage,
	"own-app.md":         ownAppPage,
	"kubectl.md":         kubectlPage,
	"confitctl.md":       confitctlPage,
	"inject.md":          injectPage,
}

// TestPages holds that each block of these pages does what its page says. One that nobody runs is a mistake, and so is a runner
// without a block.
func TestPages(t *testing.T) {
	for page, runners := range pages {
		blocks := pageBlocks(t, page)
		for name := range runners {
			if _, there := blocks[name]; !there {
				t.Errorf("%s has no block %q", page, name)
			}
		}
		for name, block := range blocks {
			t.Run(page+": "+name, func(t *testing.T) {
				if runners[name] == nil {
					t.Fatalf("nobody runs\n%s", block)
				}
				t.Parallel()
				runners[name](t, block)
			})
		}
	}
}

// pageBlocks are those of a page below docs.
func pageBlocks(t *testing.T, page string) map[string]string {
	t.Helper()
	top, err := harness.Root()
	must(t, err)
	return blocksOf(readFile(t, filepath.Join(top, "docs", page)))
}

// blocksOf are the fenced blocks of a page, by their names.
func blocksOf(page string) map[string]string {
	blocks, lines := map[string]string{}, strings.Split(page, "\n")
	for _, block := range markdown.Blocks(page) {
		heading := lastHeading(lines[:block.Line])
		n := 1
		for blocks[fmt.Sprint(heading, " ", n)] != "" {
			n++
		}
		blocks[fmt.Sprint(heading, " ", n)] = block.Text
	}
	return blocks
}

// lastHeading is of the second level, and "" above the first.
func lastHeading(lines []string) string {
	for _, line := range slices.Backward(lines) {
		if heading, found := strings.CutPrefix(line, "## "); found {
			return heading
		}
	}
	return ""
}

// manifestOf is for YAML. confit's module has no parser for it, and confitctl's has.
func manifestOf(page string) runner { return heldBy("confitctl/manifests_test.go", page) }

// kubectlPage are the blocks of docs/kubectl.md.
var kubectlPage = map[string]runner{
	"inject 1":        pluginRuns,
	"status 1":        pluginRuns,
	"wait 1":          pluginRuns,
	"sync 1":          onTheNode,
	"sync 2":          pluginRuns,
	"check 1":         pluginRuns,
	"apply 1":         pluginRuns,
	"rollout 1":       pluginRuns,
	"In a pipeline 1": onTheNode, "In a pipeline 2": onTheNode, "In a pipeline 3": pluginRuns,
	"Completion 1": heldBy("kubectl-confit/main_test.go", "kubectl_complete-confit"),
	"Rights 1":     onTheNode,
}

// confitctlPage are the blocks of docs/confitctl.md.
var confitctlPage = map[string]runner{
	"Rendering 1": renderedByConfitctl,
	"Asking an app to reload 1": func(t *testing.T, block string) {
		reloadByHTTP("reload")(t, block+"link web/prometheus.yml /etc/prometheus/prometheus.yml\n")
	},
}

// injectPage are the blocks of docs/inject.md, which the real node and a real API server run.
var injectPage = map[string]runner{
	"From nothing to live 1": injected, "From nothing to live 2": injected, "From nothing to live 3": injected,
	"Upgrading confit 1": heldBy("integration/inject/params_test.go", "confit/next: "), "Going back 1": injected,
}

var injected = heldBy("integration/e2e/scene_inject.go", "docs/inject.md")

// onTheNode is for commands that the real node runs, in make e2e.
var onTheNode = heldBy("integration/e2e/scene_verdict.go", "docs/kubectl.md")

// pluginRuns is for what the plugin of kubectl reads and writes: its own module has it run.
var pluginRuns = heldBy("kubectl-confit/cli/page_test.go", "kubectl.md")

// heldBy is for what a test elsewhere reads, which must name the page.
func heldBy(test, page string) runner {
	return func(t *testing.T, _ string) {
		top, err := harness.Root()
		must(t, err)
		if !strings.Contains(readFile(t, filepath.Join(top, test)), page+`"`) {
			t.Errorf("%s doesn't check %s", test, page)
		}
	}
}

// forLife is the line for a pod whose app is a shell script for life: an edit of its first minutes would wait for the work of the script.
const forLife = "entrypoint-timeout 0\n"

// pod is one for the block of a page: a links file.
type pod struct {
	configMaps map[string]volume.Payload
	app        []string
	env        []string
	secrets    []string // volumes in memory, with the state
	base       func(*container)
}

// start starts the app with a short probation, and waits until its first configuration is accepted.
func (p pod) start(t *testing.T, links string) *container {
	t.Helper()
	c := newPod(t, links, p.configMaps, p.app...)
	if len(p.secrets) > 0 {
		c.inMemory(append(slices.Clone(p.secrets), "state"))
	}
	if p.base != nil {
		p.base(c)
	}
	c.mountVolumes()
	c.start(append(p.env, "CONFIT_PROBATION=3s")...)
	c.logs(1, `msg="generation accepted"`)
	return c
}

// takes edits a key, and waits until the answer is of the second edition.
func (c *container) takes(key string, ask func(*container) (string, error)) {
	c.t.Helper()
	c.answers(ask, first)
	c.edit(key, first, second)
	c.answers(ask, second)
	c.logs(2, `msg="generation accepted"`)
}

// refuses makes a bad edit, which is rejected at a step and answered by nobody, and takes it back.
func (c *container) refuses(key, before, after, step string, ask func(*container) (string, error)) {
	c.t.Helper()
	revert := c.edit(key, before, after)
	c.logs(1, `msg="candidate rejected"`, "step="+step)
	c.answers(ask, second)
	revert()
	c.logs(1, `msg="mounted configuration is live again"`)
}
