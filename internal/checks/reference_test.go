package checks

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/markdown"
)

// TestReferenceExitCodes holds that docs/reference.md has each exit code that is a
// constant of the program, and no other. Those of --status have a page of their
// own. The packages config, signals and integration hold the rest of the page.
func TestReferenceExitCodes(t *testing.T) {
	t.Chdir(root)
	program := exitCodes(t)
	for _, item := range markdown.Items(markdown.Section(read(t, "docs/reference.md"), "## Exit codes")) {
		code, err := strconv.Atoi(item[0])
		if err != nil {
			continue // the app's own
		}
		if !slices.Contains(program, code) {
			t.Errorf("the page has the code %d, the program hasn't", code)
		}
		program = slices.DeleteFunc(program, func(c int) bool { return c == code })
	}
	for _, code := range program {
		t.Errorf("the page lacks the code %d", code)
	}
}

// ofTheApp is an exit code by which confit knows something of the app.
const ofTheApp = "exitAtHUP"

// exitCodes are the values of the other constants exit… and Exit….
func exitCodes(t *testing.T) (list []int) {
	name := regexp.MustCompile(`^[eE]xit[A-Z]`)
	for _, s := range sources(t) {
		if strings.HasPrefix(s.dir, "confitctl") || strings.HasPrefix(s.dir, "kubectl-confit") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			for i := 0; ok && i < len(spec.Values); i++ {
				if n := spec.Names[i].Name; name.MatchString(n) && n != ofTheApp {
					list = append(list, exitCode(t, spec.Values[i]))
				}
			}
			return true
		})
	}
	return list
}

// exitCode is a number, or 128 + int(signals.NAME).
func exitCode(t *testing.T, value ast.Expr) int {
	base := 0
	if sum, ok := value.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
		base, value = exitCode(t, sum.X), sum.Y
	}
	if call, ok := value.(*ast.CallExpr); ok {
		if s, ok := call.Args[0].(*ast.SelectorExpr); ok {
			return base + int(unix.SignalNum("SIG"+s.Sel.Name))
		}
	}
	literal, ok := value.(*ast.BasicLit)
	if !ok {
		t.Fatalf("this test can't read the exit code %v", value)
	}
	code, err := strconv.Atoi(literal.Value)
	if err != nil {
		t.Fatal(err)
	}
	return base + code
}
