package checks

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// calls finds the targets that a script or a workflow has make make.
var calls = regexp.MustCompile(`(?m)^\W*(?:run: )?make ([a-z0-9-]+)`)

// TestWorkflowsCallTargets holds that each step of a workflow which calls make names a target, and that a change is judged by all targets
// of .ci/run. make lint has actionlint read the workflows.
func TestWorkflowsCallTargets(t *testing.T) {
	t.Chdir(root)
	files, err := filepath.Glob(".github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	makefile := read(t, "Makefile")
	for _, file := range files {
		called := targets(read(t, file))
		if len(called) == 0 {
			t.Errorf("%s calls no target of the Makefile", file)
		}
		for _, target := range called {
			if !strings.Contains(makefile, "\n"+target+":") {
				t.Errorf("%s calls make %s, which isn't there", file, target)
			}
		}
	}
	judges := targets(read(t, ".github/workflows/ci.yml"))
	for _, target := range append(targets(read(t, ".ci/run")), "demo", "test") { // those two stand in the README, from where .ci/run takes them
		if !slices.Contains(judges, target) {
			t.Errorf("ci.yml doesn't call make %s", target)
		}
	}
}

// matrix is where a workflow lists the targets of its jobs.
var matrix = regexp.MustCompile(`(?m)^ +target: \[(.*)\]$`)

// targets are those that a text calls, by themselves or by a matrix.
func targets(text string) (list []string) {
	for _, call := range calls.FindAllStringSubmatch(text, -1) {
		list = append(list, call[1])
	}
	for _, m := range matrix.FindAllStringSubmatch(text, -1) {
		for part := range strings.SplitSeq(m[1], ", ") {
			name, _, _ := strings.Cut(part, " ")
			list = append(list, name)
		}
	}
	return list
}

// TestSecurityPolicyIsFound: GitHub looks for these files at these places.
func TestSecurityPolicyIsFound(t *testing.T) {
	t.Chdir(root)
	for _, file := range []string{
		"SECURITY.md", ".github/pull_request_template.md", ".github/ISSUE_TEMPLATE/config.yml", ".github/ISSUE_TEMPLATE/bug.yml",
	} {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}
