package harness

import (
	"fmt"
	"os"
	"runtime"
)

// RoleVariable tells a process which part it plays. It must not start with CONFIT_, which confit reads itself.
const RoleVariable = "INTEGRATION_ROLE"

// enterRole is the part that every program below integration/ plays: the first process of a box.
const enterRole = "enter"

// failed is the exit code of a part that could not be played.
const failed = 125

// Roles are the parts that a program plays in processes of its own, by name. Each returns its exit code.
type Roles map[string]func() int

func init() {
	if _, ok := os.LookupEnv(RoleVariable); ok {
		runtime.LockOSThread() // ptrace, capabilities and the parent's death signal belong to one thread
	}
}

// Play ends the process with the part that RoleVariable names. It returns when there is none. An unknown part is an error, so that a
// misspelt one never runs a whole suite inside itself.
func Play(roles Roles) {
	name, ok := os.LookupEnv(RoleVariable)
	if !ok {
		return
	}
	if name == enterRole {
		os.Exit(enter())
	}
	role, known := roles[name]
	if !known {
		fmt.Fprintf(os.Stderr, "harness: %s=%q is not known\n", RoleVariable, name)
		os.Exit(failed)
	}
	os.Exit(role())
}
