package entrypoint

import (
	"slices"
	"strings"
)

// How says how a shell was given a text.
type How struct {
	Shell   string // the program that reads the text: "bash", "dash", "busybox"
	Command bool   // the text is that of -c, and no script file's
	Args    bool   // the text has arguments, "$@"
}

// Meaning is what a text says of its shell.
type Meaning struct {
	Executes bool   // it will become another program
	Fronts   bool   // it only waits for the last command, a program which exec would put in its place
	traps    string // the signals that it does something at, as the text names them, each in blanks
}

// Read finds out what a text means. Its shell becomes another program if a simple command begins
// with exec and names a program, wherever that stands. It is a guess, as nobody can tell which
// branch a script takes.
func Read(text string, how How) Meaning {
	r := &reader{rest: text, how: how, functions: map[string]bool{}}
	found := r.list("")
	executes := found&always != 0 || found&withArgs != 0 && (how.Args || r.sets) || r.endsInProgram()
	return Meaning{executes, !executes && r.lastIsProgram(), r.traps}
}

// finding says what of a text executes a program. That of commands that stand together is the or of
// theirs.
type finding uint8

const (
	never    finding = 0
	always   finding = 1
	withArgs finding = 2 // exec "$@": without arguments it does nothing
)

// reader reads a text once, from its beginning to its end. Whatever the text, it goes on: a shell,
// too, may have executed something long before the place that it can't read.
type reader struct {
	rest      string     // of the text, where the reader stands
	entered   int        // how deep in each other words and commands are
	depth     int        // of lists in lists
	parens    int        // open ones
	inside    int        // functions
	documents []document // whose text begins behind the next newline
	endless   int        // documents

	how       How
	sets      bool   // there is a set --
	traps     string // the signals that they name, each in blanks
	hasTraps  bool
	functions map[string]bool

	last       simple // the last command, if it stands in no other one
	behindLast string // the text behind that
	lineLists  int    // lists of commands in this line, outside of all others
	behindAmp  bool   // an & stands in front of the next of them
}

// maxDepth bounds how deep words and commands may stand in each other. A text that goes deeper is
// read no further.
const maxDepth = 500

func (r *reader) enter() {
	r.entered++
	if r.entered > maxDepth {
		r.rest = ""
	}
}

func (r *reader) leave() { r.entered-- }

// endsInProgram reports whether the last command of the text is executed without the word exec, or
// is a file that may have one. bash and busybox do so with that of -c, if nothing is left to do
// after it.
func (r *reader) endsInProgram() bool {
	args := r.last.args
	if len(args) == 0 {
		return false
	}
	name := unquote(args[0])
	if name == "." || name == "source" {
		return len(args) > 1
	}
	isBash := r.how.Shell == "bash"
	atEnd := r.behindLast == "" && (isBash || r.how.Shell == "busybox") || r.behindLast == "\n" && isBash
	return r.how.Command && atEnd && !r.last.redirected && !r.last.beside && r.lastIsProgram()
}

// lastIsProgram reports that the last command of the text is a program, and that nothing is left
// for the shell to do.
func (r *reader) lastIsProgram() bool {
	args := r.last.args
	if len(args) == 0 || r.hasTraps {
		return false
	}
	name := unquote(args[0])
	own := r.functions[name] || strings.Contains(builtins, " "+name+" ") || args[len(args)-1] == "]]"
	return !own && (r.how.Args || r.sets || !isAllArgs(args))
}

// builtins are the commands that a shell carries out by itself, and time.
const builtins = " : [ [[ alias bg bind break builtin caller cd command compgen complete compopt continue declare" +
	" dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout" +
	" mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test time times" +
	" trap true type typeset ulimit umask unalias unset wait "

// isAllArgs reports whether words are nothing but "$@".
func isAllArgs(words []string) bool {
	return len(words) == 1 && slices.Contains([]string{"$@", "$*", "${@}", "${*}"}, strings.Trim(words[0], `"`))
}
