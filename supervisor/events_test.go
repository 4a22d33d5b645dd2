package supervisor

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"testing"

	"confit/integration/markdown"
)

// TestEventsPage holds that docs/internals/design.md has each event once, and nothing else among them.
func TestEventsPage(t *testing.T) {
	text, err := os.ReadFile("../docs/internals/design.md")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, row := range markdown.Rows(markdown.Section(string(text), "## Events")) {
		named = append(named, markdown.Spans(row[0])...)
	}
	want := events(t)
	slices.Sort(named)
	if slices.Sort(want); !slices.Equal(named, want) {
		t.Errorf("the page has\n%q, the program has\n%q", named, want)
	}
}

// events are the types of event.go, but for that of all events.
func events(t *testing.T) (names []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.Name != "event" {
			names = append(names, spec.Name.Name)
		}
		return true
	})
	return names
}
