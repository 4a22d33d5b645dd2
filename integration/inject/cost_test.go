//go:build fleet

package inject

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// often is how many pods are made to measure what one costs.
const often = 200

// testCost says what the policies cost the server for a pod: the median of many, with the label and without.
func testCost(s *server) {
	for _, mounts := range []int{1, 20} {
		var list list
		for n := range mounts {
			list = append(list, object{"name": "conf", "subPath": fmt.Sprintf("%d.conf", n), "mountPath": fmt.Sprintf("/etc/app/%d.conf", n)})
		}
		labelled := encode(object{"metadata": object{"name": "cost", "labels": object{"confit": "inject"}, "annotations": object{"confit/validate": "app -t"}}, "spec": object{
			"containers": []any{object{"name": "app", "image": "example.com/app:1", "command": []any{"app"}, "volumeMounts": list}},
			"volumes":    []any{object{"name": "conf", "configMap": object{"name": "app"}}}}})
		plain := strings.Replace(labelled, `"confit":"inject"`, `"app":"cost"`, 1)
		var took [2][]time.Duration
		for range often {
			for i, pod := range []string{plain, labelled} {
				begin := time.Now()
				response, err := s.Open(s.Context(), http.MethodPost, "/api/v1/namespaces/default/pods?dryRun=All", pod)
				if err != nil {
					s.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusCreated {
					s.Fatal(response.Status, err)
				}
				response.Body.Close()
				took[i] = append(took[i], time.Since(begin))
			}
		}
		for i := range took {
			slices.Sort(took[i])
		}
		with, without := took[1][often/2], took[0][often/2]
		s.Logf("a pod of %d mounts: %v with the label, %v without: %v for the policies", mounts, with.Round(time.Microsecond), without.Round(time.Microsecond), (with - without).Round(time.Microsecond))
		if with-without > 500*time.Millisecond {
			s.Errorf("the policies cost %v for a pod of %d mounts", with-without, mounts)
		}
	}
}
