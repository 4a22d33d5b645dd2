package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

// krewPlugin is a manifest of krew, v1alpha2: https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest/
type krewPlugin struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Version          string         `json:"version"`
		Homepage         string         `json:"homepage"`
		ShortDescription string         `json:"shortDescription"`
		Description      string         `json:"description"`
		Caveats          string         `json:"caveats"`
		Platforms        []krewPlatform `json:"platforms"`
	} `json:"spec"`
}

// krewPlatform is where the plugin is for one of them.
type krewPlatform struct {
	Selector *metav1.LabelSelector `json:"selector"`
	URI      string                `json:"uri"`
	SHA256   string                `json:"sha256"`
	Bin      string                `json:"bin"`
	Files    []struct {
		From string `json:"from"`
		To   string `json:"to"`
	} `json:"files"`
}

// TestKrew holds krew's rules for the manifest that internal/release makes, as its own tool can't be fetched: nothing that krew doesn't
// know, lines that fit, and for each platform just one archive. What is in the archives the tests of internal/release hold.
func TestKrew(t *testing.T) {
	text, err := os.ReadFile("../internal/release/testdata/confit.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var p krewPlugin
	if err := yaml.UnmarshalStrict(text, &p); err != nil {
		t.Fatal(err)
	}
	if p.APIVersion != "krew.googlecontainertools.github.com/v1alpha2" || p.Kind != "Plugin" || p.Metadata.Name != "confit" || p.Spec.Version != "v1.2.3" || p.Spec.Homepage == "" {
		t.Errorf("got %+v", p)
	}
	if s := p.Spec.ShortDescription; s == "" || len(s) > 50 || strings.Contains(s, "\n") {
		t.Errorf("the short description is %q", s)
	}
	for line := range strings.Lines(p.Spec.Description + p.Spec.Caveats) {
		if len(line) > 81 {
			t.Errorf("a line is too long: %s", line)
		}
	}
	for _, os := range []string{"darwin", "linux", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			p.platform(t, labels.Set{"os": os, "arch": arch})
		}
	}
	for _, other := range []labels.Set{{"os": "linux", "arch": "386"}, {"os": "freebsd", "arch": "amd64"}} {
		if found := p.matching(t, other); len(found) > 0 {
			t.Errorf("%v has %v", other, found)
		}
	}
}

// platform holds what krew wants to know of one.
func (p *krewPlugin) platform(t *testing.T, set labels.Set) {
	t.Helper()
	found := p.matching(t, set)
	if len(found) != 1 {
		t.Errorf("%v has %d archives", set, len(found))
		return
	}
	on, bin := found[0], "kubectl-confit"
	if set["os"] == "windows" {
		bin += ".exe"
	}
	archive := regexp.MustCompile(`^https://.*-` + set["os"] + "-" + set["arch"] + `\.(tar\.gz|zip)$`)
	if on.Bin != bin || !archive.MatchString(on.URI) || !regexp.MustCompile(`^[a-f0-9]{64}$`).MatchString(on.SHA256) || len(on.Files) == 0 {
		t.Errorf("got %+v", on)
	}
	for _, f := range on.Files {
		if f.From == "" || f.To != "." || strings.Contains(f.From, "..") {
			t.Errorf("got %+v", f)
		}
	}
}

// matching are the platforms whose selector takes these labels.
func (p *krewPlugin) matching(t *testing.T, set labels.Set) (found []krewPlatform) {
	t.Helper()
	for _, on := range p.Spec.Platforms {
		selector, err := metav1.LabelSelectorAsSelector(on.Selector)
		if err != nil {
			t.Fatal(err)
		}
		if selector.Matches(set) {
			found = append(found, on)
		}
	}
	return found
}
