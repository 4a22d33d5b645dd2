package checks

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestTopLevel: what people and their scripts look for at the top level is there. main.go alone brings the packages
// together.
func TestTopLevel(t *testing.T) {
	t.Chdir(root)
	for _, name := range []string{"go.mod", "go.sum", "main.go", "supervisor", "linker", "signals", "examples", "Dockerfile.example", "integration", "Makefile"} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
}

// forbidden is the part of the standard library that a package must not know.
var forbidden = map[string][]string{
	".":                  {"syscall", "os/exec", "os/signal", "path/filepath"},
	"config":             {"syscall", "os/exec", "os/signal"},
	"linker":             {"os/exec", "os/signal", "time"},
	"signals":            {"os/exec", "path/filepath", "time"},
	"process":            {"os/exec", "os/signal"},
	"process/entrypoint": {"os/exec", "os/signal", "log", "log/slog", "context"},
	"notify":             {"os/exec", "os/signal", "net", "path/filepath", "time"},
	"status":             {"os", "os/exec", "os/signal", "syscall", "path/filepath", "io/fs", "log/slog"},
	"supervisor":         {"os", "os/exec", "os/signal", "syscall", "path", "path/filepath", "io/fs"},

	"supervisor/app":      {"os", "os/exec", "os/signal", "syscall", "path", "path/filepath", "io", "io/fs", "log", "context"},
	"supervisor/goal":     {"os", "os/exec", "os/signal", "syscall", "path", "path/filepath", "io", "io/fs", "log", "log/slog", "context"},
	"supervisor/ladder":   {"os", "os/exec", "os/signal", "syscall", "path", "path/filepath", "io", "io/fs", "log", "log/slog", "context"},
	"supervisor/outcomes": {"os", "os/exec", "os/signal", "syscall", "path", "path/filepath", "io", "io/fs", "log", "log/slog", "context"},
	"supervisor/verdict":  {"os", "os/exec", "os/signal", "syscall", "path", "path/filepath", "io", "io/fs", "log", "log/slog", "context"},

	"supervisor/statusfile": {"os", "os/exec", "os/signal", "syscall", "path", "path/filepath", "io/fs"},

	"supervisor/hooks": {"os", "os/exec", "os/signal", "syscall", "path", "path/filepath", "io/fs"},
	"supervisor/try":   {"os/exec", "os/signal", "syscall", "path", "path/filepath", "io/fs"},

	"linker/files":      {"os/exec", "os/signal", "time", "log"},
	"linker/mounts":     {"os/exec", "os/signal", "time", "log"},
	"linker/safedir":    {"os/exec", "os/signal", "time", "log", "log/slog", "path/filepath"},
	"linker/seed":       {"os/exec", "os/signal", "time", "log", "log/slog"},
	"linker/statedir":   {"os/exec", "os/signal", "time", "log", "log/slog"},
	"linker/lines":      {"os", "os/exec", "os/signal", "time", "log", "log/slog", "syscall"},
	"linker/document":   {"os/exec", "os/signal", "time", "log", "log/slog"},
	"linker/target":     {"os", "os/exec", "os/signal", "time", "log", "syscall"},
	"linker/generation": {"os/exec", "os/signal", "time", "log", "path/filepath"},
	"linker/watch":      {"os/exec", "os/signal", "time", "log"},
	"linker/volume":     {"os/exec", "os/signal", "time", "log"},

	"confitctl/budget":   {"os/exec", "os/signal"},
	"confitctl/export":   {"os", "os/exec", "os/signal"},
	"confitctl/fleet":    {"net/http", "os", "math/rand/v2"},
	"confitctl/kube":     {"os/signal", "math/rand/v2"},
	"confitctl/lease":    {"os", "os/signal", "math/rand/v2"},
	"confitctl/memory":   {"net/http", "os/exec", "os/signal", "math/rand/v2"},
	"confitctl/life":     {"os/exec", "os/signal", "math/rand/v2", "net/http"},
	"confitctl/patience": {"net/http", "os", "os/exec", "os/signal", "log"},
	"confitctl/people":   {"net/http", "os", "os/exec", "os/signal", "log", "math/rand/v2"},
	"confitctl/post":     {"os/exec", "os/signal"},
	"confitctl/render":   {"net/http", "os/exec", "os/signal", "time"},
	"confitctl/rollout":  {"context", "io", "io/fs", "log", "math/rand/v2", "net", "net/http", "os"}, // it decides, and does nothing
	"confitctl/snapshot": {"os/signal", "math/rand/v2", "time"},

	"kubectl-confit/apply":    {"os", "os/exec", "os/signal", "log", "net/http", "math/rand/v2"},
	"kubectl-confit/cli":      {"os/exec", "net/http"},
	"kubectl-confit/check":    {"os", "os/exec", "os/signal", "log", "net/http", "math/rand/v2"},
	"kubectl-confit/cluster":  {"os", "os/exec", "os/signal", "log", "math/rand/v2"},
	"kubectl-confit/follow":   {"os", "os/exec", "os/signal", "log", "net/http"},
	"kubectl-confit/grace":    {"context", "io", "io/fs", "log", "math/rand/v2", "net", "net/http", "os", "path/filepath"},
	"kubectl-confit/inject":   {"context", "io", "io/fs", "log", "math/rand/v2", "net", "net/http", "os", "path/filepath", "time"}, // it decides, and does nothing
	"kubectl-confit/manifest": {"context", "io/fs", "log", "net", "net/http", "os", "path/filepath", "time"},
	"kubectl-confit/pods":     {"context", "io", "io/fs", "log", "math/rand/v2", "net", "net/http", "os", "path/filepath", "time"},
	"kubectl-confit/registry": {"os", "os/exec"},
	"kubectl-confit/sync":     {"context", "io", "io/fs", "log", "math/rand/v2", "net", "net/http", "os", "path/filepath"},
	"kubectl-confit/tree":     {"context", "io", "io/fs", "log", "net", "net/http", "os", "time"},
	"kubectl-confit/verdict":  {"context", "io", "io/fs", "log", "math/rand/v2", "net", "net/http", "os", "path/filepath"},
}

