package config

import "strings"

// endsEarly reports that somebody meant the two characters \n as the end of a line, as they are in quotes of YAML or JSON: they stand
// outside quotes, where they mean n; or in a comment, or in a line that begins with a quote, and behind them is a word that begins a line.
func endsEarly(line string, begins func(word string) bool) bool {
	bare, comment := splitLine(line)
	return strings.Contains(bare, `\n`) || followed(comment, begins) || isQuote(line) && followed(line, begins)
}

// splitLine is a line without what is quoted in it, but with backslashes, and its comment.
func splitLine(line string) (bare, comment string) {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '#' && (i == 0 || strings.ContainsRune(" \t", rune(line[i-1]))):
			return b.String(), line[i:]
		case isQuote(line[i:]):
			n, err := quoted(new(strings.Builder), line[i:])
			if err != nil {
				return b.String(), ""
			}
			i += n - 1
			b.WriteByte(' ')
		case c == '\\' && i+1 < len(line):
			i++
			if line[i] == 'n' {
				b.WriteString(`\n`)
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

func isQuote(s string) bool { return strings.HasPrefix(s, "'") || strings.HasPrefix(s, `"`) }

// followed reports that a line begins somewhere behind the two characters \n.
func followed(text string, begins func(word string) bool) bool {
	pieces := strings.Split(text, `\n`)
	for _, piece := range pieces[1:] {
		word, _, _ := strings.Cut(strings.TrimLeft(piece, " \t"), " ")
		if begins(strings.TrimPrefix(word, "--")) {
			return true
		}
	}
	return false
}
