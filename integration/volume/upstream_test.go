//go:build check

package volume_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// copies is where the kubelet's own code stands, copied.
const copies = "../kubelet/util"

// upstream fetches the module of Kubernetes that the copies are of, and returns its directory.
func upstream(t *testing.T) string {
	t.Helper()
	doc, err := os.ReadFile(filepath.Join(copies, "doc.go"))
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`k8s\.io/kubernetes v[0-9.]+[0-9]`).FindString(string(doc))
	module := strings.Replace(version, " ", "@", 1)
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = t.TempDir() // outside of any module
	out, err := cmd.CombinedOutput()
	var fetched struct{ Dir string }
	if err == nil {
		err = json.Unmarshal(out, &fetched)
	}
	if err != nil || fetched.Dir == "" {
		t.Fatalf("cannot fetch %q: %v\n%s", module, err, out)
	}
	return fetched.Dir
}

// TestUpstream holds that the kubelet's writer of the tests is the one of Kubernetes.
func TestUpstream(t *testing.T) {
	dir := upstream(t)
	for name, original := range map[string]string{
		"LICENSE":                "LICENSE",
		"atomic_writer.go":       "pkg/volume/util/atomic_writer.go",
		"atomic_writer_linux.go": "pkg/volume/util/atomic_writer_linux.go",
	} {
		if got, want := contentOf(t, filepath.Join(copies, name)), contentOf(t, filepath.Join(dir, original)); !bytes.Equal(got, want) {
			t.Errorf("%s isn't %s of Kubernetes any more", name, original)
		}
	}
	theirs := declarations(t, filepath.Join(dir, "pkg/volume/volume_linux.go"))
	for name, text := range declarations(t, filepath.Join(copies, "ownership.go")) {
		if theirs[name] != text {
			t.Errorf("ownership.go: %s isn't that of pkg/volume/volume_linux.go any more:\n%s\nthere:\n%s", name, text, theirs[name])
		}
	}
}

func contentOf(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// declarations returns the text of each function and group of constants in a file, with its comment, by its first name.
func declarations(t *testing.T, path string) map[string]string {
	t.Helper()
	text, set := contentOf(t, path), token.NewFileSet()
	file, err := parser.ParseFile(set, path, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, decl := range file.Decls {
		begin, name := decl.Pos(), ""
		switch d := decl.(type) {
		case *ast.FuncDecl:
			name = d.Name.Name
			if d.Doc != nil {
				begin = d.Doc.Pos()
			}
		case *ast.GenDecl:
			value, isValue := d.Specs[0].(*ast.ValueSpec)
			if !isValue {
				continue
			}
			name = value.Names[0].Name
		}
		found[name] = string(text[set.Position(begin).Offset:set.Position(decl.End()).Offset])
	}
	if len(found) == 0 {
		t.Fatalf("%s declares nothing", path)
	}
	return found
}
