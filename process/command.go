package process

import (
	"os"
	"slices"
	"strconv"
)

// Command is what to run. An empty Dir is confit's own working directory.
type Command struct {
	Args    []string // the program and its arguments, as main receives them
	Env     []string // KEY=VALUE
	Dir     string
	Ignored string // of the signals, as in Via

	path string // the program, once it was found
}

const listenPID = "LISTEN_PID="

// listens reports whether descriptors were passed to confit by socket
// activation: they are for the app then.
func (c Command) listens() bool {
	return slices.Contains(c.Env, listenPID+strconv.Itoa(os.Getpid()))
}
