package checks

import (
	"go/ast"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// onlyIn lists what a few files of the linker do for all others.
var onlyIn = map[string][]string{
	"os.Root": {}, "os.OpenRoot": {}, // gVisor leads them out of a directory: safedir.Dir.Within doesn't
	"unix.O_DIRECTORY": {"linker/safedir/names.go", "linker/safedir/mode.go", "linker/statedir/try.go"},                               // for the same reason: of what is a directory
	"unix.O_CREAT":     {"linker/safedir/make.go", "linker/statedir/lock.go"}, "os.O_CREATE": {}, "os.Create": {}, "os.WriteFile": {}, // the writers: of files, and of the lock
	"unix.Mkdirat": {"linker/safedir/make.go"}, "os.Mkdir": {}, "os.MkdirAll": {},
	"unix.Unlinkat": {"linker/safedir/make.go"}, "os.Remove": {}, "os.RemoveAll": {},
	"unix.Renameat": {"linker/safedir/names.go"}, "unix.Renameat2": {"linker/safedir/names.go"}, "os.Rename": {},
	"safedir.IsTemporary": {"linker/seed", "linker/statedir", "linker/target/switch.go"}, // whoever sweeps what a killed confit left
}

// TestFilesHaveOneWriter: the linker opens, writes and removes what is confit's own in one place for each.
func TestFilesHaveOneWriter(t *testing.T) {
	t.Chdir(root)
	for _, s := range sources(t) {
		if s.dir != "linker" && !strings.HasPrefix(s.dir, "linker/") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			if !ok {
				return true
			}
			name := pkg.Name + "." + sel.Sel.Name
			if places, limited := onlyIn[name]; limited && !slices.Contains(places, s.path) && !slices.Contains(places, filepath.Dir(s.path)) {
				t.Errorf("%s: %s is the business of %v", s.set.Position(n.Pos()), name, places)
			}
			return true
		})
	}
}
