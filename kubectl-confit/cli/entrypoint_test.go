package cli

import (
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"confit/process/entrypoint"
)

var scripts = flag.Int("scripts", 20_000, "so many scripts at random")

// special is a quote that shells take for different things.
var special = regexp.MustCompile(`:-'|:-it's|%'}";`)

// shellText is one of confit's table of scripts, and how a shell gets it.
type shellText struct {
	title, text string
	how         entrypoint.How
}

func shellTexts(t *testing.T) (list []shellText) {
	t.Helper()
	bytes, err := os.ReadFile("../../process/entrypoint/testdata/scripts.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(strings.TrimSuffix(string(bytes), "\n"), "\n\n=== ")[2:] {
		title, text, _ := strings.Cut(block, "\n")
		words := strings.Fields(strings.NewReplacer("|", "", ",", "").Replace(title))
		how := entrypoint.How{Shell: words[1], Command: words[2] == "-c"}
		how.Args = !strings.Contains(title, "no arguments")
		list = append(list, shellText{title, text, how})
	}
	return list
}

// TestEntrypoint_parser holds confit's reader of scripts against a parser of bash, on the same table: it may say no
// where the parser says yes, never the reverse.
func TestEntrypoint_parser(t *testing.T) {
	read := 0
	for _, at := range shellTexts(t) {
		want, known := parserSays(at.text, at.how)
		if !known {
			continue
		}
		read++
		if got := entrypoint.Read(at.text, at.how).Executes; got && !want {
			t.Errorf("%s: confit says yes, the parser no\n%s", at.title, at.text)
		}
	}
	if all := len(shellTexts(t)); read < all*9/10 {
		t.Errorf("the parser can read only %d texts of %d", read, all)
	}
}

// TestEntrypoint_random puts lines of the table together at random, with signs too many or too few: what the parser can
// read of that is judged as well. confit says no to what it can't read, which is seldom.
func TestEntrypoint_random(t *testing.T) {
	all := shellTexts(t)
	var lines []string
	for _, at := range all {
		if special.MatchString(at.text) {
			continue
		}
		lines = append(lines, strings.SplitAfter(at.text+"\n", "\n")...)
	}
	read, yes, missed := 0, 0, 0
	for n := range uint64(*scripts) {
		if *seed > 0 {
			n = *seed // and the same again
		}
		r := rand.New(rand.NewPCG(n, 3))
		text := randomScript(r, lines)
		how := all[r.IntN(len(all))].how
		want, known := parserSays(text, how)
		got := entrypoint.Read(text, how).Executes
		if !known {
			continue
		}
		read++
		if want {
			yes++
		}
		if want && !got && !how.Command { // of -c confit knows more than the parser
			missed++
		}
		if got && !want && exec.Command("bash", "-n", "-c", text).Run() == nil { // bash can read it, too
			t.Fatalf("-seed %d: confit says yes, the parser no, of %+v\n%s", n, how, text)
		}
	}
	if *seed == 0 && (read < *scripts/10 || yes < read/10 || missed > yes/200) {
		t.Errorf("the parser read %d of %d and said yes to %d; confit said no to %d", read, *scripts, yes, missed)
	}
}

// randomScript has some lines, a few of them in a larger command, and now and then a sign too many or too few.
func randomScript(r *rand.Rand, lines []string) string {
	var b strings.Builder
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	for range 1 + r.IntN(4) {
		line := pick(lines...)
		switch r.IntN(6) {
		case 0:
			line = pick("{ ", "( ", "f() { ", "x=$( ", "if work; then ", "while work; do ") + line
			line += pick("}", ")", "fi", "done", "}", ")") + pick("\n", " &\n", " | cat\n", "; ")
		case 1:
			line = strings.TrimSuffix(line, "\n") + pick(" &\n", " | cat\n", "; ", " && ", " 2>&1\n", " # it's\n")
		}
		b.WriteString(line)
	}
	text := b.String()
	for range r.IntN(3) {
		at := r.IntN(len(text) + 1)
		sign := pick("", `"`, "'", "`", "$(", ")", "(", "{", " ", ";", "&", "|", "#", "\\", "\n", "exec ", "<<", "$")
		text = text[:at] + sign + text[min(at+r.IntN(2), len(text)):]
	}
	return text
}
