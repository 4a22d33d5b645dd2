package entrypoint

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// signs are what a shell's grammar is made of.
var signs = []string{
	"(", ")", "((", "))", "$(", "$((", "${", "}", "{ ", "`", `"`, "'", "$'", "\\", "\n", " ", "#", "#\n", "\r",
	";", ";;", "&", "&&", "|", "||", "<", ">", "<<a ", "<<-a\n", "<(", "a=(", "@(", "f() ", "function f ",
	"coproc ", "! ",
	"if ", "then ", "fi ", "while ", "do ", "done ", "case a in ", "a) ", "esac ", "for a in ", "[[ ", "]] ",
	"exec ", "eval ", "eval eval ", "set -- ", "a", "a=", "a[", "]", "{a}>", "1>", "$@", "é", "\x00", "\xff",
}

// TestRead_any: whatever a text holds, it is read to its end: in a time that its length bounds, and without a
// deep stack.
func TestRead_any(t *testing.T) {
	t.Parallel()
	for _, first := range signs {
		for _, second := range signs {
			Read(strings.Repeat(first+second, 30), How{Shell: "bash", Command: true})
		}
		Read(strings.Repeat(first, 64<<10/len(first)), How{Shell: "dash"})
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		var b strings.Builder
		for range r.IntN(40) {
			b.WriteString(signs[r.IntN(len(signs))])
		}
		Read(b.String(), How{Shell: "bash", Command: true})
	}
}

// TestTraps: a trap counts wherever it stands, if it does something at the signal.
func TestTraps(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"trap 'exit 0' TERM; work":                   true,
		"trap stop INT SIGTERM\nwork":                true,
		"trap -- \"echo $x\" 'term'":                 true,
		"f() { trap cleanup 1 15; }; f; exec daemon": true,
		"trap '' TERM":                               false,
		"trap - TERM":                                false,
		"trap cleanup EXIT INT":                      false,
		"echo trap x TERM":                           false,
		"trap 'kill -TERM $pid' EXIT":                false,
		"trap TERM":                                  false,
	} {
		l := Look{Meaning: Read(text, How{Shell: "bash"})}
		if got := l.Traps("TERM", 15); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
