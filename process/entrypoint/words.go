package entrypoint

import "strings"

const (
	blank   = " \t\n"
	meta    = ";&|<>()"
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
	digits  = "0123456789"
)

// unquote takes quotes from a word.
var unquote = strings.NewReplacer(`"`, "", `'`, "", `\`, "")

func line(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}

// blanks skips blanks and a comment. A line that ends with a backslash goes on in the next one.
func (r *reader) blanks() {
	for !r.ended() {
		rest := r.text[r.at:]
		switch {
		case rest[0] == ' ' || rest[0] == '\t':
			r.at++
		case strings.HasPrefix(rest, "\\\n"):
			r.at += 2
		case rest[0] == '#':
			r.at += len(line(rest))
		default:
			return
		}
	}
}

// word reads a word with its quotes, and with the commands in it. A sign that the reader doesn't understand is one,
// too.
func (r *reader) word() string {
	r.enter()
	defer r.leave()
	start := r.at
	for !r.ended() {
		rest, before := r.text[r.at:], r.text[start:r.at]
		switch {
		case strings.HasPrefix(rest, "<("), strings.HasPrefix(rest, ">("):
			r.substitution(2)
		case rest[0] == '(' && opensGroup(before):
			r.substitution(1)
		case strings.IndexByte(blank+meta, rest[0]) >= 0 && before != "":
			return before
		default:
			r.part('\'')
		}
	}
	return r.text[start:]
}

// opensGroup reports whether a parenthesis belongs to the word in front of it: an array's, or that of an extended
// pattern.
func opensGroup(before string) bool {
	value, assigned := assigned(before)
	return assigned && value == "" || before != "" && strings.Contains("?*+@!", before[len(before)-1:])
}

// part reads a character, or what belongs together from here on. In double quotes a single one is nothing special: then
// single is 0.
func (r *reader) part(single byte) {
	r.enter()
	defer r.leave()
	rest := r.text[r.at:]
	switch {
	case rest == "":
	case rest[0] == '\\':
		r.at = min(r.at+2, len(r.text))
	case rest[0] == single:
		r.quoted("", '\'')
	case rest[0] == '`':
		r.quoted("\\", '`')
	case rest[0] == '"':
		for r.at++; !r.ended() && r.text[r.at] != '"'; {
			r.part(0)
		}
		r.at = min(r.at+1, len(r.text))
	case strings.HasPrefix(rest, "$'") && single != 0:
		r.at++
		r.quoted("\\", '\'')
	case strings.HasPrefix(rest, "$$"):
		r.at += 2
	case strings.HasPrefix(rest, "${"):
		r.parameter(single)
	case strings.HasPrefix(rest, "$("):
		r.substitution(2)
	default:
		r.at++
	}
}

// quoted reads up to the next quote of this kind. What escapes hides one.
func (r *reader) quoted(escape string, quote byte) {
	for r.at++; !r.ended() && r.text[r.at] != quote; r.at++ {
		if r.text[r.at:r.at+1] == escape {
			r.at++
		}
	}
	r.at = min(r.at+1, len(r.text))
}

// parameter reads ${ }. In double quotes single ones are special to bash, to others in patterns alone: "${x%'}'}".
func (r *reader) parameter(single byte) {
	r.at += len("${")
	operator := strings.TrimLeft(r.text[r.at:], letters+digits)
	if r.how.Shell == "bash" || operator != "" && strings.IndexByte("#%/^,", operator[0]) >= 0 {
		single = '\''
	}
	for !r.ended() && r.text[r.at] != '}' {
		r.part(single)
	}
	r.at = min(r.at+1, len(r.text))
}

// substitution reads commands in parentheses, behind so many characters. They run beside the shell. The words of
// arrays, patterns and arithmetic are read as such, too, as their parentheses are in pairs as well.
func (r *reader) substitution(opening int) {
	r.at += opening
	r.parens++
	_ = r.list(")")
	r.parens--
}
