package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"confit/kubectl-confit/cluster"
)

// CompletionPrefix is what the name of a program begins with that kubectl asks for completions of a plugin's words. This
// program is one under that name.
const CompletionPrefix = "kubectl_complete-"

// Completion makes of the words of a command line the call that completes their last one.
func Completion(words []string) []string {
	return slices.Concat([]string{cobra.ShellCompRequestCmd}, words)
}

// completionTimeout is how long somebody waits for the cluster who has pressed the tabulator.
const completionTimeout = 5 * time.Second

// kinds are completed without asking a cluster: which ones there are is known.
var kinds = []string{"configmap/", "secret/", "deployment/", "statefulset/", "daemonset/", "pod/"}

// withCluster gives a verb kubectl's flags, and completes its words: objects where its usage has KIND/NAME, rollouts where it
// has LEASE, and what its flags are given.
func withCluster(c *cobra.Command) *cluster.Flags {
	flags := cluster.NewFlags()
	flags.AddTo(c.Flags())
	offer(c, "namespace", func() []string { return ask(flags, (*cluster.Client).Namespaces) })
	offer(c, "context", func() []string {
		names, _ := flags.Contexts() // an error would stand in the middle of what somebody types
		return names
	})
	switch {
	case strings.Contains(c.Use, "KIND/NAME"):
		c.ValidArgsFunction = func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
			return objects(flags, word)
		}
	case strings.Contains(c.Use, "LEASE"):
		c.ValidArgsFunction = func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return rollouts(flags, word)
		}
	}
	return flags
}

// offer completes what a flag of a verb is given.
func offer(verb *cobra.Command, flag string, words func() []string) {
	err := verb.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		return starting(words(), word), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag is there, and has no other
	}
}

// objects completes KIND/NAME: first the kind, then the names that the cluster has. What can't be asked has none.
func objects(flags *cluster.Flags, word string) ([]string, cobra.ShellCompDirective) {
	kind, _, named := strings.Cut(word, "/")
	if !named {
		return starting(kinds, word), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	names := ask(flags, func(c *cluster.Client, ctx context.Context) ([]string, error) { return c.Names(ctx, kind) })
	return starting(prefixed(kind, names), word), cobra.ShellCompDirectiveNoFileComp
}

// rollouts completes LEASE: the names of those that hold a record, or a workload.
func rollouts(flags *cluster.Flags, word string) ([]string, cobra.ShellCompDirective) {
	kind, _, named := strings.Cut(word, "/")
	if named && !slices.Contains(leaseKinds, strings.ToLower(kind)) {
		return objects(flags, word)
	}
	names := ask(flags, (*cluster.Client).Rollouts)
	if named {
		names = prefixed(kind, names)
	}
	return starting(names, word), cobra.ShellCompDirectiveNoFileComp
}

func prefixed(kind string, names []string) []string {
	for i := range names {
		names[i] = kind + "/" + names[i]
	}
	return names
}

// ask asks the cluster of the command line. Its errors would stand in the middle of what somebody types.
func ask(flags *cluster.Flags, which func(*cluster.Client, context.Context) ([]string, error)) []string {
	client, err := flags.Connect(cluster.Patience{})
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTimeout)
	defer cancel()
	names, err := which(client, ctx)
	if err != nil {
		return nil
	}
	return names
}

func starting(all []string, with string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(word string) bool { return !strings.HasPrefix(word, with) })
}
