package entrypoint

import (
	"path/filepath"
	"strings"
)

// mostFirst bounds how many programs are looked at before the one that stays: each is named by the
// first line of the one before, as env(1).
const mostFirst = 4

// Foretell looks at what will run where words are started. find is the file of a program; "" if
// there is none.
func (p *Proc) Foretell(words []string, find func(string) string) Look {
	for range mostFirst {
		if len(words) == 0 {
			break
		}
		file := find(words[0])
		first, isScript := strings.CutPrefix(line(head(file)), "#!")
		switch {
		case isScript:
			words = append(interpreter(first), append([]string{file}, words[1:]...)...)
		case nameOf(words[0]) == "env":
			words = behindEnv(words[1:])
		default:
			if real, err := filepath.EvalSymlinks(file); err == nil {
				file = real
			}
			return p.judge(programIn(file, words))
		}
	}
	return Look{}
}

// interpreter are the words of a script's first line: what follows the program is one argument,
// blanks included: execve(2).
func interpreter(first string) []string {
	name, arg, _ := strings.Cut(strings.TrimSpace(first), " ")
	if arg = strings.TrimSpace(arg); arg == "" {
		return []string{name}
	}
	return []string{name, arg}
}

// behindEnv are the words that env(1) starts, whose -S parts its argument. Other options are none
// that a first line has.
func behindEnv(words []string) []string {
	for len(words) > 0 {
		parted, parts := strings.CutPrefix(words[0], "-S")
		_, isAssigned := assigned(words[0])
		switch {
		case parts:
			words = append(strings.Fields(parted), words[1:]...)
		case isAssigned:
			words = words[1:]
		default:
			return words
		}
	}
	return nil
}
