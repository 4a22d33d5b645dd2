//go:build fleet

package inject

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden is the directory of the golden files.
const golden = root + "/kubectl-confit/inject/testdata/pods"

// fewest is how many pods are enough.
const fewest = 100

// testGolden: the server makes of each pod what its golden file says.
func testGolden(s *server) {
	checkMade(s)
	names := goldenNames(s)
	if len(names) < fewest && !*update {
		s.Errorf("%d pods, and %d are enough", len(names), fewest)
	}
	args := []string{"create", "--dry-run=server", "-o", "json"}
	for _, name := range names {
		args = append(args, "-f", strings.TrimPrefix(goldenFile(name), root+"/"))
	}
	made := s.pods(s.must("", args...))
	if len(made) != len(names) {
		s.Fatalf("%d pods came back, want %d", len(made), len(names))
	}
	for i, name := range names {
		if got := strings.ReplaceAll(name, "_", "-"); made[i].Metadata.Name != got {
			s.Errorf("%s: the pod is named %q, want %q", name, made[i].Metadata.Name, got)
		}
		compare(s, name, text(object{"spec": plain(made[i].Spec)}))
	}
}

// goldenNames are those of the pods.
func goldenNames(s *server) (names []string) {
	paths, err := filepath.Glob(golden + "/*.yaml")
	if err != nil {
		s.Fatal(err)
	}
	for _, path := range paths {
		if name := strings.TrimSuffix(filepath.Base(path), ".yaml"); !strings.HasSuffix(name, ".want") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func goldenFile(name string) string { return filepath.Join(golden, name+".yaml") }

// compare holds that a golden file is got, or makes it so.
func compare(s *server, name, got string) {
	s.Helper()
	path := goldenFile(name + ".want")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			s.Fatal(err)
		}
		return
	}
	if want, err := os.ReadFile(path); err != nil || string(want) != got {
		s.Errorf("%s: got\n%s\nwant\n%s\n%v", name, got, want, err)
	}
}
