package main

import (
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayImport is the import table: who may know whom, besides the standard
// library less what forbidden takes away.
var mayImport = map[string][]string{
	".":          {"confit/config", "confit/linker", "confit/notify", "confit/process", "confit/signals", "confit/status", "confit/supervisor"},
	"config":     {"confit/linker", "confit/signals", "github.com/spf13/pflag"},
	"linker":     {"github.com/fsnotify/fsnotify", "golang.org/x/sys/unix"},
	"signals":    {"golang.org/x/sys/unix"},
	"process":    {"confit/signals", "golang.org/x/sys/unix"},
	"notify":     {},
	"status":     {},
	"supervisor": {"confit/config", "confit/linker", "confit/notify", "confit/process", "confit/signals", "confit/status"},
}

// forbidden is what of the standard library a package must not know.
var forbidden = map[string][]string{
	".":          {"syscall", "os/exec", "os/signal", "path/filepath"},
	"config":     {"syscall", "os/exec", "os/signal"},
	"linker":     {"os/exec", "os/signal", "time"},
	"signals":    {"os/exec", "path/filepath", "time"},
	"process":    {"os/exec", "os/signal"},
	"notify":     {"os/exec", "os/signal", "net", "path/filepath", "time"},
	"status":     {"os", "os/exec", "os/signal", "syscall", "path/filepath", "io/fs", "log/slog"},
	"supervisor": {"os", "os/exec", "os/signal", "syscall", "path", "path/filepath", "io/fs"},
}

// TestImportTable holds the table on the files that go into the program.
func TestImportTable(t *testing.T) {
	for dir, allowed := range mayImport {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("package %s has no files: %v", dir, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, path := range imports(t, file) {
				own := strings.Contains(path, ".") || strings.HasPrefix(path, "confit/")
				if (own && !slices.Contains(allowed, path)) || slices.Contains(forbidden[dir], path) {
					t.Errorf("%s must not know %s", file, path)
				}
			}
		}
	}
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

// TestMainIsShort holds that main parses, builds and runs, and no more.
func TestMainIsShort(t *testing.T) {
	text, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines > 120 {
		t.Errorf("main.go has %d lines", lines)
	}
}

// TestNotLinked holds what PID 1 must not carry: a second owner of wait, and
// anything that opens a connection.
func TestNotLinked(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.Lines(string(out)) {
		if path = strings.TrimSpace(path); slices.Contains([]string{"os/exec", "net/http", "crypto/tls", "os/user"}, path) {
			t.Errorf("%s is linked into confit", path)
		}
	}
}
