package config

import "strings"

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
