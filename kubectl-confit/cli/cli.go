// Package cli is the command line of kubectl confit: its verbs, their flags and help.
//
// It guarantees that a wrong command line is exit code 64 and never anything else, that a verb that fails has written
// nothing to stdout but the one document of -o, and that TERM and INT end every verb at once.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitFailed  = 1   // what was asked for failed, and stderr says why
	exitStale   = 3   // a run would change something
	exitUsage   = 64  // EX_USAGE of sysexits.h, as confit has it
	exitStopped = 143 // 128+15: TERM asked it to end
	exitTyped   = 130 // 128+2: ^C did
)

// errUsage is in errors for which the command line is to blame.
var errUsage = errors.New("wrong usage")

// said ends a verb that has told everything: only its exit code is missing.
type said int

func (s said) Error() string { return fmt.Sprintf("exit code %d", int(s)) }

// Run does what the command line says and returns the exit code.
func Run(version string, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	started := false
	root := newRoot(version, &started)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	addHelp(root)
	err := root.ExecuteContext(ctx)
	var told said
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil && strings.HasPrefix(context.Cause(ctx).Error(), os.Interrupt.String()):
		return exitTyped
	case ctx.Err() != nil:
		return exitStopped
	case errors.As(err, &told):
		return int(told)
	case !started || errors.Is(err, errUsage):
		fmt.Fprintf(stderr, "kubectl-confit: %v; see kubectl confit --help\n", strings.TrimPrefix(err.Error(), errUsage.Error()+": "))
		return exitUsage
	}
	fmt.Fprintln(stderr, "kubectl-confit:", err)
	return exitFailed
}

func newRoot(version string, started *bool) *cobra.Command {
	root := &cobra.Command{
		Use: "kubectl-confit [VERB]", Long: rootHelp, Example: rootExample, Version: version,
		SilenceUsage: true, SilenceErrors: true, Args: noArguments,
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl confit"},
		RunE:        func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.CompletionOptions.DisableDefaultCmd = true // kubectl completes its plugins by a program of another name
	root.SetHelpTemplate(helpTemplate)
	for _, verb := range []*cobra.Command{newStatus(), newWait(), newSync(), newCheck(), newApply(), newRollout(), newInject()} {
		prepare(verb, started)
		root.AddCommand(verb)
	}
	return root
}

// prepare has a verb, or those below it, end at once when a signal comes, and complete its words.
func prepare(verb *cobra.Command, started *bool) {
	verb.DisableFlagsInUseLine = true
	if verb.HasSubCommands() {
		for _, below := range verb.Commands() {
			prepare(below, started)
		}
		return
	}
	run := verb.RunE
	verb.RunE = func(c *cobra.Command, args []string) error {
		*started = true
		if verb.Annotations[ownEnd] != "" {
			return run(c, args)
		}
		return atOnce(c.Context(), func() error { return run(c, args) })
	}
	if verb.ValidArgsFunction == nil {
		verb.ValidArgsFunction = cobra.NoFileCompletions
	}
}

// ownEnd marks a verb that ends by itself when its context does, as it has something to put in order first.
const ownEnd = "ends by itself"

// atOnce lets a signal end what doesn't look at its context, such as a read of a pipe that nobody writes to.
func atOnce(ctx context.Context, do func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- do() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// addHelp adds the library's own verb, which shows the help of the program for a verb that isn't there.
func addHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		panic(err) // it was added right now
	}
	help.Args = func(_ *cobra.Command, args []string) error {
		verb, rest, err := root.Find(args)
		return cmp.Or(err, noArguments(verb, rest))
	}
}

func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q is no verb", args[0])
	}
	return nil
}

// usage marks an error as one of the command line.
func usage(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errUsage, fmt.Errorf(format, args...))
}
