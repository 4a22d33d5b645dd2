package linker

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMapOfFiles holds the map in the package comment: it has every file, and no
// file names what is declared above it. Methods are of the type that they name.
func TestMapOfFiles(t *testing.T) {
	rank := map[string]int{"doc.go": 0} // by file, in the order of the map
	for _, name := range mappedFiles(t) {
		rank[name+".go"] = len(rank)
	}
	names, _ := filepath.Glob("*.go")
	files := map[string]*ast.File{}
	declaredIn := map[string]string{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if _, mapped := rank[name]; !mapped {
			t.Errorf("%s isn't on the map", name)
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = f
		for declared := range f.Scope.Objects {
			declaredIn[declared] = name
		}
	}
	if len(files) != len(rank) {
		t.Errorf("%d files, and %d on the map", len(files), len(rank))
	}
	for name, f := range files {
		for _, used := range f.Unresolved {
			if in, here := declaredIn[used.Name]; here && rank[in] < rank[name] {
				t.Errorf("%s names %s, which %s above it declares", name, used.Name, in)
			}
		}
	}
}

// mappedFiles reads the map, whose lines hold names, two blanks and a text.
func mappedFiles(t *testing.T) []string {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, line := range regexp.MustCompile(`(?m)^//\t([a-z ]+?)  `).FindAllSubmatch(text, -1) {
		names = append(names, strings.Fields(string(line[1]))...)
	}
	return names
}
