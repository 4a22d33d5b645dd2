package checks

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxCircle is how many files of a package may need each other, directly or not: who
// reads one of them has to read them all.
const maxCircle = 5

// TestCircles looks, by what the compiler makes of the names, which file needs which.
func TestCircles(t *testing.T) {
	t.Chdir(root)
	exports := exportData(t)
	for dir := range mayImport {
		if dir == "internal/release" || strings.HasPrefix(dir, "integration") || strings.HasPrefix(dir, "confitctl") || strings.HasPrefix(dir, "kubectl-confit") {
			continue // no part of the program
		}
		t.Run(dir, func(t *testing.T) {
			for _, circle := range circles(needs(t, dir, exports)) {
				if len(circle) > maxCircle {
					t.Errorf("%d files need each other, at most %d may: move what the lower ones name: %v", len(circle), maxCircle, circle)
				}
			}
		})
	}
}

// exportData finds what the compiler knows of each package that the program imports.
func exportData(t *testing.T) map[string]string {
	t.Helper()
	var errors bytes.Buffer
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", ".", "./internal/...")
	list.Stderr = &errors
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", list, err, errors.Bytes())
	}
	found := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		found[path] = file
	}
	return found
}

// needs says which files of a package a file names something of: a function, a type, a
// method, a variable or a constant.
func needs(t *testing.T, dir string, exports map[string]string) map[string][]string {
	t.Helper()
	set := token.NewFileSet()
	sources, err := build.ImportDir(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range sources.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(dir, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: importer.ForCompiler(set, "gc", lookup)}
	pkg, err := conf.Check(dir, set, files, info)
	if err != nil {
		t.Fatal(err)
	}
	file := func(p token.Pos) string { return filepath.Base(set.Position(p).Filename) }
	found := map[string][]string{}
	for name, object := range info.Uses {
		from, to := file(name.Pos()), file(object.Pos())
		v, isVariable := object.(*types.Var)
		if object.Pkg() != pkg || isVariable && (v.IsField() || v.Parent() != pkg.Scope()) {
			continue
		}
		if from != to && !slices.Contains(found[from], to) {
			found[from] = append(found[from], to)
		}
	}
	return found
}

// circles lists the files that reach each other, each circle once.
func circles(needs map[string][]string) (list [][]string) {
	reached := map[string]map[string]bool{}
	for from := range needs {
		reached[from] = map[string]bool{}
		reach(needs, from, reached[from])
	}
	for from := range needs {
		circle := slices.DeleteFunc(slices.Sorted(maps.Keys(reached[from])), func(to string) bool { return !reached[to][from] })
		if len(circle) > 0 && circle[0] == from {
			list = append(list, circle)
		}
	}
	return list
}

func reach(needs map[string][]string, from string, found map[string]bool) {
	for _, to := range needs[from] {
		if !found[to] {
			found[to] = true
			reach(needs, to, found)
		}
	}
}
