package config

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"confit/linker"
)

// confit starts hooks without a shell, and expands nothing. So it refuses words that
// only a shell acts on: a hook with the argument "&&" rarely says what is wrong.

// expands reports whether a shell would put something else in a word's place. The
// word's quoted characters are blanked out.
func expands(bare string) bool {
	for _, after := range strings.Split(bare, "$")[1:] {
		if after != "" && (after[0] == '{' || after[0] == '(' || after[0] == '_' || 'A' <= after[0]&^0x20 && after[0]&^0x20 <= 'Z') {
			return true
		}
	}
	return strings.HasPrefix(bare, "~/") || strings.Contains(bare, "`")
}

// isOperator reports whether a word is, or ends in, an operator of a shell: && | ; >
// 2>&1 and the like.
func isOperator(bare string) bool {
	rest := strings.TrimLeft(bare, "0123456789")
	return rest != "" && strings.ContainsRune("|&;<>", rune(rest[0])) || strings.HasSuffix(bare, ";")
}

// isPunctuated reports whether a word has the punctuation of other files of settings.
func isPunctuated(bare string) bool { return isOperator(bare) || strings.HasSuffix(bare, ",") }

// needsShell reports whether only a shell can do what a word of a command asks for.
func needsShell(bare string) bool {
	return isOperator(bare) || expands(bare) || strings.Contains(bare, "*")
}

// isBelow reports a path that begins with a placeholder.
func isBelow(word string) bool {
	return strings.HasPrefix(word, Placeholder+"/") || strings.HasPrefix(word, linker.Rendered+"/")
}

// hasShell reports a command with a shell in it, which expands what is quoted.
func hasShell(list []word) bool { return slices.ContainsFunc(texts(list), isShell) }

func isShell(program string) bool { return strings.HasSuffix(program, "sh") }

// checkCommand refuses a command that was written for a shell, and one that is
// quoted as a whole. A program whose name holds a blank is fine if it is there.
func checkCommand(list []word) error {
	if err := checkProgram(texts(list), JoinWords(texts(list))); err != nil {
		return err
	}
	for i, w := range list {
		if i > 0 && list[i-1].text == "{{" {
			w.text = "{{" + w.text + "}}"
		}
		if written := asPlaceholder(w.text); written != w.text && (expands(w.bare) || !hasShell(list) && isBelow(written)) {
			return fmt.Errorf("%q needs a shell, and a hook runs without one: write %s", w.text, written)
		}
		if meant := meantPlaceholder(w.text); meant != "" {
			return fmt.Errorf("%q holds no placeholder: did you mean {%s}?", w.text, meant)
		}
		if needsShell(w.bare) {
			return fmt.Errorf("%q needs a shell, and a hook runs without one: write sh -c '…', or put quotes around what is meant as it stands", w.text)
		}
	}
	program := list[0].text
	if _, err := os.Stat(program); err != nil && strings.ContainsAny(program, " \t") {
		return fmt.Errorf("%q is one word, and no program has this name: remove the quotes around it", program)
	}
	return nil
}

// splitHook splits the command of a hook that isn't the renderer. To it {rendered}
// would be an argument like any other.
func splitHook(command string) ([]string, error) {
	list, err := splitCommand(command)
	for _, w := range list {
		if err == nil && strings.Contains(w, linker.Rendered) {
			err = fmt.Errorf("%q holds {rendered}, which only render has: write {candidate}/.rendered", w)
		}
	}
	return list, err
}

// splitCommand is splitWords, but refuses what can't be a command.
func splitCommand(command string) ([]string, error) {
	list, err := words(command)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0, list[0].text == "":
		return nil, fmt.Errorf("%q holds no command: write a program and its arguments", command)
	}
	return texts(list), checkCommand(list)
}
