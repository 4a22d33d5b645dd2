package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayImport is who may know whom, besides the standard library less what
// forbidden takes away. An entry that ends in / stands for all below it.
var mayImport = map[string][]string{
	".":       {"confit/confitctl/cli"},
	"cli":     {"confit/confitctl/", "confit/linker", "github.com/spf13/"},
	"fleet":   {"confit/confitctl/lease", "confit/confitctl/rollout"},
	"lease":   {"confit/confitctl/rollout", "k8s.io/"},
	"rollout": {},
	"render":  {"github.com/Masterminds/sprig/v3", "sigs.k8s.io/yaml"},
	"post":    {},
	"export":  {"confit/linker", "confit/status", "github.com/prometheus/client_golang/prometheus", "github.com/prometheus/client_golang/prometheus/promhttp"},
}

// forbidden is what of the standard library a package must not know: the
// decision has no I/O and no chance, and only the command line knows the
// process it is in.
var forbidden = map[string][]string{
	"rollout": {"context", "io", "io/fs", "log", "math/rand/v2", "net", "net/http", "os"},
	"fleet":   {"net/http", "os"},
	"lease":   {"os/signal", "math/rand/v2"},
	"render":  {"net/http", "os/exec", "os/signal", "time"},
	"post":    {"os/exec", "os/signal"},
	"export":  {"os", "os/exec", "os/signal"},
}

// TestImportTable holds the table.
func TestImportTable(t *testing.T) {
	for dir, allowed := range mayImport {
		for _, file := range sources(t, dir) {
			for _, path := range imports(t, file) {
				own := strings.Contains(path, ".") || strings.HasPrefix(path, "confit/")
				if (own && !allows(allowed, path)) || slices.Contains(forbidden[dir], path) {
					t.Errorf("%s must not know %s", file, path)
				}
			}
		}
	}
}

// TestTableIsWhole: no package is left out of it.
func TestTableIsWhole(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, known := mayImport[e.Name()]; e.IsDir() && !known {
			t.Errorf("package %s isn't in the table", e.Name())
		}
	}
}

func sources(t *testing.T, dir string) []string {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("package %s has no files: %v", dir, err)
	}
	return slices.DeleteFunc(files, func(file string) bool { return strings.HasSuffix(file, "_test.go") })
}

func allows(allowed []string, path string) bool {
	return slices.ContainsFunc(allowed, func(a string) bool {
		return a == path || strings.HasSuffix(a, "/") && strings.HasPrefix(path, a)
	})
}

func imports(t *testing.T, file string) []string {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}
