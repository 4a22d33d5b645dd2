package checks

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"confit/integration/markdown"
)

var update = flag.Bool("update", false, "write testdata anew, to be read before it is committed")

// packages are those whose messages somebody may see.
var packages = []string{".", "config", "linker", "linker/files", "linker/mounts", "linker/safedir", "linker/seed", "linker/statedir", "linker/lines", "linker/document", "linker/target", "linker/generation", "linker/watch", "linker/volume", "notify", "process", "signals", "status", "supervisor", "supervisor/app", "supervisor/goal", "supervisor/hooks", "supervisor/ladder", "supervisor/outcomes", "supervisor/statusfile", "supervisor/try", "supervisor/verdict"}

// TestMessages holds that each message of the program is in a list, so that a new or another one shows in a diff. A message is
// every string of the source that has two words, and every string that is the message of a log line.
func TestMessages(t *testing.T) {
	t.Chdir(root)
	const file = "docs/internals/messages.txt"
	var list []string
	for _, m := range messages(t, packages) {
		list = append(list, fmt.Sprintf("%s: %q\n", m.where, m.text))
	}
	slices.Sort(list)
	got := strings.Join(slices.Compact(list), "")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := read(t, file)
	for line := range strings.Lines(got) {
		if !strings.Contains(want, line) {
			t.Errorf("%s lacks %sread it, then run go test ./internal/checks -run Messages -update", file, line)
		}
	}
	for line := range strings.Lines(want) {
		if !strings.Contains(got, line) {
			t.Errorf("%s has %swhich no package says: run go test ./internal/checks -run Messages -update", file, line)
		}
	}
	if got != want && !t.Failed() {
		t.Errorf("%s is in another order: run go test ./internal/checks -run Messages -update", file)
	}
}

// TestMessagesOfTroubleshooting holds that each message of the page is one of the program, or of confitctl.
func TestMessagesOfTroubleshooting(t *testing.T) {
	t.Chdir(root)
	const page = "docs/troubleshooting.md"
	ofConfitctl, err := filepath.Glob("confitctl/*/*.go")
	if err != nil || len(ofConfitctl) == 0 {
		t.Fatalf("confitctl has no source: %v", err)
	}
	for i := range ofConfitctl {
		ofConfitctl[i] = filepath.Dir(ofConfitctl[i])
	}
	said := ""
	for _, m := range messages(t, slices.Concat(packages, slices.Compact(ofConfitctl))) {
		said += m.text + "\n"
	}
	for _, heading := range []string{"## Why a candidate is rejected", "## Log lines", "## Errors of the system"} {
		items := markdown.Items(markdown.Section(read(t, page), heading))
		for _, item := range items {
			for _, span := range markdown.Spans(item[0]) {
				if !slices.ContainsFunc(partsOf(span), func(part string) bool { return strings.Contains(said, part) }) {
					t.Errorf("%s explains %q, which no program says", page, span)
				}
			}
		}
		if len(items) < 10 {
			t.Errorf("%s has %d items below %q", page, len(items), heading)
		}
	}
}

// message is a string of the source.
type message struct{ where, text string } // where is the package

// elsewhere are files whose text other golden files hold: the help, and the text of a status.
var elsewhere = []string{"config/help.go", "config/settings.go", "status/page.go", "status/text.go"}

// messages are all others of some packages.
func messages(t *testing.T, packages []string) []message {
	var list []message
	for _, dir := range packages {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no source in %s: %v", dir, err)
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") && !slices.Contains(elsewhere, file) {
				list = append(list, messagesOf(t, file)...)
			}
		}
	}
	return list
}

func messagesOf(t *testing.T, file string) (list []message) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	logged := map[ast.Node]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.Field: // a tag
			_, isImport := n.(*ast.ImportSpec)
			return !isImport
		case *ast.CallExpr:
			for _, argument := range messageArguments(n) {
				logged[argument] = true
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && (logged[n] || len(strings.Fields(text)) > 1) {
				list = append(list, message{filepath.Dir(file), text})
			}
		}
		return true
	})
	return list
}

// messageArguments are the arguments of a call that logs which may be its message: the first, or the
// one behind a level.
func messageArguments(call *ast.CallExpr) []ast.Expr {
	name, ok := call.Fun.(*ast.SelectorExpr)
	switch {
	case ok && slices.Contains([]string{"say", "Say"}, name.Sel.Name):
		return call.Args[:min(2, len(call.Args))]
	case ok && slices.Contains([]string{"Debug", "Info", "Warn", "Error"}, name.Sel.Name):
		return call.Args[:min(1, len(call.Args))]
	}
	return nil
}

// between is what stands between the parts of a message: what differs from time to time, and a colon.
var between = regexp.MustCompile(`: |…|"[^"]*"|(exit |signal )?\b[0-9]\w*`)

// partsOf are those parts that have more than one word.
func partsOf(message string) (list []string) {
	for _, part := range between.Split(message, -1) {
		if part = strings.TrimSpace(part); strings.Contains(part, " ") {
			list = append(list, part)
		}
	}
	return list
}
