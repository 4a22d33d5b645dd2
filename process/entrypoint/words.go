package entrypoint

import "strings"

const (
	blank   = " \t\n"
	meta    = ";&|<>()"
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
	digits  = "0123456789"
)

// unquote takes quotes from a word.
func unquote(word string) string {
	for _, quote := range []string{`"`, `'`, `\`} {
		word = strings.ReplaceAll(word, quote, "")
	}
	return word
}

func line(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}

// step goes behind so many characters, as far as there are any.
func (r *reader) step(n int) { r.rest = r.rest[min(n, len(r.rest)):] }

// blanks skips blanks and a comment. A line that ends with a backslash goes on in the next one.
func (r *reader) blanks() {
	for r.rest != "" {
		switch {
		case r.rest[0] == ' ' || r.rest[0] == '\t':
			r.step(1)
		case strings.HasPrefix(r.rest, "\\\n"):
			r.step(2)
		case r.rest[0] == '#':
			r.step(len(line(r.rest)))
		default:
			return
		}
	}
}

// word reads a word with its quotes, and with the commands in it. A sign that the reader doesn't
// understand is one, too.
func (r *reader) word() string {
	r.enter()
	defer r.leave()
	start := r.rest
	for r.rest != "" {
		before := start[:len(start)-len(r.rest)]
		switch {
		case beginning(r.rest, substitutions) != "":
			r.substitution(2)
		case r.rest[0] == '(' && opensGroup(before):
			r.substitution(1)
		case strings.IndexByte(blank+meta, r.rest[0]) >= 0 && before != "":
			return before
		default:
			r.part('\'')
		}
	}
	return start
}

// opensGroup reports whether a parenthesis belongs to the word in front of it: an array's, or that
// of an extended pattern.
func opensGroup(before string) bool {
	value, assigned := assigned(before)
	return assigned && value == "" || before != "" && strings.Contains("?*+@!", before[len(before)-1:])
}

// part reads a character, or what belongs together from here on. In double quotes a single one is
// nothing special: then single is 0.
func (r *reader) part(single byte) {
	r.enter()
	defer r.leave()
	switch {
	case r.rest == "":
	case r.rest[0] == '\\', strings.HasPrefix(r.rest, "$$"):
		r.step(2)
	case r.rest[0] == single:
		r.quoted("", '\'')
	case r.rest[0] == '`':
		r.quoted("\\", '`')
	case r.rest[0] == '"':
		for r.step(1); r.rest != "" && r.rest[0] != '"'; {
			r.part(0)
		}
		r.step(1)
	case strings.HasPrefix(r.rest, "$'") && single != 0:
		r.step(1)
		r.quoted("\\", '\'')
	case strings.HasPrefix(r.rest, "${"):
		r.parameter(single)
	case strings.HasPrefix(r.rest, "$("):
		r.substitution(2)
	default:
		r.step(1)
	}
}

// quoted reads up to the next quote of this kind. What escapes hides one.
func (r *reader) quoted(escape string, quote byte) {
	for r.step(1); r.rest != "" && r.rest[0] != quote; r.step(1) {
		if r.rest[:1] == escape {
			r.step(1)
		}
	}
	r.step(1)
}

// parameter reads ${ }. In double quotes single ones are special to bash, to others in patterns
// alone: "${x%'}'}".
func (r *reader) parameter(single byte) {
	r.step(len("${"))
	operator := strings.TrimLeft(r.rest, letters+digits)
	if r.how.Shell == "bash" || operator != "" && strings.IndexByte("#%/^,", operator[0]) >= 0 {
		single = '\''
	}
	for r.rest != "" && r.rest[0] != '}' {
		r.part(single)
	}
	r.step(1)
}

// substitution reads commands in parentheses, behind so many characters. They run beside the shell.
// The words of arrays, patterns and arithmetic are read as such, too, as their parentheses are in
// pairs as well.
func (r *reader) substitution(opening int) {
	r.step(opening)
	r.parens++
	_ = r.list(")")
	r.parens--
}
