package config

import (
	"fmt"
	"strings"

	"confit/linker/near"
)

// confit starts hooks without a shell, and expands nothing. So it refuses words that only a shell
// acts on: a hook with the argument "&&" rarely says what is wrong.

// expands reports whether a shell would put something else in a word's place. The word's quoted
// characters are blanked out.
func expands(bare string) bool {
	for _, after := range strings.Split(bare, "$")[1:] {
		if after != "" && (after[0] == '{' || after[0] == '(' || after[0] == '_' ||
			'A' <= after[0]&^0x20 && after[0]&^0x20 <= 'Z') {
			return true
		}
	}
	return strings.HasPrefix(bare, "~/") || strings.Contains(bare, "`")
}

// isOperator reports whether a word is, or ends in, an operator of a shell: && | ; > 2>&1 and the like.
func isOperator(bare string) bool {
	rest := strings.TrimLeft(bare, "0123456789")
	return rest != "" && strings.ContainsRune("|&;<>", rune(rest[0])) || strings.HasSuffix(bare, ";")
}

// needsShell reports whether only a shell can do what a word of a command asks for.
func needsShell(bare string) bool {
	return isOperator(bare) || expands(bare) || strings.Contains(bare, "*")
}

// splitCommand splits a command into its words, and refuses what can't be one or was written for a shell.
func splitCommand(command string) ([]string, error) {
	list, err := words(command)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0, list[0].text == "":
		return nil, fmt.Errorf("%q holds no command: write a program and its arguments", command)
	}
	for _, w := range list {
		if meant := meantPlaceholder(w.text); meant != "" {
			return texts(list), fmt.Errorf("%q holds no placeholder: did you mean {%s}?", w.text, meant)
		}
		if needsShell(w.bare) {
			return texts(list), fmt.Errorf("%q needs a shell, and a hook runs without one: write sh -c '…', or put quotes around what is meant as it stands", w.text)
		}
	}
	return texts(list), nil
}

// meantPlaceholder is the placeholder that was meant by a misspelt one in a word, or "": a hook would
// get that as any other argument.
func meantPlaceholder(text string) string {
	_, rest, _ := strings.Cut(text, "{")
	name, _, _ := strings.Cut(rest, "}")
	if name == "live" { // which {candidate} is where there is none
		return "candidate"
	}
	if m := near.Of(name, []string{"candidate", "rendered"}); m != name && !strings.ContainsAny(name, `"' `) {
		return m
	}
	return ""
}
