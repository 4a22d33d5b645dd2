package integration

import (
	"path/filepath"
	"sync"
	"testing"

	"confit/integration/internal/harness"
)

// buildPlain builds confit without its entry point, as `go build .` does, and as it is for other architectures.
var buildPlain = sync.OnceValues(func() (string, error) {
	path := filepath.Join(filepath.Dir(programs.shipped), "plain")
	return path, harness.GoBuild("..", path, []string{"CGO_ENABLED=0"})
})

// eachBuild runs a test on the confit that is shipped and on the one without an entry point.
func eachBuild(t *testing.T, test func(t *testing.T, program string)) {
	plain, err := buildPlain()
	if err != nil {
		t.Fatal(err)
	}
	for name, program := range map[string]string{"as_shipped": programs.shipped, "without_entry_point": plain} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, program)
		})
	}
}
