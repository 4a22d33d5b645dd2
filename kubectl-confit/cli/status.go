package cli

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"confit/confitctl/program"
	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/follow"
	"confit/kubectl-confit/verdict"
)

// statusFlags are those of the verb.
type statusFlags struct {
	asking
	watch, everywhere bool
}

func newStatus() *cobra.Command {
	var f statusFlags
	c := &cobra.Command{
		Use: "status [KIND/NAME…] [FLAG…]", Short: "which pods have what the API has, key by key",
		Long: statusHelp, Example: statusExample, Annotations: map[string]string{"after": statusAfter},
	}
	c.RunE = f.output.orFailed(atOnce(f.run), func(of about, code int, why string) printable {
		if f.everywhere {
			return &reports{kind("ReportList"), code, why, []*report{}}
		}
		return failedReport(of, code, why)
	})
	f.addTo(c, "wide")
	c.Flags().BoolVarP(&f.everywhere, "all-namespaces", "A", false, "all pods with confit of all namespaces")
	c.Flags().BoolVarP(&f.watch, "watch", "w", false, "go on, and print each row that changes")
	return c
}

func (f *statusFlags) run(c *cobra.Command, args []string) error {
	if err := f.output.check(); err != nil {
		return err
	}
	if f.watch && f.output.asked() {
		return program.Wrong("--watch prints rows: write it without -o %s", *f.output.OutputFormat)
	}
	if f.everywhere && len(args) > 0 {
		return program.Wrong("-A and %s are there: write one of the two, as a name is one namespace's", args[0])
	}
	p := cluster.Patience{}
	if f.watch {
		p = patient(c, 0)
	}
	client, scope, err := f.scope(c.Context(), args, p)
	if err != nil {
		return err
	}
	switch {
	case f.everywhere && f.watch:
		return f.followEverywhere(c, client, scope)
	case f.everywhere:
		return f.lookEverywhere(c, client, scope)
	case f.watch:
		return f.follow(c.Context(), client, scope, f.rows(c))
	}
	found, err := follow.Look(c.Context(), client, scope)
	if err != nil {
		return err
	}
	r := newReport(client.Namespace, found)
	if len(r.Pods) > 0 {
		tellWithout(c.ErrOrStderr(), r.Without)
	}
	people := func(w io.Writer) error {
		return (&reports{Items: []*report{r}}).print(w, f.output.wide(), false, time.Now())
	}
	return f.output.end(c, r, people, found.Result)
}

// rows is a table to which rows are added until a signal ends it.
func (f *statusFlags) rows(c *cobra.Command) *table {
	t := newTable(c.OutOrStdout(), nil, f.output.wide())
	t.several, t.everywhere = true, f.everywhere // another container may come
	t.header()
	return t
}

// follow prints each row that changes.
func (f *statusFlags) follow(ctx context.Context, client *cluster.Client, scope follow.Scope, t *table) error {
	_, err := follow.Wait(ctx, client, scope, follow.Options{Endless: true, Each: func(r verdict.Row) {
		t.lock.Lock()
		defer t.lock.Unlock()
		t.row(client.Namespace, &r, time.Now())
		t.end()
	}})
	return err
}
