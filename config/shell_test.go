package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestShellSyntax: what only a shell would act on is refused outside of quotes, and
// nothing else is.
func TestShellSyntax(t *testing.T) {
	for _, word := range []string{
		"&&", "||", "|", ";", "&", "nginx;", ">", ">>", ">/dev/null", "2>&1", "2>/tmp/x", "<", "<in", "&>x",
		"$HOME", "${HOME}", "a$b", "$(date)", "x=$_", "`date`", "*", "a/*.conf", "~/x", "$1$x",
	} {
		_, err := splitCommand("a " + word)
		if err == nil || !strings.HasSuffix(err.Error(), " needs a shell, and a hook runs without one: write sh -c '…', or put quotes around what is meant as it stands") {
			t.Errorf("%s: error %v", word, err)
		}
		for _, quoted := range []string{"'" + word + "'", JoinWords([]string{word})} {
			if list, err := splitCommand("a " + quoted); err != nil || list[1] != word {
				t.Errorf("%s: %q, %v", quoted, list, err)
			}
		}
	}
	for _, word := range []string{
		"a&b", "http://h/?a=1&b=2", "a>b", "12", "$", "$1", "a$", "a$.", "~", "a~/b", "{candidate}/a", "{a,b}", "[a]", "!x", "-", "a;b", "user@host", `\$HOME`, `\*`,
	} {
		if _, err := splitCommand("a " + word); err != nil {
			t.Errorf("%s: %v", word, err)
		}
	}
}

// TestPlaceholders: a misspelt one would be an argument like any other.
func TestPlaceholders(t *testing.T) {
	for word, want := range map[string]string{
		"{candidate}/a": "", "x{rendered}": "", "{}": "", "{a,b}": "", "{": "", "{other}": "", `'{"rendered"}'`: "",
		"{canidate}/a": `"{canidate}/a" holds no placeholder: did you mean {candidate}?`,
		"a={render}":   `"a={render}" holds no placeholder: did you mean {rendered}?`,
		"{Candidate}":  `"{Candidate}" holds no placeholder: did you mean {candidate}?`,
	} {
		got := ""
		if _, err := splitCommand("a " + word); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

// TestRenderedIsTheRenderers: to every other hook {rendered} would be an argument like
// any other.
func TestRenderedIsTheRenderers(t *testing.T) {
	if _, err := parse(t, write(t, "links", oneLink), nil, "--render", "sh -c 'x > {rendered}/a'", "--", "app"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"validate", "gate", "report", "verify", "reload"} {
		command := "tell {candidate}/web x={rendered}/a"
		if name == "reload" {
			command = "exec:" + command
		}
		_, err := parse(t, write(t, "links", oneLink), nil, "--"+name, command, "--", "app")
		wantOnly(t, err, "--"+name+`: "x={rendered}/a" holds {rendered}, which only render has: write {candidate}/.rendered`)
	}
}

// TestProgramWithBlank: a command in quotes is refused, and a program whose name
// holds a blank isn't.
func TestProgramWithBlank(t *testing.T) {
	program := filepath.Join(t.TempDir(), "a program")
	if _, err := splitCommand(`"curl -X POST http://x"`); err == nil || !strings.Contains(err.Error(), "remove the quotes around it") {
		t.Errorf("error %v", err)
	}
	if _, err := splitCommand("'" + program + "' x"); err == nil || !strings.Contains(err.Error(), "is one word, and no program has this name: remove the quotes around it") {
		t.Errorf("error %v", err)
	}
	if err := os.WriteFile(program, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := splitCommand("'" + program + "' x"); err != nil {
		t.Error(err)
	}
}

// TestNotText: a file that isn't UTF-8 text is refused as a whole, with the one
// reason and its line.
func TestNotText(t *testing.T) {
	for text, want := range map[string]string{
		"\xef\xbb\xbf" + oneLink:                  `:1: a byte order mark begins the file: save it as UTF-8 without one`,
		"\xff\xfel\x00i\x00n\x00k\x00\n\x00":      `:1: the file is UTF-16: save it as UTF-8`,
		"\xfe\xff\x00l\x00i\x00n\x00k\x00\n":      `:1: the file is UTF-16: save it as UTF-8`,
		oneLink + "l\x00i\x00n\x00k\x00\n\x00":    `:2: a NUL byte is in the file: save it as UTF-8`,
		"\x00" + strings.Repeat("not known\n", 3): `:1: a NUL byte is in the file: save it as UTF-8`,
	} {
		file := write(t, "links", text)
		_, err := parse(t, file, nil, "--", "app")
		wantOnly(t, err, file+want)
	}
}
