package entrypoint

import (
	"crypto/sha256"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Proc looks at processes through /proc. It has read the text of each script that it still knows by
// its cmdline.
type Proc struct {
	Root
	dir     string
	path    []string
	read    map[Cmdline]Meaning
	through int // a script that was asked behind a shell which stays
}

// Look is what was found where an app runs.
type Look struct {
	PID     int     // of the process that was asked: the app's own, or one below it
	Program string  // its name; "" if nothing is known
	Words   string  // the program for a message, with its script; other words may be secrets
	Cmdline Cmdline // tells one script, with its words, from another
	Shell   bool    // it is one
	Waiting bool    // it starts another program, which isn't there yet
	Meaning         // of the shell's text
	name    string
}

// Cmdline stands for the words of a process.
type Cmdline [sha256.Size]byte

// NewProc looks at processes through a directory, /proc. Relative names of scripts are looked for
// in the directory dir, and then in a search path such as $PATH.
func NewProc(root, dir, path string) *Proc {
	return &Proc{Root: Root(root), dir: dir, path: filepath.SplitList(path), read: map[Cmdline]Meaning{}}
}

// mostBelow bounds how far below an app a process is asked.
const mostBelow = 64

// Look finds out where an app is, by its pid. An init, and what starts a program as another user or
// for a time, is asked through its first child; a shell that won't execute, through its only child,
// if that is a shell: dash stays in front of a script. It is so, too, once the script has executed
// the app.
func (p *Proc) Look(app int) (found Look) {
	pid := app
	for range mostBelow {
		below := p.At(pid)
		if found.Shell && !below.Shell && pid != p.through {
			break // the shell was about to execute something there: it works by itself
		}
		found = below
		if !found.Waiting && (!found.Shell || found.Executes) {
			break
		}
		children := p.Children(pid)
		if len(children) == 0 || found.Shell && !p.runs(children) {
			break
		}
		pid = children[0].PID
	}
	if found.Executes {
		p.through = pid
	}
	return found
}

// runs reports that a shell which stays only waits for the one child that it has.
func (p *Proc) runs(children []Stat) bool {
	return len(children) == 1 && (children[0].PID == p.through || IsShell(p.programOf(children[0].PID).name))
}

// mostRead bounds how many scripts are known.
const mostRead = 64

// At looks at one process alone.
func (p *Proc) At(pid int) Look {
	found := p.judge(p.programOf(pid))
	found.PID = pid
	s, _ := p.Stat(pid)
	found.name = s.Name
	return found
}

// judge says what is known of a program.
func (p *Proc) judge(program program) Look {
	found := Look{Program: program.name}
	found.Words, _, _ = strings.Cut(program.words[0], ": ")
	found.Cmdline = sha256.Sum256([]byte(strings.Join(program.words, "\x00")))
	found.Waiting = Stays(program.name) || slices.Contains(passing, program.name)
	found.Shell = IsShell(program.name)
	if found.Words == "" {
		found.Words = program.name
	}
	if !found.Shell {
		return found
	}
	c := parse(program.words[1:])
	switch {
	case c.file != "":
		found.Words += " " + c.file
	case c.text != "":
		found.Words += " -c"
	}
	if len(p.read) > mostRead {
		clear(p.read)
	}
	means, known := p.read[found.Cmdline]
	if !known {
		how := How{Shell: program.shell, Command: c.file == "", Args: len(c.args) > 0}
		means = Read(p.text(c), how)
		p.read[found.Cmdline] = means
	}
	found.Meaning = means
	return found
}

// Traps reports whether a trap in the text of a shell names a signal, such as TERM, which has a
// number, too. What the shell catches for itself doesn't count: bash and dash do so with INT.
func (l *Look) Traps(name string, number int) bool {
	return strings.Contains(l.traps, " "+name+" ") || strings.Contains(l.traps, " "+strconv.Itoa(number)+" ")
}

// text is that of -c, or of a script: a relative name is looked for in the working directory, and
// then in the search path.
func (p *Proc) text(c cmdline) string {
	switch {
	case c.file == "":
		return c.text
	case filepath.IsAbs(c.file):
		return head(c.file)
	}
	text := head(filepath.Join(p.dir, c.file))
	for _, dir := range p.path {
		if text == "" && !strings.Contains(c.file, "/") {
			text = head(filepath.Join(dir, c.file))
		}
	}
	return text
}

// Executed reports, of an app that has ended and isn't reaped yet, whether it had become another
// program since a look at it.
func (p *Proc) Executed(before Look) bool {
	now, known := p.Stat(before.PID)
	return known && now.Name != before.name
}
