package entrypoint

import (
	"slices"
	"strings"
)

// shells are the programs that read a script.
var shells = []string{"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "hush"}

// cmdline is what a shell was asked to do.
type cmdline struct {
	text string // of -c
	file string // or a script's
	args []string
}

// worded are the long options that take a word with them.
var worded = []string{"--rcfile", "--init-file"}

// parse reads the words behind a shell's name. A shell without a text or a file reads its standard
// input.
func parse(words []string) (c cmdline) {
	command, input := false, false
	for len(words) > 0 && len(words[0]) > 0 && strings.IndexByte("-+", words[0][0]) >= 0 {
		option := words[0]
		words = words[1:]
		if option == "-" || option == "--" {
			break
		}
		taken := 0
		switch {
		case slices.Contains(worded, option):
			taken = 1
		case !strings.HasPrefix(option, "--"):
			command = command || strings.Contains(option, "c") && option[0] == '-'
			input = input || strings.Contains(option, "s")
			taken = strings.Count(option, "o") + strings.Count(option, "O")
		}
		words = words[min(taken, len(words)):]
	}
	switch {
	case len(words) == 0:
	case command:
		c.text, c.args = words[0], words[min(2, len(words)):] // between them is $0
	case !input:
		c.file, c.args = words[0], words[1:]
	}
	return c
}

// nameOf is the name of a program, by the path of its file or the first word of its cmdline. A
// daemon may write a title there.
func nameOf(word string) string {
	word, _, _ = strings.Cut(word, ": ")
	return strings.TrimPrefix(word[strings.LastIndexByte(word, '/')+1:], "-")
}

// IsShell reports that a program reads a script. It may have a version behind its name.
func IsShell(name string) bool {
	return slices.Contains(shells, strings.TrimRight(name, "0123456789."))
}

// IsInit reports that a program is an init, which hands signals on. Its name may end with more than
// a version: tini-static.
func IsInit(name string) bool {
	return slices.ContainsFunc([]string{"tini", "dumb-init", "catatonit"},
		func(init string) bool { return strings.HasPrefix(name, init) })
}

// passing are programs that only prepare the execution of another. At a small limit of CPU they are
// seen for half a second.
var passing = []string{
	"chpst", "chroot", "chrt", "env", "gosu", "ionice", "nice", "nohup", "numactl", "prlimit", "s6-setuidgid",
	"setpriv", "setuidgid", "stdbuf", "su-exec", "taskset",
}

// Stays reports whether a program stays the parent of what it starts: an init, or what starts a
// program as another user or for a time.
func Stays(name string) bool {
	return IsInit(name) || slices.Contains([]string{"su", "sudo", "runuser", "timeout"}, name)
}
