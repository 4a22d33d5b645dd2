package config

import (
	"errors"
	"fmt"
	"strings"
)

// word is one word of a line and where it stands in it, in bytes.
type word struct {
	text       string
	start, end int
}

// words splits a line as a POSIX shell does (Shell Command Language, 2.2
// Quoting and 2.3 Token Recognition), without expanding anything: blanks part
// words, a backslash quotes the next character, '…' quotes everything, "…"
// everything but a backslash in front of $ ` " \, and # at the start of a word
// begins a comment.
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
	var text strings.Builder
	i := start
	for i < len(line) && !strings.ContainsRune(" \t\n\r", rune(line[i])) {
		switch line[i] {
		case '\\':
			if i+1 == len(line) {
				return word{}, errors.New(`a \ at the end of the line quotes nothing: remove it, or write '\'`)
			}
			text.WriteByte(line[i+1])
			i += 2
		case '\'', '"':
			n, err := quoted(&text, line[i:])
			if err != nil {
				return word{}, err
			}
			i += n
		default:
			text.WriteByte(line[i])
			i++
		}
	}
	return word{text.String(), start, i}, nil
}

// quoted appends what stands between the quote that s begins with and the next
// one, and returns how many bytes that took.
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

// splitWords splits a command into its words.
func splitWords(command string) ([]string, error) {
	list, err := words(command)
	var texts []string
	for _, w := range list {
		texts = append(texts, w.text)
	}
	return texts, err
}

// splitCommand is splitWords for what must be a command.
func splitCommand(command string) ([]string, error) {
	list, err := splitWords(command)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%q holds no command: write a program and its arguments", command)
	}
	return list, err
}

// joinWords writes words so that splitWords reads them again.
func joinWords(list []string) string {
	quoted := make([]string, len(list))
	for i, w := range list {
		quoted[i] = w
		if w == "" || strings.ContainsAny(w, " \t\r\n'\"\\#") {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// nearest is the choice that the word is most likely to be a slip of, or "".
func nearest(word string, choices []string) string {
	best, least := "", 3
	for _, c := range choices {
		if d := distance(word, c); d < least {
			best, least = c, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete or replace to make one
// word of the other: Levenshtein, by rows.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := diagonal
			if a[i-1] != b[j-1] {
				replace++
			}
			diagonal = row[j]
			row[j] = min(replace, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}

// didYouMean is the hint for an unknown name.
func didYouMean(name string, choices []string) string {
	if near := nearest(name, choices); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return "write one of " + strings.Join(choices, ", ")
}
