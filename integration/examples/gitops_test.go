//go:build check

package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// ofTheJob is for the image and the Job that make e2e runs.
var ofTheJob = heldBy("integration/e2e/scene_verdict_job.go", "docs/operations.md")

// kustomize builds a directory with these files.
func kustomize(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	cmd, complaints := exec.Command("go", "run", "sigs.k8s.io/kustomize/kustomize/v5@v5.8.1", "build", dir), new(strings.Builder)
	cmd.Stderr = complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("kustomize: %v\n%s", err, complaints)
	}
	return string(out)
}

// makesTheJobAnew holds that an edit gives the Job another template, and nothing else does.
func makesTheJobAnew(t *testing.T, block string) {
	job := func(edition string) string {
		built := kustomize(t, map[string]string{
			"kustomization.yaml": block, "verdict.yaml": pageBlocks(t, "operations.md")["Wait for the verdict 2"], "web/default.conf": edition,
		})
		_, job, found := strings.Cut(built, "\nkind: Job\n")
		if !found || !strings.Contains(job, "args:") || !regexp.MustCompile(`configMap:\n +name: edition-\w+`).MatchString(job) {
			t.Fatalf("the Job names no edition:\n%s", built)
		}
		return job
	}
	if before := job(first); before == job(second) || before != job(first) {
		t.Errorf("the Job doesn't change with the edit:\n%s", before)
	}
}

// leadsToTheJob is for an object of Flux, which no test runs: it is YAML, and leads to where the page puts the Job.
func leadsToTheJob(t *testing.T, block string) {
	built := kustomize(t, map[string]string{"kustomization.yaml": "resources: [flux.yaml]\n", "flux.yaml": block})
	for _, line := range []string{"apiVersion: kustomize.toolkit.fluxcd.io/v1\n", "kind: Kustomization\n", "  path: ./app\n", "  wait: true\n", "  force: true\n"} {
		if !strings.Contains(built, line) {
			t.Errorf("%q isn't in\n%s", line, built)
		}
	}
}
