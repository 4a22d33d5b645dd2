// Package cli is the command line of kubectl confit: its verbs, their flags and help.
//
// It guarantees that a wrong command line is exit code 64 and never anything else, that a verb that fails has written
// nothing to stdout but the one document of -o, and that TERM and INT end every verb at once.
package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"confit/confitctl/program"
	"confit/confitctl/screen"
)

// exitStale says that a run would change something.
const exitStale = 3

// said ends a verb that has told everything: only its exit code is missing.
type said int

func (s said) Error() string { return fmt.Sprintf("exit code %d", int(s)) }

// Run does what the command line says and returns the exit code.
func Run(version string, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := program.Context()
	defer stop()
	started := false
	root := newRoot(version)
	program.Prepare(root, &started)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	seen := screen.On(stderr)
	root.SetErr(seen)
	verb, err := root.ExecuteContextC(ctx)
	seen.Keep()
	var told said
	switch stopped := program.Signal(ctx); {
	case err == nil:
		return 0
	case errors.As(err, &told):
		return int(told)
	case stopped != 0:
		return stopped
	}
	return program.Tell(seen, verb, err, started)
}

func newRoot(version string) *cobra.Command {
	root := &cobra.Command{
		Use: "kubectl-confit [VERB]", Long: rootHelp, Example: rootExample, Version: version,
		Args:        program.NoArguments,
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl confit"},
		RunE:        func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.CompletionOptions.DisableDefaultCmd = true // kubectl completes its plugins by a program of another name
	root.AddCommand(newStatus(), newWait(), newSync(), newCheck(), newApply(), newRollout(), newInject())
	completed(root)
	return root
}

// completed completes the words of verbs that name nothing by nothing, and not by files.
func completed(verb *cobra.Command) {
	if verb.ValidArgsFunction == nil && !verb.HasSubCommands() {
		verb.ValidArgsFunction = cobra.NoFileCompletions
	}
	for _, below := range verb.Commands() {
		completed(below)
	}
}