// source is a file that goes into the program, and its package's directory.
type source struct {
	dir, path string
	file      *ast.File
	set       *token.FileSet
}

// sources are all of them.
func sources(t *testing.T) []source {
	t.Helper()
	var list []source
	for dir := range mayImport {
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("package %s has no files: %v", dir, err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, source{dir, path, file, set})
		}
	}
	return list
}

// TestImportTable holds the table.
func TestImportTable(t *testing.T) {
	t.Chdir(root)
	for _, s := range sources(t) {
		for _, spec := range s.file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			own := strings.Contains(path, ".") || strings.HasPrefix(path, "confit/")
			if (own && !slices.Contains(mayImport[s.dir], path)) || slices.Contains(forbidden[s.dir], path) {
				t.Errorf("%s must not know %s", s.path, path)
			}
		}
	}
}

// The bounds of functions and files, in lines.
const (
	maxMain     = 130 // main parses, builds and runs, and no more
	maxFunction = 50
	maxMedian   = 9 // of a function
	maxFile     = 300
)

// TestFunctionsAreShort: none is too long, and most are far shorter.
func TestFunctionsAreShort(t *testing.T) {
	t.Chdir(root)
	var all []int
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			lines := s.set.Position(f.End()).Line - s.set.Position(f.Pos()).Line + 1
			if lines > maxFunction {
				t.Errorf("%s: %s has %d lines", s.path, f.Name, lines)
			}
			all = append(all, lines)
		}
	}
	slices.Sort(all)
	if median := all[len(all)/2]; median > maxMedian {
		t.Errorf("half of %d functions have %d lines or more", len(all), median)
	}
}

// copies is where files of others stand as they are.
const copies = "integration/kubelet/util"

// TestFilesAreShort: those of tests and tools, too.
func TestFilesAreShort(t *testing.T) {
	t.Chdir(root)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == copies:
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go"):
			return nil
		}
		text, err := os.ReadFile(path)
		lines, bound := strings.Count(string(text), "\n"), maxFile
		if path == "main.go" {
			bound = maxMain
		}
		if lines > bound {
			t.Errorf("%s has %d lines", path, lines)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestExportedNamesAreDocumented, but for methods that every error has.
func TestExportedNamesAreDocumented(t *testing.T) {
	t.Chdir(root)
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			for _, name := range undocumented(d) {
				t.Errorf("%s: %s has no comment", s.path, name)
			}
		}
	}
}

// undocumented lists the exported names of a declaration without a comment. One
// of several that are declared together may be explained by a comment on them all
// or at the end of its line.
func undocumented(d ast.Decl) (names []string) {
	if f, ok := d.(*ast.FuncDecl); ok {
		if f.Doc == nil && f.Name.IsExported() && exportedReceiver(f) && f.Name.Name != "Error" && f.Name.Name != "Unwrap" {
			names = append(names, f.Name.Name)
		}
		return names
	}
	group := d.(*ast.GenDecl)
	for _, spec := range group.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && s.Doc == nil && group.Doc == nil {
				names = append(names, s.Name.Name)
			}
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() && s.Doc == nil && s.Comment == nil && group.Doc == nil {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

func exportedReceiver(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	receiver := f.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	name, ok := receiver.(*ast.Ident)
	return ok && name.IsExported()
}
