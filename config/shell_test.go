package config

import (
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
