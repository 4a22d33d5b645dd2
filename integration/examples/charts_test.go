//go:build check

package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

// buildHelm builds the helm that integration/charts, a module of its own, names.
func buildHelm(t *testing.T) (helm, top string) {
	t.Helper()
	top, err := harness.Root()
	must(t, err)
	helm = filepath.Join(t.TempDir(), "helm")
	build := exec.Command("go", "build", "-o", helm, "tool")
	build.Dir = filepath.Join(top, "integration/charts")
	build.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("cannot build helm: %v\n%s", err, out)
	}
	return helm, top
}

// TestCharts: each chart makes of the files of its directory what the pages say that kubectl makes of them.
func TestCharts(t *testing.T) {
	t.Parallel()
	helm, top := buildHelm(t)
	run := func(args ...string) (string, error) {
		cmd := exec.Command(helm, args...)
		cmd.Dir, cmd.Env = filepath.Join(top, "examples"), append(os.Environ(), "HOME="+t.TempDir())
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	t.Run("inject", func(t *testing.T) { chartOfTheLabel(t, run) })
	t.Run("monitoring", func(t *testing.T) { chartOfMonitoring(t, run) })
}

type helmRun func(args ...string) (string, error)

// template is what helm install would apply.
func (run helmRun) template(t *testing.T, chart string, args ...string) string {
	t.Helper()
	if out, err := run(append([]string{"lint", "--strict", chart}, args...)...); err != nil {
		t.Errorf("helm lint: %v\n%s", err, out)
	}
	out, err := run(append([]string{"template", "some-name", chart, "--kube-version", "1.36.0"}, args...)...)
	if err != nil {
		t.Fatalf("helm template: %v\n%s", err, out)
	}
	return out
}

// chartOfTheLabel has the documents of the kustomization, and those of params.yaml with the image, which must be named.
func chartOfTheLabel(t *testing.T, run helmRun) {
	const image = "example.com/confit@sha256:1111111111111111111111111111111111111111111111111111111111111111"
	if out, err := run("template", "some-name", "inject", "--kube-version", "1.36.0"); err == nil || !strings.Contains(out, "image is missing: write --set image=") {
		t.Errorf("without an image: %v\n%s", err, out)
	}
	if out, err := run("template", "some-name", "inject", "--kube-version", "1.35.0", "--set", "image="+image); err == nil {
		t.Errorf("Kubernetes 1.35 gets a policy that it doesn't know:\n%s", out)
	}
	made := documents(run.template(t, "inject", "--set", "image="+image))
	withImage := regexp.MustCompile(`(?m)^  image: ""( #.*)?$`).ReplaceAllString(readFile(t, "../../examples/inject/params.yaml"), `  image: "`+image+`"`)
	want := documents(withImage)
	for _, name := range regexp.MustCompile(`(?m)^  - (\S+)$`).FindAllStringSubmatch(readFile(t, "../../examples/inject/kustomization.yaml"), -1) {
		want = append(want, documents(readFile(t, filepath.Join("../../examples/inject", name[1])))...)
	}
	slices.Sort(made)
	slices.Sort(want)
	if !slices.Equal(made, want) {
		t.Errorf("the chart makes\n%s\nkustomize has\n%s", strings.Join(made, "\n---\n"), strings.Join(want, "\n---\n"))
	}
	next := run.template(t, "inject", "--set", "image="+image, "--set", "next=example.com/next")
	if strings.Count(next, image) != 1 || strings.Count(next, `"example.com/next"`) != 1 {
		t.Errorf("a namespace that goes first gets another image:\n%s", next)
	}
}

// documents are the objects of a manifest, without comments and blank lines.
func documents(text string) (list []string) {
	for part := range strings.SplitSeq("\n"+text, "\n---\n") {
		var lines []string
		for line := range strings.Lines(part) {
			if bare := strings.TrimSpace(line); bare != "" && bare[0] != '#' && bare != "---" {
				lines = append(lines, strings.TrimRight(line, " \n"))
			}
		}
		if len(lines) > 0 {
			list = append(list, strings.Join(lines, "\n"))
		}
	}
	return list
}

// chartOfMonitoring has rules that pass the tests of those beside it, and the same dashboard.
func chartOfMonitoring(t *testing.T, run helmRun) {
	made := map[string]string{}
	for _, object := range documents(run.template(t, "monitoring", "--set", "labels.release=mine")) {
		kind, _, _ := strings.Cut(strings.SplitN(object, "kind: ", 2)[1], "\n")
		made[kind] = object
	}
	for _, kind := range []string{"PodMonitor", "PrometheusRule"} {
		if !strings.Contains(made[kind], "\n  labels:\n    release: mine") {
			t.Errorf("no Prometheus that looks for the label finds the %s\n%s", kind, made[kind])
		}
	}
	_, spec, _ := strings.Cut(made["PrometheusRule"], "\nspec:\n")
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "rules.yml"), []byte(outdented(spec, 2)), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "rules_test.yml"), []byte(readExample(t, "rules_test.yml")), 0o644))
	for _, args := range [][]string{{"check", "rules", "rules.yml"}, {"test", "rules", "rules_test.yml"}} {
		cmd := exec.Command("promtool", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	_, dashboard, _ := strings.Cut(made["ConfigMap"], "  confit.json: |\n")
	if dashboard, _, _ = strings.Cut(dashboard, "\n  labels:"); outdented(dashboard, 4) != strings.TrimSpace(readExample(t, "dashboard.json"))+"\n" {
		t.Errorf("Grafana gets another dashboard:\n%s", made["ConfigMap"])
	}
}

// outdented takes blanks off the beginning of each line.
func outdented(text string, blanks int) (out string) {
	for line := range strings.Lines(text) {
		out += strings.TrimPrefix(strings.TrimSuffix(line, "\n"), strings.Repeat(" ", blanks)) + "\n"
	}
	return out
}
