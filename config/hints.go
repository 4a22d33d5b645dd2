package config

import (
	"strconv"
	"strings"

	"confit/internal/near"
)

// didYouMean is the hint for a name that is none of the choices: the one that it is most like, if any is.
func didYouMean(name string, choices []string, otherwise string) string {
	name, _, _ = strings.Cut(name, "=") // as other files of settings have it
	if m := near.Of(name, choices); m != "" {
		return "did you mean " + m + "?"
	}
	return otherwise
}

// meantPlaceholder is the placeholder that was meant by a misspelt one in a word, or "": to a hook that would be
// an argument like any other.
func meantPlaceholder(text string) string {
	_, rest, _ := strings.Cut(text, "{")
	name, _, _ := strings.Cut(rest, "}")
	if m := near.Of(name, []string{"candidate", "rendered"}); m != name && !strings.ContainsAny(name, `"' `) {
		return m
	}
	return ""
}

// lookalike reports a character that can't be told from a blank, from nothing or from a quote: an editor has put it there.
func lookalike(r rune) bool {
	return !strconv.IsPrint(r) || strings.ContainsRune("‘’‚“”„", r)
}
