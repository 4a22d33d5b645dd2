package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// word is one word of a line, and its place there in bytes.
type word struct {
	text       string
	bare       string // text, with a blank for each byte that was quoted
	start, end int
	breaks     bool // it has the two characters \n outside of quotes
}

// words splits a line as a POSIX shell does (Shell Command Language, 2.2 Quoting and 2.3 Token
// Recognition), but expands nothing: a backslash quotes the next character, '…' all, "…" all but a
// backslash before $ ` " \, and # at the start of a word begins a comment.
func words(line string) ([]word, error) {
	var list []word
	for i := 0; i < len(line); {
		switch line[i] {
		case ' ', '\t', '\n', '\r':
			i++
		case '#':
			return list, nil
		default:
			w, err := oneWord(line, i)
			if err != nil {
				return list, err
			}
			list = append(list, w)
			i = w.end
		}
	}
	return list, nil
}

// oneWord reads the word that begins at start.
func oneWord(line string, start int) (word, error) {
	var text, bare strings.Builder
	i, breaks := start, false
	for i < len(line) && !strings.ContainsRune(" \t\n\r", rune(line[i])) {
		switch line[i] {
		case '\\':
			if i+1 == len(line) {
				return word{}, errors.New(`a line can't be continued by \: write all of it in one line, or '\' for the character itself`)
			}
			text.WriteByte(line[i+1])
			breaks = breaks || line[i+1] == 'n'
			i += 2
		case '\'', '"':
			n, err := quoted(&text, line[i:])
			if err != nil {
				return word{}, err
			}
			i += n
		default:
			text.WriteByte(line[i])
			bare.WriteByte(line[i])
			i++
		}
		bare.WriteString(strings.Repeat(" ", text.Len()-bare.Len()))
	}
	// no path and no argument has a zero byte
	if strings.ContainsFunc(bare.String(), lookalike) || strings.ContainsRune(text.String(), 0) {
		return word{}, fmt.Errorf("%q holds what only looks like a blank, a quote or nothing: write that, or put quotes around the word", line[start:i])
	}
	return word{text.String(), bare.String(), start, i, breaks}, nil
}

// quoted appends the text between the quote at the start of s and the next one. It returns how many
// bytes of s these are, with the quotes.
func quoted(text *strings.Builder, s string) (int, error) {
	quote := s[0]
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return i + 1, nil
		case quote == '"' && s[i] == '\\' && i+1 < len(s) && strings.ContainsRune("$`\"\\", rune(s[i+1])):
			i++
			text.WriteByte(s[i])
		default:
			text.WriteByte(s[i])
		}
	}
	return 0, fmt.Errorf("%q is never closed: add a %c at the end of the word", s, quote)
}

func texts(list []word) (texts []string) {
	for _, w := range list {
		texts = append(texts, w.text)
	}
	return texts
}

// JoinWords writes a command so that splitCommand reads the same words.
func JoinWords(list []string) string {
	quoted := make([]string, len(list))
	for i, w := range list {
		quoted[i] = w
		if w == "" || strings.ContainsAny(w, " '\"\\#") || strings.ContainsFunc(w, lookalike) || needsShell(w) {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// lookalike reports a character that can't be told from a blank, from nothing or from a quote: an
// editor has put it there.
func lookalike(r rune) bool {
	return !strconv.IsPrint(r) || strings.ContainsRune("‘’‚“”„", r)
}
