//go:build fleet

package inject

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// overlay is the kustomization of somebody who has image volumes, with the path from there to the project.
const overlay = `
resources: [%[1]s/examples/inject]
components: [%[1]s/examples/inject/image-volume]
`

// testImageVolume: with the component, the program comes in an image volume, and all else is as without.
func testImageVolume(s *server) {
	dir := s.TempDir()
	project, err := filepath.Abs(root)
	if err != nil {
		s.Fatal(err)
	}
	if project, err = filepath.Rel(dir, project); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), fmt.Appendf(nil, overlay, project), 0o644); err != nil {
		s.Fatal(err)
	}
	s.apply(dir)
	s.until("the component is in force", func() bool {
		return strings.Contains(s.create("default", simple).out, `"reference": "example.com/confit@sha256:`)
	})
	s.permit()
	names := goldenNames(s)
	for n, pod := range s.read(s.must("", append(files(names), "create", "--dry-run=server", "-o", "json")...)) {
		want := s.rewritten[names[n]]
		if !strings.HasPrefix(names[n], "again_") { // that one had been rewritten without the component
			inImageVolume(want)
		}
		if got := text(plain(spec(pod))); got != text(want) {
			s.Errorf("%s: got\n%s\nwant\n%s", names[n], got, text(want))
		}
	}
}

// inImageVolume takes the init container out of a rewritten pod that brings the program, and makes its volume one of the image.
func inImageVolume(pod object) {
	init := objects(pod["initContainers"])
	if len(init) == 0 || init[0]["name"] != "confit-install" {
		return
	}
	if pod["initContainers"] = pod["initContainers"].(list)[1:]; len(init) == 1 {
		delete(pod, "initContainers")
	}
	for _, v := range objects(pod["volumes"]) {
		if v["name"] == "confit-bin" {
			delete(v, "emptyDir")
			v["image"] = object{"reference": init[0]["image"], "pullPolicy": "IfNotPresent"}
		}
	}
}
