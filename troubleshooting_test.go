package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"confit/integration/markdown"
)

// troubleshooting is the page that lists every message.
const troubleshooting = "docs/troubleshooting.md"

// packages are those whose messages somebody may see.
var packages = []string{".", "config", "linker", "linker/files", "linker/mounts", "linker/way", "linker/seed", "linker/statedir", "linker/lines", "linker/document", "linker/target", "linker/generation", "linker/watch", "linker/volume", "notify", "process", "signals", "status", "supervisor", "supervisor/hooks", "supervisor/try"}

// silent are strings with a blank that nobody sees as a message. The test fails
// when one of them is in the source no more.
var silent = []string{
	"%q %d %q %q %q %v %v\n", "%q %d %d %d %v %v\n", "%q %q %v\n", "%q %o %x\n", " %d:%d %d %v %v", // what is hashed
	"covered ", ` '";&|<>(),:=`, "newline ", " (deleted)", "oom_kill ", `"keys": `, "\ninactive_file ", "\ntotal_inactive_file ", // what is looked up
}

// TestEveryMessageExplained holds that the page has each message of the program.
// A message is every string of the source that has a blank, and every string
// that is the message of a log line. So a new one can't be missed, whatever
// function it is given to.
func TestEveryMessageExplained(t *testing.T) {
	page := strings.Join(codeOf(read(t, troubleshooting)), "\n")
	unused := slices.Clone(silent)
	for _, m := range messages(t) {
		if slices.Contains(silent, m.text) {
			unused = slices.DeleteFunc(unused, func(s string) bool { return s == m.text })
			continue
		}
		for line := range strings.SplitSeq(m.text, "\n") {
			if !asPattern(line).MatchString(page) {
				t.Errorf("%s: %s doesn't explain %q", m.where, troubleshooting, line)
			}
		}
	}
	for _, s := range unused {
		t.Errorf("no package holds %q: remove it from the list", s)
	}
}

// message is a string of the source.
type message struct{ where, text string }

// elsewhere are files whose text other pages explain: the help is a page of its
// own, and docs/status.md has the text of a status.
var elsewhere = []string{"config/help.go", "config/settings.go", "status/page.go", "status/text.go"}

// messages are all the others.
func messages(t *testing.T) []message {
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
			if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && (logged[n] || strings.Contains(text, " ")) {
				list = append(list, message{set.Position(n.Pos()).String(), text})
			}
		}
		return true
	})
	return list
}

// messageArguments are the first arguments of a call that logs.
func messageArguments(call *ast.CallExpr) []ast.Expr {
	name, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains([]string{"say", "sayMended", "Debug", "Info", "Warn", "Error"}, name.Sel.Name) {
		return nil
	}
	return call.Args[:min(2, len(call.Args))]
}

// asPattern matches a format string with anything in the place of its verbs.
func asPattern(format string) *regexp.Regexp {
	verb := regexp.MustCompile(`%[a-z]`)
	literal := verb.Split(strings.Join(strings.Fields(format), " "), -1)
	for i := range literal {
		literal[i] = regexp.QuoteMeta(literal[i])
	}
	return regexp.MustCompile(`(?m)(^|\PL|\b)` + strings.Join(literal, `.+?`) + `($|\PL|\b)`)
}

// codeOf lists the code of a page, a span or a line of a block each, with single
// blanks.
func codeOf(page string) []string {
	list := markdown.Spans(markdown.Prose(page))
	for _, b := range markdown.Blocks(page) {
		list = append(list, strings.Split(b.Text, "\n")...)
	}
	for i := range list {
		list[i] = strings.Join(strings.Fields(list[i]), " ")
	}
	return list
}
