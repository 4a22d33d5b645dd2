package confit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"confit/integration/internal/harness"
	"confit/integration/markdown"
)

// hookScript writes down what a hook named $1 is given. The verify hook also lists the state directory, and so does a try's.
const hookScript = `env | sed -n 's/^\(CONFIT_[A-Z_]*\)=.*/\1/p' >>"$0.$1"
pwd >>"$0.$1.directory"
case $1 in
render) cp "$CONFIT_CANDIDATE/web/text" "$CONFIT_RENDERED/out" ;;
verify) ls -A state >>"$0.files" ;;
validate) test -z "$CONFIT_TRIAL_RUN" || ls -A state >>"$0.files" ;;
esac
`

// Each hook has the variables that docs/reference.md gives it, and no other, in the directory that confit was started in, a try's
// included. While a generation that a gate let pass is proved, and while something is tried, the state directory holds the files that
// the page lists, and no other.
func TestSource_reference(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	hook := "sh " + s.write(s.path("hook"), hookScript) + " "
	s.line("link web/text %s", s.target("text"))
	s.line("link {rendered}/out %s", s.target("out"))
	for _, name := range []string{"render", "validate {candidate}", "gate", "report", "verify"} {
		kind, _, _ := strings.Cut(name, " ")
		s.line("%s %s", kind, hook+name)
	}
	s.line("reload exec:%s", hook+"reload")
	web := s.volume("web")
	web.swap(keys{"text": "first"})
	c := s.start(app()...)
	c.accepts(1)
	web.swap(keys{"text": "second"})
	c.accepts(2)
	c.Eventually("the end of the gate's outcome", func() bool { return s.outcomes() == "" })
	if v := s.beside(c, "", hook+"validate {candidate}"); v.wait() != 0 {
		t.Errorf("a try ended with\n%s%s", &v.out, &v.stderr)
	}

	for name, want := range hooksOfPage(t) {
		if got := s.written("hook." + name); !slices.Equal(got, want) {
			t.Errorf("%s has the variables\n%q, the page says\n%q", name, got, want)
		}
		if got := s.written("hook." + name + ".directory"); !slices.Equal(got, []string{s.dir}) {
			t.Errorf("%s runs in %q, confit in %q", name, got, s.dir)
		}
	}
	var files []string
	for _, item := range markdown.Items(section(t, "## The state directory")) {
		files = append(files, strings.Trim(item[0], "`/"))
	}
	if slices.Sort(files); !slices.Equal(s.written("hook.files"), files) {
		t.Errorf("the state directory holds\n%q, the page says\n%q", s.written("hook.files"), files)
	}
}

// section is a section of the page.
func section(t *testing.T, heading string) string {
	t.Helper()
	top, err := harness.Root()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(top, "docs/reference.md"))
	if err != nil {
		t.Fatal(err)
	}
	return markdown.Section(string(page), heading)
}

// hooksOfPage are the hooks with their variables, sorted.
func hooksOfPage(t *testing.T) map[string][]string {
	t.Helper()
	hooks := map[string][]string{}
	for _, hook := range markdown.Items(section(t, "## Hooks")) {
		name := strings.Trim(hook[0], "`")
		for _, item := range markdown.Items(section(t, "### Their environment")) {
			if spans := markdown.Spans(item[0]); len(spans) == 1 || slices.Contains(spans[1:], name) { // without a hook: all have it
				hooks[name] = append(hooks[name], spans[0])
			}
		}
		slices.Sort(hooks[name])
	}
	return hooks
}

// written lists the different lines of a file.
func (s *setup) written(name string) []string {
	s.t.Helper()
	text, err := os.ReadFile(s.path(name))
	if err != nil {
		s.t.Error(err)
	}
	lines := strings.Fields(string(text))
	slices.Sort(lines)
	return slices.Compact(lines)
}
