package config

import (
	"strings"
	"testing"
	"unicode/utf8"

	"confit/process"
)

func TestHelpFits(t *testing.T) {
	for line := range strings.Lines(Usage()) {
		line = strings.TrimSuffix(line, "\n")
		if n := utf8.RuneCountInString(line); n > helpWidth {
			t.Errorf("%d columns: %s", n, line)
		}
		if strings.ContainsRune(line, '\t') || strings.TrimRight(line, " ") != line {
			t.Errorf("tab, or blank at the end: %q", line)
		}
	}
}

// defaults are those that the help writes in other words than the table.
var defaults = map[string]string{
	"links":  "(" + defaultLinks + ")",
	"settle": "(0 for a single ConfigMap or Secret volume, " + SwapSettle.String() + " for several, else " + DefaultSettle.String() + ")",
}

// TestHelpNamesEverySetting with its default, and names no other flag.
func TestHelpNamesEverySetting(t *testing.T) {
	text := describedFlags()
	for _, s := range settingsOf(new(Config)) {
		described, ok := text[s.name]
		if !ok {
			t.Errorf("--%s isn't in the help", s.name)
			continue
		}
		delete(text, s.name)
		want := defaults[s.name]
		if want == "" && s.def != "" && s.def != "false" { // a switch is off: no need to say so
			want = "(" + s.def + ")"
		}
		if !strings.HasSuffix(described, want) || (want == "" && strings.HasSuffix(described, ")")) {
			t.Errorf("--%s: the help says %q, the default is %q", s.name, described, want)
		}
	}
	for name := range text {
		t.Errorf("the help has --%s, which is no flag", name)
	}
}

// describedFlags reads the help: the flags, and all that is said of each. A
// description goes on as long as the lines are indented further than a flag.
func describedFlags() map[string]string {
	text, name := map[string]string{}, ""
	for line := range strings.Lines(Usage()) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "  --"):
			flags, described, _ := strings.Cut(strings.TrimPrefix(line, "  "), "  ")
			for flag := range strings.SplitSeq(flags, ", ") {
				name, _, _ = strings.Cut(strings.TrimPrefix(strings.Fields(flag)[0], "--"), "[")
				text[name] = strings.TrimSpace(described)
			}
		case strings.HasPrefix(line, "      "):
			text[name] = strings.TrimSpace(text[name] + " " + strings.TrimSpace(line))
		default:
			name = ""
		}
	}
	delete(text, "")
	return text
}

// TestHelpExample: the links file in the help is one.
func TestHelpExample(t *testing.T) {
	_, example, _ := strings.Cut(Usage(), "A links file\n")
	example, _, _ = strings.Cut(example, "\n\n")
	c := mustParse(t, write(t, "links", example), nil, "--", "nginx", "-g", "daemon off;")
	if len(c.Links) != 5 || JoinWords(c.Validate) != "nginx -t" || c.StopSignal != 3 {
		t.Errorf("read as %+v", c)
	}
}

// TestHelpNamesExitCodes: those of confit itself are in the help, as numbers.
func TestHelpNamesExitCodes(t *testing.T) {
	_, codes, _ := strings.Cut(Usage(), "Exit codes:")
	for code, what := range map[int]string{process.ExitUsage: "64 wrong usage", process.ExitSystem: "71 the system", process.ExitRejected: "78 the first"} {
		if !strings.Contains(strings.Join(strings.Fields(codes), " "), what) {
			t.Errorf("exit code %d isn't described as %q in\n%s", code, what, codes)
		}
	}
}
