// Package program is what the command lines of confitctl and of kubectl confit have in common.
//
// It guarantees that a wrong command line is one exit code and never anything else, that each signal has its own, as
// shells have it, and that a signal ends at once what doesn't look at its context.
package program

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
	"time"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	Failed  = 1   // what was asked for failed, and stderr says why
	Usage   = 64  // EX_USAGE of sysexits.h, as confit has it
	Typed   = 130 // 128+2: ^C ended it
	Stopped = 143 // 128+15: TERM did
)

// ErrUsage is in errors for which the command line, or what stands for it, is to blame.
var ErrUsage = errors.New("wrong usage")

// Wrong makes such an error.
func Wrong(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrUsage, fmt.Errorf(format, args...))
}

// Context ends by the first TERM or INT; [Signal] says by which. After stop they do what they did before.
func Context() (ctx context.Context, stop context.CancelFunc) {
	return signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
}

// Signal is the exit code for the signal that has ended a [Context]; 0: none has.
func Signal(ctx context.Context) (code int) {
	switch cause := context.Cause(ctx); {
	case cause == nil:
		return 0
	case strings.HasPrefix(cause.Error(), os.Interrupt.String()):
		return Typed
	}
	return Stopped
}

// Tell writes an error of a verb as one line of a program's stderr, and returns the exit code for it. Before the verb has started
// the command line is to blame.
func Tell(stderr io.Writer, verb *cobra.Command, err error, started bool) (code int) {
	name := strings.ReplaceAll(verb.Root().CommandPath(), " ", "-") // kubectl-confit is the file's name
	if !started || errors.Is(err, ErrUsage) {
		fmt.Fprintf(stderr, "%s: %v; see %s --help\n", name, strings.TrimPrefix(err.Error(), ErrUsage.Error()+": "), verb.CommandPath())
		return Usage
	}
	fmt.Fprintf(stderr, "%s: %v\n", name, err)
	return Failed
}

// lastWords is how long what has ended by its context may take to say where.
const lastWords = 20 * time.Millisecond

// AtOnce lets a signal end what doesn't look at its context: it reads a pipe that nobody writes to, or a template that
// goes on and on. The error is then the context's cause, unless the work ends with one of its own.
func AtOnce(ctx context.Context, do func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- do() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(lastWords):
		return context.Cause(ctx)
	}
}

// Prepare gives a program its help, and has each verb note in started that its command line is right. With a verb of the library
// its help shows that of the program for a verb that isn't there.
func Prepare(root *cobra.Command, started *bool) {
	root.SilenceUsage, root.SilenceErrors = true, true
	root.SetHelpTemplate(helpTemplate)
	root.SetFlagErrorFunc(flagError)
	prepare(root, started)
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		panic(err) // it was added right now
	}
	help.DisableFlagsInUseLine = true
	help.Args = func(_ *cobra.Command, args []string) error {
		verb, rest, err := root.Find(args)
		return cmp.Or(err, NoArguments(verb, rest))
	}
}

func prepare(verb *cobra.Command, started *bool) {
	verb.DisableFlagsInUseLine = true
	if run := verb.RunE; run != nil {
		verb.RunE = func(c *cobra.Command, args []string) error {
			*started = true
			return run(c, args)
		}
	}
	for _, below := range verb.Commands() {
		prepare(below, started)
	}
}

// helpTemplate lays help out as a man page does, with the examples at its end.
// after is what stands between the flags and the examples.
const helpTemplate = `{{.Long}}

Usage
  {{.UseLine}}
{{if .HasAvailableSubCommands}}
Verbs{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}
{{end}}{{if .HasAvailableLocalFlags}}
Flags
{{.LocalFlags.FlagUsages}}{{end}}{{with .Annotations.after}}
{{.}}
{{end}}{{if .HasExample}}
Examples
{{.Example}}
{{end}}`
