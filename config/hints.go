package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"confit/internal/near"
	"confit/linker"
	"confit/signals"
)

// Here is what a user most likely meant by a word that means nothing, or something else. Callers say which words may stand there.

// elsewhere has the names that other programs and manifests of Kubernetes have for a thing.
var elsewhere = []struct {
	choice string
	names  []string
}{
	{"link", []string{"configmap", "copy", "file", "ln", "mount", "secret", "subpath", "symlink"}},
	{"env", []string{"envfrom", "environment", "export", "set"}}, {"render", []string{"template"}},
	{"validate", []string{"test", "cmd", "precheck"}}, {"verify", []string{"healthcheck", "probe"}},
	{"reload", []string{"exec", "reload-signal", "reload-command", "on-change", "signal", "notify"}},
	{"splay", []string{"jitter", "delay"}}, {"settle", []string{"debounce"}}, {"rescan", []string{"interval", "poll"}},
	{"stop-timeout", []string{"grace-period"}}, {"stop-signal", []string{"kill-signal"}}, {"hook-timeout", []string{"timeout"}},
	{"volumes", []string{"volume", "mount", "mounts", "dir"}}, {"fallback", []string{"default", "defaults"}}, {"links", []string{"c", "conf", "config", "f"}},
	{"status", []string{"json", "format", "output", "o"}}, {"check", []string{"dry-run", "lint", "n", "plan", "t"}},
	{"version", []string{"v"}}, {"log-level", []string{"debug", "log", "verbose", "quiet"}},
}

// meant is the choice that was most likely meant by a name, or "".
func meant(name string, choices []string) string {
	if i := slices.IndexFunc(choices, func(c string) bool { return strings.HasPrefix(c, name+"=") }); i >= 0 {
		return choices[i]
	}
	for _, e := range elsewhere {
		if slices.Contains(e.names, strings.ToLower(name)) && slices.Contains(choices, e.choice) {
			return e.choice
		}
	}
	return near.Of(name, choices)
}

// didYouMean is the hint for a name that is none of the choices.
func didYouMean(name string, choices []string, otherwise string) string {
	if m := meant(name, choices); m != "" {
		return fmt.Sprintf("did you mean %s?", m)
	}
	return otherwise
}

// meantLine is the hint for a line that begins with none of the names: it is written as in
// other files of settings, lacks its first word, or is misspelt.
func meantLine(first string, names []string) string {
	at := max(strings.IndexAny(first, "=:"), 0)
	switch {
	case slices.Contains(names, first[:at]):
		return fmt.Sprintf("write a blank after %s, not %q", first[:at], first[at])
	case strings.HasPrefix(first, ";"), strings.HasPrefix(first, "//"):
		return "begin a comment with #"
	case strings.Contains(first, "/"):
		return "write link, input or env in front of a source"
	}
	return didYouMean(first, names, "write link, input, env or a flag (confit --help lists the flags)")
}

// meantFlag is the hint for a name that no flag has. after is the flag before it if that has a command: a name
// that is like no flag's is most likely an argument of the command.
func meantFlag(name, after string, names []string) string {
	m := meant(name, names)
	switch {
	case after != "" && near.Of(name, names) == "":
		return "; put quotes around the whole command of " + after
	case m != "":
		return "; did you mean --" + m + "?"
	}
	return ""
}

// meantVariable is the hint for a variable of the environment that is no flag.
func meantVariable(flag string, names []string) string {
	if m := meant(flag, names); m != "" {
		return fmt.Sprintf("did you mean %s?", variable(m))
	}
	return "confit --help lists the flags"
}

// meantValue is what a word behind a flag without a value says; "": nothing.
func meantValue(flag, word string) string {
	switch {
	case flag == "":
	case flag == "status" && (word == "json" || word == "text"):
		return word
	case slices.Contains([]string{"true", "yes", "on", "1"}, word):
		return "true"
	case slices.Contains([]string{"false", "no", "off", "0"}, word):
		return "false"
	}
	return ""
}

// checkApp refuses words without -- in front that are hardly the app: a flag without its
// dashes, the value of a switch, and what stands before a -- that comes later. after is the
// switch in front of them, if it is one, and names are those of all flags.
func checkApp(app []string, after string, names []string) error {
	first := app[0]
	switch value := meantValue(after, first); {
	case slices.Contains(names, first):
		return fmt.Errorf("%q is a flag: write --%s; or confit -- %s, if it is the app", first, first, first)
	case value != "" && (len(app) > 1 || after == "status"):
		return fmt.Errorf("--%s: %q is a word of its own: write --%s=%s", after, first, after, value)
	case lookalike(first) != "":
		return fmt.Errorf("%q holds %s", first, lookalike(first))
	case slices.Contains(app, "--"):
		return fmt.Errorf("%q stands before --, where only flags and their values do: remove it; or write -- in front of it, if it is the app", first)
	}
	return nil
}

// meantAction is the action that was meant by a signal alone, by a command alone, or with
// a blank in place of the colon.
func meantAction(s string, words []string) string {
	first, rest, several := strings.Cut(s, " ")
	sig, err := signals.Parse(s)
	switch {
	case err == nil && signals.Catchable(sig):
		return "signal:" + signals.Name(sig)
	case strings.Contains(first, ":"):
	case several && (first == "signal" || first == "exec"):
		return first + ":" + rest
	case several, strings.HasPrefix(s, "/"):
		return "exec:" + s
	case near.Of(s, words) != "":
		return near.Of(s, words)
	}
	return "auto, touch, signal:NAME, restart, exec:COMMAND or none"
}

