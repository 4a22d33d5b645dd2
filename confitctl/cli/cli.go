// Package cli is confitctl's command line: its verbs, their flags and help.
//
// It guarantees that each flag may stand in the environment, too, that a wrong
// command line is exit code 64 and never anything else, and that TERM and INT
// end every verb at once.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"confit/confitctl/people"
	"confit/confitctl/program"
	"confit/linker"
)

// envPrefix begins the variable that stands for a flag.
const envPrefix = "CONFITCTL_"

// Run does what the command line says and returns the exit code.
func Run(version string, args []string, stdout, stderr io.Writer) int {
	ctx, stop := program.Context()
	defer stop()
	started := false
	root := newRoot(version)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	program.Prepare(root, &started)
	addCompletion(root)
	verb, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	stopped := program.Signal(ctx)
	if stopped != 0 && err == context.Cause(ctx) { //nolint:errorlint // it says no more than that a signal came
		return stopped
	}
	code := program.Tell(stderr, verb, err, started)
	switch {
	case stopped != 0:
		return stopped
	case errors.Is(err, people.ErrRejected):
		return people.ExitRejected
	case errors.Is(err, people.ErrNothing):
		return people.ExitNothing
	}
	return code
}

func newRoot(version string) *cobra.Command {
	root := &cobra.Command{Use: "confitctl [VERB]", Long: rootHelp, Example: rootExample, Version: version, Args: program.NoArguments}
	root.CompletionOptions.HiddenDefaultCmd = false
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return fromEnvironment(c) }
	var install string
	root.Flags().StringVar(&install, "install", "", "copy this program to `FILE`, or into a directory, for a container that has none")
	root.RunE = func(c *cobra.Command, _ []string) error {
		if install == "" {
			return c.Help()
		}
		return installTo(install)
	}
	root.AddCommand(newGate(), newReport(), newRender(), newPost(), newExport())
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
			return fmt.Errorf("%q is no shell that completion is made for: %s", args[0], program.DidYouMean(args[0], []string{"bash", "fish", "powershell", "zsh"}))
		}
		return nil
	}
	completion.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
}

// deadline is what render and post have, unless somebody says otherwise: confit
// kills a hook after 30 s, and then nobody would see what was wrong.
const deadline = 25 * time.Second

// installTo gives a directory the program's own name.
func installTo(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "confitctl")
	}
	return linker.Install(path)
}

// fromEnvironment sets the flags that aren't on the command line. A hook has no
// shell, so a pod's own values come by the downward API and in this way.
// A variable that means no flag of any verb is refused, as it may be misspelt: but for those that Kubernetes sets where a Service
// has this program's name.
func fromEnvironment(c *cobra.Command) error {
	known := variables(c.Root())
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, envPrefix) && !slices.Contains(known, name) && !strings.Contains(name, "_SERVICE_") && !strings.Contains(name, "_PORT") {
			return fmt.Errorf("%s: no flag has this name: %s", name, program.DidYouMean(name, known))
		}
	}
	var wrong error
	flags := c.Flags()
	flags.VisitAll(func(f *pflag.Flag) {
		name := variableOf(f)
		value, ok := os.LookupEnv(name)
		if !ok || f.Changed || wrong != nil {
			return
		}
		if err := flags.Set(f.Name, value); err != nil {
			wrong = fmt.Errorf("%s: %w", name, program.WrongValue(err))
		}
	})
	return wrong
}

// variableOf stands for a flag.
func variableOf(f *pflag.Flag) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

// variables are those of a verb's flags, and of all verbs below it.
func variables(verb *cobra.Command) (names []string) {
	verb.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, variableOf(f)) })
	for _, below := range verb.Commands() {
		names = append(names, variables(below)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
