package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/follow"
	"confit/kubectl-confit/verdict"
)

// statusFlags are those of the verb.
type statusFlags struct {
	asking
	watch bool
}

func newStatus() *cobra.Command {
	var f statusFlags
	c := &cobra.Command{
		Use: "status [KIND/NAME…] [FLAG…]", Short: "which pods have what the API has, key by key",
		Long: statusHelp, Example: statusExample, Annotations: map[string]string{"after": statusAfter},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.addTo(c, "wide")
	c.Flags().BoolVarP(&f.watch, "watch", "w", false, "go on, and print each row that changes")
	return c
}

func (f *statusFlags) run(c *cobra.Command, args []string) error {
	if err := f.output.check(); err != nil {
		return err
	}
	if f.watch && f.asked() {
		return usage("--watch prints rows: write it without -o %s", *f.OutputFormat)
	}
	client, scope, err := f.scope(c.Context(), args)
	if err != nil {
		return err
	}
	if f.watch {
		return f.follow(c, client, scope)
	}
	found, err := follow.Look(c.Context(), client, scope)
	if err != nil {
		return err
	}
	r := newReport(client.Namespace, found)
	switch {
	case f.asked():
		err = f.output.print(c.OutOrStdout(), r)
	case len(found.Rows) > 0:
		err = r.print(c.OutOrStdout(), *f.OutputFormat == "wide", time.Now())
	}
	if err != nil {
		return err
	}
	return outcome(c, found.Result)
}

// outcome is the exit code of a result, with its reason on stderr.
func outcome(c *cobra.Command, r verdict.Result) error {
	if r.Code == 0 {
		return nil
	}
	if r.Why != "" {
		fmt.Fprintln(c.ErrOrStderr(), "kubectl-confit:", r.Why)
	}
	return said(r.Code)
}

// follow prints each row that changes until a signal ends it.
func (f *statusFlags) follow(c *cobra.Command, client *cluster.Client, scope follow.Scope) error {
	t := newTable(c.OutOrStdout(), nil, *f.OutputFormat == "wide")
	t.several = true // another container may come
	t.header()
	_, err := follow.Wait(c.Context(), client, scope, follow.Options{Endless: true, Each: func(r verdict.Row) {
		t.row(&r, time.Now())
		t.end()
	}})
	return err
}
