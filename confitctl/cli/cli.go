// Package cli is confitctl's command line: its verbs, their flags and help.
//
// It guarantees that each flag may stand in the environment, too, that a wrong
// command line is exit code 64 and never anything else, and that TERM and INT
// end every verb at once.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"confit/confitctl/people"
	"confit/linker"
)

// Exit codes.
const (
	exitFailed  = 1   // the gate is closed, or what was asked for failed
	exitUsage   = 64  // EX_USAGE of sysexits.h, as confit has it
	exitStopped = 143 // 128+15: a signal asked it to end
)

// envPrefix begins the variable that stands for a flag.
const envPrefix = "CONFITCTL_"

// errUsage is in errors for which the command line or what stands for it is to
// blame.
var errUsage = errors.New("wrong usage")

// Run does what the command line says and returns the exit code.
func Run(version string, args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	started := false
	root := newRoot(version, &started)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	addCompletion(root)
	addHelp(root)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		if err != context.Cause(ctx) { //nolint:errorlint // it says more than that a signal came
			fmt.Fprintln(stderr, "confitctl:", err)
		}
		return exitStopped
	case !started || errors.Is(err, errUsage):
		fmt.Fprintf(stderr, "confitctl: %v; see confitctl --help\n", strings.TrimPrefix(err.Error(), errUsage.Error()+": "))
		return exitUsage
	}
	fmt.Fprintln(stderr, "confitctl:", err)
	switch {
	case errors.Is(err, people.ErrRejected):
		return people.ExitRejected
	case errors.Is(err, people.ErrNothing):
		return people.ExitNothing
	}
	return exitFailed
}

func newRoot(version string, started *bool) *cobra.Command {
	root := &cobra.Command{
		Use: "confitctl [VERB]", Long: rootHelp, Example: rootExample, Version: version,
		SilenceUsage: true, SilenceErrors: true, Args: noArguments,
	}
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetHelpTemplate(helpTemplate)
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return fromEnvironment(c.Flags()) }
	var install string
	root.Flags().StringVar(&install, "install", "", "copy this program to `FILE`, or into a directory, for a container that has none")
	root.RunE = func(c *cobra.Command, _ []string) error {
		*started = true
		if install == "" {
			return c.Help()
		}
		return installTo(install)
	}
	for _, verb := range []*cobra.Command{newGate(), newReport(), newRender(), newPost(), newExport()} {
		run := verb.RunE
		verb.RunE = func(c *cobra.Command, args []string) error {
			*started = true
			return run(c, args)
		}
		verb.DisableFlagsInUseLine = true
		root.AddCommand(verb)
	}
	return root
}

// addCompletion adds the library's own verb, which takes a shell that it doesn't
// know for a call for help. It writes to where the root writes by now.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		panic(err) // it was added right now
	}
	completion.Short, completion.Long = "print what completes its command line in a shell", completionHelp
	completion.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("%q is no shell that completion is made for", args[0])
		}
		return nil
	}
	completion.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
}

// addHelp adds the library's own verb, which shows the help of the program for a
// verb that isn't there.
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

// deadline is what render and post have, unless somebody says otherwise: confit
// kills a hook after 30 s, and then nobody would see what was wrong.
const deadline = 25 * time.Second

// lastWords is how long what has ended by its context may take to say where.
const lastWords = 20 * time.Millisecond

// atOnce lets a signal end what doesn't look at its context: it reads a pipe that
// nobody writes to, or a template that goes on and on.
func atOnce(ctx context.Context, do func() error) error {
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

func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q is no verb", args[0])
	}
	return nil
}

// installTo gives a directory the program's own name.
func installTo(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "confitctl")
	}
	return linker.Install(path)
}

// fromEnvironment sets the flags that aren't on the command line. A hook has no
// shell, so a pod's own values come by the downward API and in this way.
func fromEnvironment(flags *pflag.FlagSet) error {
	var wrong error
	flags.VisitAll(func(f *pflag.Flag) {
		name := envPrefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, ok := os.LookupEnv(name)
		if !ok || f.Changed || wrong != nil {
			return
		}
		if err := flags.Set(f.Name, value); err != nil {
			wrong = fmt.Errorf("%s: %w", name, err)
		}
	})
	return wrong
}

// usage marks an error as one of the command line.
func usage(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errUsage, fmt.Errorf(format, args...))
}
