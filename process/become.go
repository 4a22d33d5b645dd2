package process

import (
	"os"
	"strconv"
	"strings"
	"syscall"

	"confit/signals"
)

// via is what a parent can't do for a new process. So that process is confit
// once more for a moment, sets it right, and becomes the program (execve(2)).
type via struct {
	ignored string // the signals to ignore, as package signals writes them
	listen  bool   // LISTEN_PID has to be its own pid
	hook    bool   // it is a hook, not the app; that alone is no reason
}

const (
	// becoming is argv[0] of such a process. The fields of via follow, then the
	// path of the program, then its arguments.
	becoming = "confit: becoming"
	fields   = 5

	self = "/proc/self/exe"
)

// commandLine asks confit to become a program. Without /proc there is no
// confit to ask, and the program is started as it is.
func (v via) commandLine(path string, args []string) (string, []string) {
	if (v.ignored == "" && !v.listen) || executable(self) != nil {
		return path, args
	}
	return self, append([]string{becoming, v.ignored, strconv.FormatBool(v.listen), strconv.FormatBool(v.hook), path}, args...)
}

// Become makes this process the app or the hook, if it was started for that.
// Otherwise it does nothing and returns nil. It comes before anything else: to
// subscribe to a signal first would take it from the app. An error is the end
// of the process, and hook reports whether it is only a hook's.
func Become(args, environ []string) (hook bool, err error) {
	c, v, asked := asked(args, environ)
	if !asked {
		return false, nil
	}
	signals.Restore(v.ignored)
	return v.hook, c.become(v)
}

// asked reports whether this process is asked to become a program, and which.
func asked(args, environ []string) (c Command, v via, asked bool) {
	if len(args) <= fields || args[0] != becoming {
		return c, v, false
	}
	return Command{Args: args[fields:], Env: environ, path: args[fields-1]}, via{args[1], args[2] == "true", args[3] == "true"}, true
}

// IsBecoming reports that a process is still confit, on its way to the program. It has
// the handlers of Go's runtime until then, and the program has none of them.
func IsBecoming(pid int) bool {
	args, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return strings.HasPrefix(string(args), becoming+"\x00")
}

// become returns only when this process can't be the program.
func (c Command) become(v via) error {
	if v.listen {
		for i, kv := range c.Env {
			if strings.HasPrefix(kv, listenPID) {
				c.Env[i] = listenPID + strconv.Itoa(os.Getpid())
			}
		}
	}
	err := orByShell(c.path, c.Args, func(path string, args []string) error { return syscall.Exec(path, args, c.Env) })
	return &startError{c.Args[0], err}
}
