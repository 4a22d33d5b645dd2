//go:build fleet

package inject

import (
	"fmt"
	"strings"
	"time"
)

// A pod that is large in every way: some hundred KiB, and nearly a MiB with long paths.
const (
	largeContainers = 12
	largeMounts     = 120
	largeVolumes    = 30
	largeWord       = 180 // bytes in each of three words of a mount
)

// testLarge says how long the server takes for a large pod, with the label and without.
func testLarge(s *server) {
	for _, size := range []int{0, largeWord} {
		labelled := large(size)
		without := strings.Replace(labelled, `"confit":"inject"`, `"app":"large"`, 1)
		begin := time.Now()
		s.create("default", without)
		plain := time.Since(begin)
		begin = time.Now()
		a := s.create("default", labelled)
		took := time.Since(begin)
		if lines := strings.Count(a.out, "CONFIT_LINES"); lines != 2*largeContainers { // each has an init container with its links
			s.Errorf("%d of %d containers have lines: %s", lines, 2*largeContainers, a.said)
		}
		s.Logf("a pod of %d KiB, %d containers of %d mounts: %v with the label, %v without; %d KiB afterwards",
			len(labelled)>>10, largeContainers, largeMounts, took.Round(time.Millisecond), plain.Round(time.Millisecond), len(encode(s.read(a)[0]))>>10)
	}
}

// large is a pod whose words are longer by this many bytes.
func large(size int) string {
	word := strings.Repeat("w", size)
	var containers, volumes list
	for i := range largeContainers {
		var mounts list
		for j := range largeMounts {
			mounts = append(mounts, object{"name": fmt.Sprint("volume-", j%largeVolumes), "subPath": fmt.Sprintf("%s%d.conf", word, j),
				"mountPath": fmt.Sprintf("/etc/app%s/directory-%d/%s%d.conf", word, j, word, j)})
		}
		containers = append(containers, object{"name": fmt.Sprint("container-", i), "image": "example.com/app:1", "command": list{"app"}, "volumeMounts": mounts})
	}
	for i := range largeVolumes {
		volumes = append(volumes, object{"name": fmt.Sprint("volume-", i), "configMap": object{"name": "app"}})
	}
	return encode(object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": "large", "labels": object{"confit": "inject"}},
		"spec": object{"containers": containers, "volumes": volumes}})
}
