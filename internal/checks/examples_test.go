package checks

import (
	"cmp"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"confit/config"
)

// TestKustomizeExample holds that what the component of kustomize makes fits
// confit: it mounts what confit looks at without a flag, and the links file is
// one. make lint holds that rendered.yaml is what kustomize makes.
func TestKustomizeExample(t *testing.T) {
	t.Chdir(root)
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
	t.Chdir(root)
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

// mountText is the mount of a volume: in a line, as people write it, or as kustomize prints it.
var mountText = regexp.MustCompile(`\{name: ([\w-]+), mountPath: ([^,} ]+)([^}\n]*)\}|- mountPath: (\S+)\n +name: (\S+)((?:\n +readOnly: true)?)`)

// mount is that of a volume in a container.
type mount struct {
	volume, path string
	writable     bool
}

func mountsIn(manifest string) (list []mount) {
	for _, m := range mountText.FindAllStringSubmatch(manifest, -1) {
		list = append(list, mount{cmp.Or(m[1], m[5]), cmp.Or(m[2], m[4]), !strings.Contains(m[3]+m[6], "readOnly: true")})
	}
	return list
}

// TestStateIsWrittenByOne holds that examples and pages mount the state directory in confit's container alone, or read-only: in an emptyDir
// that confit can't tighten, whoever may write can move what it works in.
func TestStateIsWrittenByOne(t *testing.T) {
	t.Chdir(root)
	manifests, err1 := filepath.Glob("examples/*/*.yaml")
	nested, err2 := filepath.Glob("examples/*/*/*.yaml")
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	documents, states := regexp.MustCompile("(?m)^(?:---|```.*)$"), 0
	for _, file := range slices.Concat(manifests, nested, pages(t)) {
		for _, document := range documents.Split(read(t, file), -1) {
			writers := map[string]int{}
			for _, m := range mountsIn(document) {
				if m.path == "/run/confit" {
					states++
				} else if m.path == "/confit-state" && m.writable {
					t.Errorf("%s: a container beside confit's may write to the state directory", file)
				}
				if m.writable {
					writers[m.volume]++
				}
			}
			for _, m := range mountsIn(document) {
				if m.path == "/run/confit" && writers[m.volume] != 1 {
					t.Errorf("%s: %d containers may write to volume %s, want confit's alone", file, writers[m.volume], m.volume)
				}
			}
		}
	}
	if states < 20 {
		t.Errorf("only %d mounts of a state directory were found", states)
	}
}
