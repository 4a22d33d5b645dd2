package config

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// lines are split by confit as by sh. A shell's special characters are quoted here:
// a shell would expand them, and confit takes them as they are.
var lines = []struct {
	line string
	want []string
}{
	{``, nil},
	{"  \t ", nil},
	{`nginx -t`, []string{"nginx", "-t"}},
	{" \tnginx\t -t  ", []string{"nginx", "-t"}},
	{`''`, []string{""}},
	{`"" ''`, []string{"", ""}},
	{`a''b""c`, []string{"abc"}},
	{`'a b'`, []string{"a b"}},
	{`"a b"`, []string{"a b"}},
	{`a\ b`, []string{"a b"}},
	{`a'b c'd`, []string{"ab cd"}},
	{`-g 'daemon off;'`, []string{"-g", "daemon off;"}},
	{`'\'`, []string{`\`}},
	{`'a\nb'`, []string{`a\nb`}},
	{`"a\nb"`, []string{`a\nb`}},
	{`"\\"`, []string{`\`}},
	{`"\""`, []string{`"`}},
	{`"\$HOME" "\x"`, []string{"$HOME", `\x`}},
	{"\"\\`\"", []string{"`"}},
	{`'$HOME * ? ~'`, []string{"$HOME * ? ~"}},
	{`\$HOME \* \~ \; \' \"`, []string{"$HOME", "*", "~", ";", "'", `"`}},
	{`\\ \a`, []string{`\`, "a"}},
	{`'it'\''s'`, []string{"it's"}},
	{`"it's" 'a"b'`, []string{"it's", `a"b`}},
	{`a # b`, []string{"a"}},
	{`# a b`, nil},
	{`a#b`, []string{"a#b"}},
	{`''#b`, []string{"#b"}},
	{`\#b '#' "#"`, []string{"#b", "#", "#"}},
	{`a=b --c=d`, []string{"a=b", "--c=d"}},
	{`if then do done`, []string{"if", "then", "do", "done"}},
	{`é ü€`, []string{"é", "ü€"}},
}

func TestWords(t *testing.T) {
	for _, tt := range lines {
		got, err := splitWords(tt.line)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, %v, want %q", tt.line, got, err, tt.want)
		}
		if said := shellWords(t, tt.line); !slices.Equal(said, tt.want) {
			t.Errorf("%q: sh says %q, want %q", tt.line, said, tt.want)
		}
	}
}

// TestWordsThatNeverEnd: where a shell would wait for more, confit has an error
// with a hint.
func TestWordsThatNeverEnd(t *testing.T) {
	for line, want := range map[string]string{
		`nginx 'x y`:    `"'x y" is never closed: add a ' at the end of the word`,
		`nginx "x y`:    `"\"x y" is never closed: add a " at the end of the word`,
		`"x\"`:          `"\"x\\\"" is never closed: add a " at the end of the word`,
		`nginx -t \`:    "a line can't be continued by \\: write all of it in one line, or '\\' for the character itself",
		`'a' "b" c'd"e`: `"'d\"e" is never closed: add a ' at the end of the word`,
	} {
		if _, err := splitWords(line); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", line, err, want)
		}
	}
}

// TestCarriageReturn: confit reads a links file with the line ends of Windows. A
// shell would take the CR for a letter.
func TestCarriageReturn(t *testing.T) {
	if got, err := splitWords("a b\r\n"); err != nil || !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %q, %v", got, err)
	}
}

// shellWords has sh split a line.
func shellWords(t testing.TB, line string) []string {
	t.Helper()
	// The line break in front of do ends a comment.
	out, err := exec.Command("sh", "-c", "for w in "+line+"\ndo printf '%s\\0' \"$w\"; done").Output()
	if err != nil {
		t.Fatalf("sh on %q: %v", line, err)
	}
	list := strings.Split(string(out), "\x00")
	return list[:len(list)-1]
}

// special are the characters that mean more to a shell than to confit, or something
// else: a CR separates words, a line break ends them, and nobody can give sh a NUL.
// A byte that isn't ASCII may be a blank to a shell in some locale.
func special(r rune) bool {
	return strings.ContainsRune("$`*?[]~;&|()<>!{}^\r\n\x00", r) || r > 126
}

// FuzzWords: splitting never panics, the place of each word is right, splitWords
// reads what JoinWords writes, and sh splits in the same way.
func FuzzWords(f *testing.F) {
	for _, tt := range lines {
		f.Add(tt.line)
	}
	f.Add(`\  0`)
	f.Add("a|'|\\|\n||#|\r|\"$x\"")
	f.Fuzz(func(t *testing.T, line string) {
		checkJoin(t, strings.Split(strings.ReplaceAll(line, "\x00", ""), "|")) // no argument has a zero byte
		list, err := words(line)
		checkPlaces(t, line, list)
		if err != nil {
			return
		}
		texts, _ := splitWords(line)
		checkJoin(t, texts)
		if strings.ContainsFunc(line, special) || len(line) > 100_000 { // the kernel takes 128 KiB: execve(2)
			return
		}
		if said := shellWords(t, line); !slices.Equal(said, texts) {
			t.Errorf("%q: %q, sh says %q", line, texts, said)
		}
	})
}

func checkJoin(t *testing.T, list []string) {
	t.Helper()
	joined := JoinWords(list)
	if again, err := splitWords(joined); err != nil || !slices.Equal(again, list) {
		t.Errorf("%q is written as %q and read as %q, %v", list, joined, again, err)
	}
}

// checkPlaces: the words can be cut out of the line, whole and in order, as a
// command is cut out of a links file.
func checkPlaces(t *testing.T, line string, list []word) {
	t.Helper()
	from := 0
	for _, w := range list {
		if w.start < from || w.end <= w.start || w.end > len(line) {
			t.Fatalf("%q: the word %+v stands before %d or outside", line, w, from)
		}
		if alone, err := splitWords(line[w.start:w.end]); err != nil || !slices.Equal(alone, []string{w.text}) {
			t.Errorf("%q: the word %+v alone is %q, %v", line, w, alone, err)
		}
		from = w.end
	}
}

// splitWords splits a command into its words.
func splitWords(command string) ([]string, error) {
	list, err := words(command)
	return texts(list), err
}
