package process

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Via is what a parent can't do for a new process, which therefore is confit
// once more for a moment, and then becomes the program (execve(2)).
type Via struct {
	Ignored string // the signals to be ignored, as package signals writes them
	Listen  bool   // LISTEN_PID has to be its own pid, sd_listen_fds(3)
	Hook    bool   // it is a hook, not the app; that alone is no reason
}

const (
	// becoming is argv[0] of such a process. Behind it stand the fields of Via,
	// the path of the program, and its arguments.
	becoming = "confit: becoming"
	fields   = 5

	self = "/proc/self/exe"
)

// commandLine asks confit to become a program. Without /proc there is no
// confit to ask, and the program is started as it is.
func (v Via) commandLine(path string, args []string) (string, []string) {
	if (v.Ignored == "" && !v.Listen) || executable(self) != nil {
		return path, args
	}
	return self, append([]string{becoming, v.Ignored, strconv.FormatBool(v.Listen), strconv.FormatBool(v.Hook), path}, args...)
}

// Asked reports whether this process is asked to become a program, and which.
func Asked(args, environ []string) (c Command, v Via, asked bool) {
	if len(args) <= fields || args[0] != becoming {
		return c, v, false
	}
	return Command{Args: args[fields:], Env: environ, path: args[fields-1]}, Via{args[1], args[2] == "true", args[3] == "true"}, true
}

// Become makes this process the program. It returns only when that can't be.
func (c Command) Become(v Via) error {
	if v.Listen {
		for i, kv := range c.Env {
			if strings.HasPrefix(kv, listenPID) {
				c.Env[i] = listenPID + strconv.Itoa(os.Getpid())
			}
		}
	}
	err := orByShell(c.path, c.Args, func(path string, args []string) error { return syscall.Exec(path, args, c.Env) })
	return &startError{c.Args[0], err}
}
