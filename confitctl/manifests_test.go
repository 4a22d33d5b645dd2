package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"confit/config"
)

// confit has no parser for YAML, so the manifests of its pages are checked here.

// manifestPages are the pages whose YAML somebody applies.
var manifestPages = []string{"../README.md", "fleet.md", "kubernetes.md", "migrate.md", "recipes.md", "status.md", "try-it.md"}

// fields is any object.
type fields = map[string]any

// kinds are those that the pages use, with all their fields.
var kinds = map[string]func() any{
	"ConfigMap":  func() any { return &corev1.ConfigMap{} },
	"Deployment": func() any { return &appsv1.Deployment{} },
	"Job":        func() any { return &batchv1.Job{} },
	"Pod":        func() any { return &corev1.Pod{} },
	"Secret":     func() any { return &corev1.Secret{} },

	"Lease":          func() any { return &coordinationv1.Lease{} },
	"Service":        func() any { return &corev1.Service{} },
	"Role":           func() any { return &rbacv1.Role{} },
	"RoleBinding":    func() any { return &rbacv1.RoleBinding{} },
	"ServiceAccount": func() any { return &corev1.ServiceAccount{} },
}

// TestManifestsOfExamples holds that what somebody applies has only fields that
// Kubernetes knows.
func TestManifestsOfExamples(t *testing.T) {
	files, err := filepath.Glob("../examples/*/kubernetes.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no manifests: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range strings.Split(string(data), "\n---\n") {
			mountsOf(t, file, document)
		}
	}
}

// TestManifestsOfPages holds that the YAML of the pages parses, that objects have
// only fields that Kubernetes knows, and that volumes are mounted where lines of
// the same page look for them.
func TestManifestsOfPages(t *testing.T) {
	for _, name := range manifestPages {
		data, err := os.ReadFile(filepath.Join("..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		page := string(data)
		linked := linkedVolumes(t, page)
		for _, block := range blocks(page, "```yaml\n") {
			for _, document := range strings.Split(block, "\n---\n") {
				for _, dir := range mountsOf(t, name, document) {
					if !linked[dir] {
						t.Errorf("%s mounts %s, and no line links a key of it:\n%s", name, dir, document)
					}
				}
			}
		}
	}
}

// blocks are what the page has between this line and the next ```.
func blocks(page, begin string) (list []string) {
	for _, rest := range strings.Split(page, begin)[1:] {
		text, _, _ := strings.Cut(rest, "```")
		list = append(list, text)
	}
	return list
}

// linkedVolumes are the directories below /confit with keys that lines of the
// page name.
func linkedVolumes(t *testing.T, page string) map[string]bool {
	dirs := map[string]bool{}
	for _, text := range blocks(page, "```\n# links\n") {
		for line := range strings.Lines(text) {
			words := strings.Fields(line)
			if len(words) > 1 && (words[0] == "link" || words[0] == "input" || words[0] == "env") {
				volume, _, _ := strings.Cut(words[1], "/")
				dirs["/confit/"+volume] = true
			}
		}
	}
	return dirs
}

// mountsOf checks a document, and lists what it mounts below /confit.
func mountsOf(t *testing.T, page, document string) (list []string) {
	var object any
	if err := yaml.UnmarshalStrict([]byte(document), &object); err != nil {
		t.Errorf("%s: %v in\n%s", page, err, document)
		return nil
	}
	if top, ok := object.(fields); ok && top["kind"] != nil {
		kind, _ := top["kind"].(string)
		checkKind(t, page, kind, document)
	}
	walk(object, func(at fields) {
		if dir, _ := at["mountPath"].(string); strings.HasPrefix(dir, "/confit/") {
			list = append(list, dir)
		}
	})
	return list
}

// checkKind checks an object's fields, and a links file that it holds.
func checkKind(t *testing.T, page, kind, document string) {
	fresh, known := kinds[kind]
	if !known {
		t.Errorf("%s: %q is not a kind that this test knows", page, kind)
		return
	}
	object := fresh()
	if err := yaml.UnmarshalStrict([]byte(document), object); err != nil {
		t.Errorf("%s: %v in\n%s", page, err, document)
	}
	if m, ok := object.(*corev1.ConfigMap); ok && m.Data["links"] != "" {
		file := filepath.Join(t.TempDir(), "links")
		if err := os.WriteFile(file, []byte(m.Data["links"]), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := config.Parse([]string{"confit", "--links", file, "--check"}, nil); err != nil {
			t.Errorf("%s: %v", page, err)
		}
	}
}

// walk calls visit with each object inside.
func walk(node any, visit func(fields)) {
	switch node := node.(type) {
	case fields:
		visit(node)
		for _, child := range node {
			walk(child, visit)
		}
	case []any:
		for _, child := range node {
			walk(child, visit)
		}
	}
}
