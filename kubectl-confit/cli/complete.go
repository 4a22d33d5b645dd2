package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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

// complete lets a verb complete its words: objects where its usage has KIND/NAME, roll-outs where it has
// LEASE, and what its flags are given.
func complete(verb *cobra.Command) {
	verb.ValidArgsFunction = cobra.NoFileCompletions
	if strings.Contains(verb.Use, "KIND/NAME") {
		verb.ValidArgsFunction = func(c *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
			return objects(c, word)
		}
	}
	if strings.Contains(verb.Use, "LEASE") {
		verb.ValidArgsFunction = func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return rollouts(c, word)
		}
	}
	offer(verb, "filename", func(*cobra.Command) []string { return []string{"yaml", "yml", "json"} }, cobra.ShellCompDirectiveFilterFileExt)
	offer(verb, "namespace", namespaces, cobra.ShellCompDirectiveNoFileComp)
	offer(verb, "context", contexts, cobra.ShellCompDirectiveNoFileComp)
}

// offer completes what a flag is given, if the verb has it.
func offer(verb *cobra.Command, flag string, words func(*cobra.Command) []string, directive cobra.ShellCompDirective) {
	if verb.Flags().Lookup(flag) == nil {
		return
	}
	err := verb.RegisterFlagCompletionFunc(flag, func(c *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		if directive == cobra.ShellCompDirectiveFilterFileExt { // these aren't words, but endings
			return words(c), directive
		}
		return starting(words(c), word), directive
	})
	if err != nil {
		panic(err) // the flag is there, and has no other
	}
}

// flagsOf are kubectl's flags with the values that a verb's have.
func flagsOf(c *cobra.Command) *cluster.Flags {
	flags, set := cluster.NewFlags(), pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.AddTo(set)
	c.Flags().Visit(func(given *pflag.Flag) {
		if f := set.Lookup(given.Name); f != nil {
			_ = f.Value.Set(given.Value.String()) // it was taken from the same words
		}
	})
	return flags
}

// objects completes KIND/NAME: first the kind, then the names that the cluster has. What can't be asked has none.
func objects(c *cobra.Command, word string) ([]string, cobra.ShellCompDirective) {
	kind, _, named := strings.Cut(word, "/")
	if !named {
		return starting(kinds, word), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	names := ask(c, func(ctx context.Context, client *cluster.Client) ([]string, error) { return client.Names(ctx, kind) })
	for i := range names {
		names[i] = kind + "/" + names[i]
	}
	return starting(names, word), cobra.ShellCompDirectiveNoFileComp
}

func namespaces(c *cobra.Command) []string {
	return ask(c, func(ctx context.Context, client *cluster.Client) ([]string, error) { return client.Namespaces(ctx) })
}

func contexts(c *cobra.Command) []string {
	names, err := flagsOf(c).Contexts()
	if err != nil {
		return nil
	}
	return names
}

// ask asks the cluster of the command line. Its errors would stand in the middle of what somebody types.
func ask(c *cobra.Command, which func(context.Context, *cluster.Client) ([]string, error)) []string {
	client, err := flagsOf(c).Connect()
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTimeout)
	defer cancel()
	names, err := which(ctx, client)
	if err != nil {
		return nil
	}
	return names
}

func starting(all []string, with string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(word string) bool { return !strings.HasPrefix(word, with) })
}
