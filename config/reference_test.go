package config

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"confit/integration/markdown"
	"confit/linker"
)

// The page docs/reference.md is held by the tables of this package: what the page
// lacks fails, and so does what only the page has.

// reference lists the rows of the tables in a section of the page, or the items of its
// lists where it has no table.
func reference(t *testing.T, heading string) [][]string {
	t.Helper()
	page, err := os.ReadFile("../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	section := markdown.Section(string(page), heading)
	rows := markdown.Rows(section)
	if len(rows) == 0 {
		rows = markdown.Items(section)
	}
	if len(rows) == 0 {
		t.Fatalf("the page has no table and no list below %q", heading)
	}
	return rows
}

// wantSame compares two lists, whatever their order.
func wantSame(t *testing.T, what string, page, program []string) {
	t.Helper()
	for _, name := range page {
		if !slices.Contains(program, name) {
			t.Errorf("%s: the page has %q, the program hasn't", what, name)
		}
	}
	for _, name := range program {
		if !slices.Contains(page, name) {
			t.Errorf("%s: the page lacks %q", what, name)
		}
	}
	if len(page) != len(program) && !t.Failed() {
		t.Errorf("%s: the page says one of these twice: %q", what, page)
	}
}

// TestReferenceFlags: each flag has an item that begins as its line in the help.
func TestReferenceFlags(t *testing.T) {
	var page, help []string
	for _, item := range reference(t, "## Flags") {
		page = append(page, markdown.Spans(item[0])[0])
	}
	for line := range strings.Lines(Usage()) {
		if flags, found := strings.CutPrefix(line, "  --"); found {
			flags, _, _ = strings.Cut(strings.TrimSpace("--"+flags), "  ")
			help = append(help, strings.Split(flags, ", ")...)
		}
	}
	wantSame(t, "flags", page, help)
}

// TestReferenceDefaults: the item names the default, and whether the flag may
// stand twice.
func TestReferenceDefaults(t *testing.T) {
	for _, item := range reference(t, "## Flags") {
		s := settingsOf(new(Config)).find(strings.TrimPrefix(strings.Fields(strings.Trim(item[0], "`"))[0], "--"))
		if s == nil {
			continue // TestReferenceFlags says so
		}
		want := s.def
		switch {
		case s.name == "links":
			want = defaultLinks
		case s.name == "settle":
			want = "0 for a single ConfigMap or Secret volume, " + SwapSettle.String() + " for several, else " + DefaultSettle.String()
		case s.bare():
			want = ""
		}
		_, got, _ := strings.Cut(strings.TrimSuffix(item[0], ")"), " (")
		if got = strings.Trim(got, "`"); got != want {
			t.Errorf("--%s: the page says that the default is %q, it is %q", s.name, got, want)
		}
		if repeat := s.repeat || s.name == "links"; strings.Contains(item[1], "repeatable") != repeat {
			t.Errorf("--%s: repeatable is %v, the page says %q", s.name, repeat, item[1])
		}
	}
}

// TestReferencePlaces: where each flag may stand.
func TestReferencePlaces(t *testing.T) {
	places, rest := map[string]string{}, ""
	for _, item := range reference(t, "### Where a flag may stand") {
		for _, flag := range markdown.Spans(item[0]) {
			if settingsOf(new(Config)).find(strings.TrimPrefix(flag, "--")) == nil {
				t.Errorf("%s is no flag", flag)
			}
			places[flag] = item[1]
		}
		if item[0] == "all others" {
			rest = item[1]
		}
	}
	for _, s := range settingsOf(new(Config)) {
		got, named := places["--"+s.name]
		if !named {
			got = rest
		}
		want := "command line"
		if !s.notEnv {
			want += ", environment"
		}
		if !s.notFile {
			want += ", links file"
		}
		if got != want {
			t.Errorf("--%s: the page says %q, and the flag may stand in %q", s.name, got, want)
		}
	}
}

// TestReferenceLines: each line that names a source, and each of its options.
func TestReferenceLines(t *testing.T) {
	example := strings.NewReplacer("SOURCE", "web/a", "TARGET", "/etc/a", "NAME", "A", "ACTION", "restart")
	rendered := strings.NewReplacer("MODE", "0644\nrender true", "SOURCE", linker.Rendered+"/a") // for the option that needs one
	lines, options := map[string]string{}, map[string][]string{}
	for _, row := range reference(t, "## The links file") {
		spans := markdown.Spans(row[0])
		if len(row) == 2 {
			lines[strings.Fields(spans[0])[0]] = spans[0]
			continue
		}
		for _, line := range markdown.Spans(row[1]) {
			options[line] = append(options[line], spans...)
		}
	}
	wantSame(t, "lines", slices.Collect(maps.Keys(lines)), slices.Collect(maps.Keys(sourceLines)))
	for name, line := range lines {
		wantSame(t, "options of "+name, options[name], sourceLines[name].options)
		for _, option := range append(options[name], "") {
			text := line + " " + option
			if strings.Contains(option, "MODE") {
				text = rendered.Replace(text)
			}
			mustParse(t, write(t, "links", example.Replace(text)), nil, "--", "true")
		}
	}
}

// TestReferenceSources: each pair of a source and a target can be linked.
func TestReferenceSources(t *testing.T) {
	for _, row := range reference(t, "### Sources and targets") {
		line := "link " + strings.Trim(row[0], "`") + " " + strings.Trim(row[1], "`") + "\nrender true\n"
		mustParse(t, write(t, "links", line), nil, "--", "true")
	}
}

// TestReferencePlaceholders: those that the help names, too.
func TestReferencePlaceholders(t *testing.T) {
	var page []string
	for _, item := range reference(t, "### Placeholders") {
		page = append(page, markdown.Spans(item[0])[0])
	}
	help := regexp.MustCompile(`\{[a-z]+\}`).FindAllString(Usage(), -1)
	slices.Sort(help)
	wantSame(t, "placeholders", page, slices.Compact(help))
	if !slices.Contains(page, linker.Rendered) {
		t.Errorf("the page lacks %s", linker.Rendered)
	}
}

// TestReferenceActions: those that the error of a wrong one names, the strongest
// first.
func TestReferenceActions(t *testing.T) {
	var page []string
	last := Restart
	for _, item := range reference(t, "## Actions") {
		name := strings.Trim(item[0], "`")
		page = append(page, name)
		a, err := ParseAction(strings.NewReplacer("CMD", "true", "NAME", "USR1").Replace(name))
		if err != nil || a.Kind > last {
			t.Errorf("%s is none, or stronger than the item above it: %v", name, err)
		}
		last = a.Kind
	}
	_, err := ParseAction("")
	_, known, _ := strings.Cut(err.Error(), "write ")
	known = strings.NewReplacer(" or ", ", ", "COMMAND", "CMD").Replace(known)
	wantSame(t, "actions", page, strings.Split(known, ", "))
}

// TestReferenceHooks: each flag that is a command has an item, as it is a hook.
func TestReferenceHooks(t *testing.T) {
	var page []string
	for _, row := range reference(t, "## Hooks") {
		page = append(page, strings.Trim(row[0], "`"))
	}
	var hooks []string
	for _, s := range settingsOf(new(Config)) {
		if s.command() {
			hooks = append(hooks, s.name)
		}
	}
	wantSame(t, "hooks", page, hooks)
}

// TestReferenceVariables: which of them a hook has is held by the test that runs
// all hooks, in integration.
func TestReferenceVariables(t *testing.T) {
	var page []string
	for _, item := range reference(t, "### Their environment") {
		page = append(page, markdown.Spans(item[0])[0])
	}
	wantSame(t, "variables", page, hookVariables)
}
