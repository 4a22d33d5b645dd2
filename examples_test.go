package main

import (
	"path/filepath"
	"strings"
	"testing"

	"confit/config"
)

// TestKustomizeExample holds that what the component of kustomize makes fits
// confit: it mounts what confit looks at without a flag, and the links file is
// one. make lint holds that rendered.yaml is what kustomize makes.
func TestKustomizeExample(t *testing.T) {
	links, err := filepath.Abs("examples/kustomize/web/links")
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse([]string{"confit", "--links", links, "--check"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rendered := read(t, "examples/kustomize/rendered.yaml")
	for _, want := range []string{
		"- mountPath: " + c.Linker(nil, 0).State + "\n",
		"- mountPath: /etc/confit\n",
		"- --install\n        - /confit-bin/confit\n",
		"command:\n        - /confit-bin/confit\n        - --\n",
		"emptyDir:\n          medium: Memory\n        name: confit-state\n",
	} {
		if !strings.Contains(rendered, want) {
			t.Errorf("rendered.yaml does not hold %q", want)
		}
	}
	for line := range strings.Lines(read(t, links)) {
		if !strings.Contains(rendered, line) {
			t.Errorf("rendered.yaml does not hold the link %q", line)
		}
	}
}

// TestNginxExampleShowsItsStart holds that the page shows the settings that confit logs
// when it starts with the example's links.
func TestNginxExampleShowsItsStart(t *testing.T) {
	c, err := config.Parse([]string{"confit", "--links", "examples/nginx/links", "--", "nginx"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	c.Logger(&log).Info("confit started", "settings", &c)
	settings := strings.Replace(log.String(), "examples/nginx/links", "/etc/confit/links", 1)
	_, settings, _ = strings.Cut(settings, `msg="confit started" `)
	if page := "examples/nginx/README.md"; !strings.Contains(read(t, page), settings) {
		t.Errorf("%s does not show %s", page, settings)
	}
}
