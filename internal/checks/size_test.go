package checks

import (
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// size is how much there is to read in a package: tokens of the language, which no line break
// changes, and words of comments.
type size struct{ tokens, words int }

// most bounds PID 1, tests left out, in all and by its packages: whoever installs confit trusts each
// token, and whoever changes confit reads each word. A commit that raises a bound says why, and what
// went for it.
var most = map[string]size{
	"":           {132_750, 47_900},
	"supervisor": {45_990, 18_430},
	"linker":     {53_210, 17_420},
	"config":     {11_700, 2_610},
	"process":    {14_410, 6_310},
	"signals":    {1_870, 1_010},
	"notify":     {1_220, 600},
	"status":     {3_460, 1_430},
}

// TestSize holds these bounds, and that none of them is far from what there is: what went stays away.
func TestSize(t *testing.T) {
	t.Chdir(root)
	sizes := map[string]size{}
	for _, s := range sources(t) {
		first, _, _ := strings.Cut(s.dir, "/")
		if !isPID1(s.dir) {
			continue
		}
		one := sizeOf(t, s.path)
		for _, dir := range []string{"", first} {
			sizes[dir] = size{sizes[dir].tokens + one.tokens, sizes[dir].words + one.words}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(most)) {
		hold(t, fmt.Sprintf("tokens of %q", dir), sizes[dir].tokens, most[dir].tokens)
		hold(t, fmt.Sprintf("words of comments of %q", dir), sizes[dir].words, most[dir].words)
	}
}

// isPID1 reports whether a package is linked into confit.
func isPID1(dir string) bool {
	first, _, _ := strings.Cut(dir, "/")
	return !slices.Contains([]string{"confitctl", "kubectl-confit", "integration", "internal", "examples"}, first)
}

// hold refuses a figure above its bound, and a bound that is a twentieth above its figure.
func hold(t *testing.T, what string, is, bound int) {
	t.Helper()
	switch {
	case is > bound:
		t.Errorf("%s: %d, and %d are enough", what, is, bound)
	case is < bound-bound/20:
		t.Errorf("%s: only %d, lower the bound of %d", what, is, bound)
	}
}

// sizeOf scans a file.
func sizeOf(t *testing.T, path string) (s size) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all scanner.Scanner
	all.Init(token.NewFileSet().AddFile(path, -1, len(text)), text, nil, scanner.ScanComments)
	for {
		_, kind, literal := all.Scan()
		switch {
		case kind == token.EOF:
			return s
		case kind == token.COMMENT:
			s.words += len(strings.Fields(strings.Trim(literal, "/* \t\n")))
		case kind == token.SEMICOLON && literal == "\n": // written by nobody
		default:
			s.tokens++
		}
	}
}

// maxColumns is how wide a line of PID 1 may be, where a tab counts four: two files stand side by
// side on a screen.
const maxColumns = 120

// TestLinesAreShort holds that bound, but for a long message, which is searched for as a whole.
func TestLinesAreShort(t *testing.T) {
	t.Chdir(root)
	for _, s := range sources(t) {
		if !isPID1(s.dir) {
			continue
		}
		for i, line := range strings.Split(read(t, s.path), "\n") {
			if columns(line) > maxColumns && columns(longText.ReplaceAllString(line, "")) > maxColumns/2 {
				t.Errorf("%s:%d is wider than %d columns", s.path, i+1, maxColumns)
			}
		}
	}
}

// longText is a text of more than 80 characters.
var longText = regexp.MustCompile("\"(\\\\.|[^\"\\\\]){80,}\"|`[^`]{80,}`")

// columns is how wide a line is.
func columns(line string) int { return len([]rune(strings.ReplaceAll(line, "\t", "    "))) }
