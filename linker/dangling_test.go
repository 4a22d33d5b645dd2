package linker

import (
	"os"
	"strings"
	"testing"
)

// TestDanglingDirectory: a directory for targets that is a symlink to where nothing is has most likely
// lost what it leads to. It is named before anything is made there, by --check, --bake and a start.
func TestDanglingDirectory(t *testing.T) {
	const note = `note: directory "DIR/etc/app" is a symlink to "../lost", where nothing is: a start makes a directory there` + "\n"
	const said = `level=WARN msg="a directory for targets is made where a symlink leads" symlink=DIR/etc/app to=../lost` + "\n"
	for name, do := range map[string]func(h *fixture) string{
		"start": func(h *fixture) string {
			h.open()
			h.adopt()
			h.reads("app/sub/a", "1", "app/b", "2")
			return h.said.String()
		},
		"bake": func(h *fixture) string {
			var out strings.Builder
			h.must(Bake(&out, h.checked(), false))
			return out.String()
		},
	} {
		h := newFixture(t, "web/a app/sub/a", "web/b app/b")
		h.write("web", "a", "1", "b", "2")
		h.must(os.Mkdir(h.path("etc"), 0o755))
		h.must(os.Symlink("../lost", h.path("etc", "app")))
		if plan, wrong := h.explain(); strings.Count(plan, note) != 1 || wrong != "" {
			t.Errorf("%s: --check says\n%s%s", name, plan, wrong)
		}
		if _, err := os.Lstat(h.path("lost")); err == nil {
			t.Error("--check made it")
		}
		if got := strings.ReplaceAll(do(h), h.dir, "DIR"); strings.Count(got, said) != 1 {
			t.Errorf("%s: it says\n%s", name, got)
		}
		if plan, _ := h.explain(); strings.Contains(plan, "symlink") {
			t.Errorf("%s: it is there, and --check says\n%s", name, plan)
		}
	}
}
