package entrypoint

import (
	"slices"
	"strings"
)

// operators end a command, or stand between two. The longer one comes first.
var operators = []string{";;&", ";;", ";&", "&&", "||", "|&", ";", "&", "|", "(", ")", "\n"}

// operator is the one at which the reader stands, or "".
func (r *reader) operator() string {
	return beginning(r.rest, operators)
}

// beginning is the first of the signs with which a text begins, or "".
func beginning(text string, signs []string) string {
	for _, sign := range signs {
		if strings.HasPrefix(text, sign) {
			return sign
		}
	}
	return ""
}

// skip goes behind an operator or a word at which the reader stands, and what is blank after that.
func (r *reader) skip(what string) {
	r.step(len(what))
	if what == "\n" {
		r.skipDocuments()
	}
	r.blanks()
}

// plain is the word at which the reader stands, if no quote and no substitution is in it, as in the
// grammar's words.
func (r *reader) plain() string {
	word := r.rest
	if end := strings.IndexAny(word, blank+meta); end >= 0 {
		word = word[:end]
	}
	return strings.TrimSuffix(word, `\`) // the line goes on
}

// opening are the words that begin a command with others in it, and the word at its end.
var opening = map[string]string{
	"{": "}", "if": "fi", "while": "done", "until": "done", "for": "done", "select": "done", "case": "esac",
}

// passedOver are words that stand in front of commands.
var passedOver = []string{"then", "elif", "else", "do"}

// list reads commands up to the word or parenthesis that ends them. The words for the rounds of a
// loop, and the patterns of a case, look like commands, and are read as such: no exec stands in
// front of another word there. So are words that end nothing: a mistake in the text, or of the
// reader, is no reason to read less of it.
func (r *reader) list(end string) (found finding) {
	r.depth++
	defer func() { r.depth-- }()
	for r.blanks(); r.rest != ""; r.blanks() {
		op, word := r.operator(), r.plain()
		switch {
		case end != "" && op+word == end:
			r.step(len(end))
			return found
		case op == ")" && r.parens > 0 && end != "esac":
			return found
		case op == "\n" && r.depth == 1:
			r.lineLists, r.behindAmp = 0, false
			r.skip(op)
		case op != "" && op != "(", slices.Contains(passedOver, word):
			r.skip(op + word)
		default:
			found |= r.commands()
		}
	}
	return found
}

// commands reads those with && or || or | between them. What & follows, and a part of a pipeline,
// runs beside the shell.
func (r *reader) commands() (found finding) {
	links, op := 0, "&&"
	for piped := false; slices.Contains([]string{"&&", "||", "|", "|&"}, op); {
		part := r.command()
		op = r.operator()
		piped = piped || strings.Trim(op, "&") == "|"
		if piped {
			r.last = simple{}
		} else {
			found |= part
		}
		if op == "&&" || op == "||" {
			links++
			piped = false
		}
		if strings.Trim(op, ";&|") == "" {
			r.skip(op)
		}
	}
	r.last.beside = links > 0 && r.lineLists > 0 || r.behindAmp
	if op == "&" {
		found, r.last = never, simple{}
	}
	if r.depth == 1 {
		r.lineLists++
		r.behindAmp = op == "&"
		r.behindLast = r.rest
	}
	return found
}

// command reads one, with all that is in it.
func (r *reader) command() (found finding) {
	r.enter()
	defer r.leave()
	for r.blanks(); r.operator() == "\n"; {
		r.skip("\n")
	}
	word := r.plain()
	end, opens := opening[word]
	behind := r.rest[len(word):]
	isPattern := strings.HasPrefix(behind, ")") || strings.HasPrefix(behind, "|") // of a case
	switch {
	case r.operator() == "(":
		r.substitution(1)
	case word == "!":
		r.skip(word)
		found = r.command()
	case word == "coproc":
		r.skip(word)
		_ = r.command()
	case word == "function":
		r.skip(word)
		name := r.plain()
		r.skip(name)
		found = r.function(name)
	case opens && !isPattern:
		r.skip(word)
		if word == "case" {
			_ = r.word()
		}
		found = r.list(end)
	default:
		return r.simple()
	}
	for more := true; more; {
		more = r.redirection()
	}
	r.last = simple{}
	return found
}

// function reads the commands of a function, which are executed where it is called.
func (r *reader) function(name string) finding {
	r.functions[name] = true
	r.step(r.emptyParentheses())
	r.inside++
	found := r.command()
	r.inside--
	return found
}

// emptyParentheses is how long those are at which the reader stands.
func (r *reader) emptyParentheses() int {
	inside, opens := strings.CutPrefix(r.rest, "(")
	behind, closes := strings.CutPrefix(strings.TrimLeft(inside, " \t"), ")")
	if opens && closes {
		return len(r.rest) - len(behind)
	}
	return 0
}
