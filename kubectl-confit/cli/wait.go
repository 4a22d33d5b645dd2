package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"confit/confitctl/program"
	"confit/confitctl/rollout"
	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/follow"
	"confit/kubectl-confit/verdict"
	"confit/status"
)

// waitFlags are those of the verb.
type waitFlags struct {
	asking
	timeout time.Duration
	soak    bool
}

func newWait() *cobra.Command {
	var f waitFlags
	c := &cobra.Command{
		Use: "wait KIND/NAME… [FLAG…]", Short: "until every running pod has accepted what the API has now",
		Long: waitHelp, Example: waitExample, Annotations: map[string]string{"after": waitAfter},
	}
	c.RunE = f.output.orFailed(atOnce(func(c *cobra.Command, args []string) error { return f.run(c, args, follow.Wait) }), failedReport)
	f.addTo(c)
	return c
}

// addTo adds the flags of whatever waits.
func (f *waitFlags) addTo(c *cobra.Command) {
	f.asking.addTo(c)
	c.Flags().DurationVar(&f.timeout, "timeout", 5*time.Minute, "`TIME` after which it gives up; 0: never")
	c.Flags().BoolVar(&f.soak, "soak", false, "wait until the apps have lived with it for their confits' --soak, too")
}

// check refuses a wrong command line.
func (f *waitFlags) check(args []string) error {
	switch err := f.output.check(); {
	case err != nil:
		return err
	case len(args) == 0:
		return program.Wrong("what to wait for is missing: write configmap/NAME")
	case f.timeout < 0:
		return program.Wrong("--timeout is %s: write 0 or more", f.timeout)
	}
	return nil
}

// waiting is a way to wait for verdicts, as [follow.Wait] is.
type waiting func(context.Context, *cluster.Client, follow.Scope, follow.Options) (*follow.Report, error)

func (f *waitFlags) run(c *cobra.Command, args []string, wait waiting) error {
	if err := f.check(args); err != nil {
		return err
	}
	client, scope, err := f.scope(c.Context(), args)
	if err != nil {
		return err
	}
	p := progress{to: c.ErrOrStderr(), what: strings.Join(args, " "), soak: f.soak, rows: map[string]verdict.Row{}}
	found, err := wait(c.Context(), client, scope, follow.Options{Timeout: f.timeout, Soak: f.soak, Each: p.changed})
	if err != nil {
		return err
	}
	return f.conclude(c, client, args, found)
}

// conclude prints how a wait ended.
func (f *waitFlags) conclude(c *cobra.Command, client *cluster.Client, args []string, found *follow.Report) (err error) {
	if f.output.asked() {
		err = f.output.print(c.OutOrStdout(), newReport(client.Namespace, found))
	} else if found.Result.Code == 0 {
		_, err = fmt.Fprintf(c.OutOrStdout(), "%s %s%s\n", strings.Join(args, " "), found.Result.Why, withHash(found.Rows))
	} else {
		printOutputs(c.ErrOrStderr(), found.Rows)
	}
	if err != nil {
		return err
	}
	return outcome(c, found.Result)
}

// withHash names what was accepted, as a roll-out knows it, behind a verdict; "" where that isn't known.
func withHash(rows []verdict.Row) string {
	if hash := verdict.Hash(rows); hash != "" {
		return ": hash " + rollout.Short(hash)
	}
	return ""
}

// progress tells people on stderr how a wait goes on.
type progress struct {
	to   io.Writer
	what string
	soak bool
	rows map[string]verdict.Row
	last string
}

// changed tells a row that says why it doesn't go on, and how many have come how far.
func (p *progress) changed(r verdict.Row) {
	was := p.rows[r.UID+"/"+r.Container]
	p.rows[r.UID+"/"+r.Container] = r
	switch r.State {
	case verdict.Rejected, verdict.Stuck, verdict.Gated, verdict.Starting, verdict.Ended:
		if r.State != was.State {
			fmt.Fprintf(p.to, "%s: %s: %s\n", r.Name(), r.State, r.Why)
		}
	}
	if now := p.summary(); now != p.last && r.State != verdict.Asked {
		p.last = now
		fmt.Fprintln(p.to, now)
	}
}

// summary is how many containers have accepted it, and what the others do.
func (p *progress) summary() string {
	counted, all := map[verdict.State]int{}, 0
	for _, r := range p.rows {
		if r.State == verdict.Ended || r.State == verdict.Unfollowed {
			continue
		}
		if all++; r.State != verdict.Accepted && r.State != verdict.Asked {
			counted[r.State]++
		}
	}
	text := fmt.Sprintf("Waiting for %s: %d of %d accepted", p.what, p.accepted(), all)
	if p.soak {
		text += p.soaked(all)
	}
	for _, s := range slices.Sorted(maps.Keys(counted)) {
		text += fmt.Sprintf(", %d %s", counted[s], s)
	}
	return text
}

// soaked is how many apps have lived with it, and when the last one will have.
func (p *progress) soaked(all int) string {
	n, last := 0, status.Time("")
	for _, r := range p.rows {
		if r.State == verdict.Accepted && r.Soaked {
			n++
		} else if r.State == verdict.Accepted {
			last = max(last, r.SoaksAt)
		}
	}
	text := fmt.Sprintf(", %d of %d soaked", n, all)
	if last != "" {
		text += ", the last at " + string(last)
	}
	return text
}

func (p *progress) accepted() (n int) {
	for _, r := range p.rows {
		if r.State == verdict.Accepted {
			n++
		}
	}
	return n
}
