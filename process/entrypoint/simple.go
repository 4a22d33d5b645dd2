package entrypoint

import (
	"slices"
	"strings"
)

// simple is a command without others: its words, without what is assigned in front of them.
type simple struct {
	args       []string
	redirected bool
	beside     bool // bash runs this one beside itself, for what its line has before it
}

// declares are the commands that assign their words.
var declares = []string{"declare", "export", "local", "readonly", "typeset"}

// simple reads one, and says what it executes.
func (r *reader) simple() (found finding) {
	c := simple{}
	for r.blanks(); r.rest != ""; r.blanks() {
		redirected := r.redirection()
		if redirected {
			c.redirected = true
			continue
		}
		if r.operator() != "" {
			break
		}
		word := strings.ReplaceAll(r.word(), "\\\n", "")
		value, isAssigned := assigned(word)
		switch {
		case !isAssigned:
			c.args = append(c.args, word)
		case len(c.args) == 0 || slices.Contains(declares, c.args[0]):
			found |= ofValue(value)
		}
	}
	if len(c.args) == 1 && r.emptyParentheses() > 0 {
		return r.function(c.args[0])
	}
	r.last = c
	return found | r.executes(c.args)
}

// executes says what a command's words execute.
func (r *reader) executes(args []string) finding {
	if len(args) == 0 {
		return never
	}
	switch args[0] {
	case "exec":
		return r.program(args[1:])
	case "eval":
		words := strings.Fields(unquote(strings.Join(args, " ")))
		for len(words) > 1 && words[0] == "eval" {
			words = words[1:]
		}
		if words[0] == "exec" {
			return r.program(words[1:])
		}
	case "set":
		r.sets = r.sets || slices.Contains(args, "--")
	case "trap":
		r.trap(args[1:])
	}
	return never
}

// trap notes what a trap catches. One whose action is empty has the signals ignored, and - resets
// them.
func (r *reader) trap(args []string) {
	r.hasTraps = true
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) < 2 || unquote(args[0]) == "" || args[0] == "-" {
		return
	}
	for _, name := range args[1:] {
		r.traps += " " + strings.TrimPrefix(strings.ToUpper(unquote(name)), "SIG") + " "
	}
}

// program says what exec does with the words behind it.
func (r *reader) program(args []string) finding {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if strings.HasSuffix(args[0], "a") && len(args) > 1 { // -a X, -la X
			args = args[1:]
		}
		args = args[1:]
	}
	switch {
	case len(args) == 0 || strings.ContainsAny(args[0], "<>"): // eval has redirections among its words
		return never
	case isAllArgs(args) && r.inside == 0:
		return withArgs
	}
	return always
}

// assigned is the value in a word such as NAME=value, NAME+=value or NAME[1]=value.
func assigned(word string) (value string, found bool) {
	rest := strings.TrimLeft(word, letters+digits)
	if rest == word || strings.HasPrefix(strings.TrimLeft(word, digits), "=") {
		return "", false
	}
	if strings.HasPrefix(rest, "[") {
		_, rest, _ = strings.Cut(rest, "]")
	}
	return strings.CutPrefix(strings.TrimPrefix(rest, "+"), "=")
}

// ofValue says what a variable is good for that holds this. One that begins with the word exec is
// made for eval, or for a command's place.
func ofValue(value string) finding {
	value = strings.TrimSuffix(strings.TrimPrefix(value, "("), ")") // of an array
	words := strings.Fields(unquote(value))
	if len(words) > 0 && words[0] == "exec" {
		return always
	}
	return never
}