// checkProgram refuses words that can't be a program: other programs have commands so.
// written is the command as a line has it.
func checkProgram(list []string, written string) error {
	program := list[0]
	switch {
	case strings.HasPrefix(program, "exec:"):
		return fmt.Errorf("%q is how reload has a command: write %s", program, strings.Replace(written, "exec:", "", 1))
	case len(list) > 1 && isShell(program) && strings.Contains(list[1], " "):
		return fmt.Errorf("%q is no script for %s: write %s -c in front of what it is to do", list[1], program, program)
	case strings.Contains(program, "://") && !strings.ContainsAny(program, " \t"):
		return fmt.Errorf("%q is a URL, not a program: write curl -fsS %s", program, program)
	case program != "[" && strings.HasPrefix(program, "[") && strings.HasSuffix(list[len(list)-1], "]"):
		words := strings.ReplaceAll(strings.ReplaceAll(strings.Trim(strings.Join(list, " "), "[]"), ", ", " "), ",", " ")
		return fmt.Errorf("%q begins a list: write its words with blanks in between, as in %s", program, words)
	}
	return nil
}

// asPlaceholder replaces variables by the placeholders that mean the same, as a shell and
// a manifest of Kubernetes write them.
func asPlaceholder(word string) string {
	for _, p := range [][2]string{{CandidateVariable, Placeholder}, {RenderedVariable, linker.Rendered}} {
		for _, written := range []string{"${" + p[0] + "}", "$(" + p[0] + ")", "$" + p[0]} {
			word = strings.ReplaceAll(word, written, p[1])
		}
	}
	return word
}

// meantPlaceholder is the placeholder that was meant by a misspelt one in a word, or "": one
// or two braces, and letters up to another brace or a slash.
func meantPlaceholder(text string) string {
	_, rest, _ := strings.Cut(text, "{")
	if inner, two := strings.CutPrefix(rest, "{"); two {
		rest = strings.TrimLeft(inner, " ")
	}
	after := strings.TrimLeftFunc(rest, unicode.IsLetter)
	m := near.Of(strings.TrimSuffix(rest, after), []string{"candidate", "rendered"})
	if m == "" || strings.Contains(text, "{"+m+"}") && !strings.Contains(text, "{{") || after != "" && strings.ContainsRune(`"';|&`, rune(after[0])) {
		return ""
	}
	return m
}

// errContinued is the error of a line whose rest stands in the next one.
var errContinued = errors.New(`a line can't be continued by \: write all of it in one line, or '\' for the character itself`)

// checkQuoted refuses a \ outside of quotes that was meant for another program. rest stands
// behind it.
func checkQuoted(rest string) error {
	switch {
	case rest == "":
		return errContinued
	case rest[0] == 'n':
		return errors.New(`\n ends no line: write a new one; in YAML the text stands after |, or in double quotes`)
	}
	return nil
}

// lookalike names a character outside of quotes that an editor has put there, and what to write; "": there is none.
func lookalike(bare string) string {
	for i, r := range bare {
		switch {
		case i == 0 && strings.ContainsRune("–—", r):
			return "a typographic dash: write -, or put quotes around the word"
		case strings.ContainsRune("‘’‚“”„", r):
			return `a typographic quote: write ' or ", or put these around the word`
		case !strconv.IsPrint(r):
			return "what can't be told from a blank or from nothing: write a blank, or put quotes around the word"
		}
	}
	return ""
}

// notText has the bytes that show that a file is no text in UTF-8.
var notText = []struct{ bytes, what string }{
	{"\xef\xbb\xbf", "a byte order mark begins the file: save it as UTF-8 without one"},
	{"\xff\xfe", "the file is UTF-16: save it as UTF-8"},
	{"\xfe\xff", "the file is UTF-16: save it as UTF-8"},
	{"\x00", "a NUL byte is in the file: save it as UTF-8"},
}

// otherFormat names the format of a file that holds no lines, by its bytes or its first line, and
// the number of that. names are those that a line may begin with.
func otherFormat(text string, names []string) (what string, number int) {
	for _, n := range notText {
		if at := strings.Index(text, n.bytes); at == 0 || at > 0 && n.bytes == "\x00" {
			return n.what, strings.Count(text[:at], "\n") + 1
		}
	}
	format := ""
	for line := range strings.Lines(text) {
		number++
		first, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, colon := strings.CutSuffix(first, ":")
		switch {
		case first == "", first[0] == '#':
			continue
		case first == "---", first == "-", colon && (rest == "" || !slices.Contains(names, name)):
			format = "YAML"
		case first == "{", strings.HasPrefix(first, `{"`):
			format = "JSON"
		case first[0] == '[':
			format = "INI or TOML"
		default:
			return "", 0
		}
		return fmt.Sprintf("this is %s, and a links file isn't: write lines such as link web/nginx.conf /etc/nginx/nginx.conf", format), number
	}
	return "", 0
}

// meantFile is the hint for a links file that isn't there. lines is where lines can stand.
func meantFile(name, lines string) string {
	first, rest, list := strings.Cut(name, ",")
	switch {
	case strings.ContainsAny(name, " \t\n"):
		return "if these are lines, write " + lines
	case list:
		return fmt.Sprintf("write --links once for each file, as in --links %s --links %s", first, rest)
	}
	return "write one there, or name it with --links"
}
