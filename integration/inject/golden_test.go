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
	if len(names) < fewest {
		s.Errorf("%d pods, and %d are enough", len(names), fewest)
	}
	for n, pod := range s.read(s.must("", append(files(names), "create", "--dry-run=server", "-o", "json")...)) {
		if got := strings.ReplaceAll(names[n], "_", "-"); name(pod) != got {
			s.Errorf("%s: the pod is named %q, want %q", names[n], name(pod), got)
		}
		s.rewritten[names[n]] = plain(spec(pod))
		compare(s, names[n], text(object{"spec": s.rewritten[names[n]]}))
	}
}

// files are kubectl's arguments for the pods of golden files.
func files(names []string) (args []string) {
	for _, name := range names {
		args = append(args, "-f", strings.TrimPrefix(goldenFile(name), root+"/"))
	}
	return args
}

// testStored: a pod that is stored is what a dry run shows.
func testStored(s *server) {
	s.namespace("stored", "")
	names := goldenNames(s)
	s.must("", append(files(names), "create", "-n", "stored")...)
	stored := s.read(s.must("", append(files(names), "get", "-n", "stored", "-o", "json")...))[0]
	for n, pod := range objects(stored["items"]) {
		if got, want := text(plain(spec(pod))), text(s.rewritten[names[n]]); got != want {
			s.Errorf("%s: stored is\n%s\nwant\n%s", names[n], got, want)
		}
	}
}

// testAgain: a pod that was rewritten stays so when it is created again.
func testAgain(s *server) {
	names := goldenNames(s)
	first := s.read(s.must("", append(files(names), "create", "--dry-run=server", "-o", "json")...))
	again := s.read(s.must(together(first), "create", "--dry-run=server", "-o", "json", "-f", "-"))
	if len(first) != len(again) {
		s.Fatalf("%d pods came back, want %d", len(again), len(first))
	}
	for n := range first {
		if got, want := text(spec(again[n])), text(spec(first[n])); got != want {
			s.Errorf("%s: got\n%s\nwant\n%s", names[n], got, want)
		}
	}
}

// testWithout: when the label goes, new pods are what they were without confit.
func testWithout(s *server) {
	for name, pod := range s.golden("security_locked", "emptydir_mixed", "options_both", "volumes_secret_items", "init_sidecar") {
		pod["metadata"].(object)["labels"] = object{"app": "web"}
		want := text(plain(spec(pod)))
		if got := text(plain(spec(s.read(s.create("default", encode(pod)))[0]))); got != want {
			s.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
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
