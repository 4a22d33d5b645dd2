package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"confit/confitctl/program"
	"confit/confitctl/rollout"
	"confit/kubectl-confit/follow"
	"confit/kubectl-confit/verdict"
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
	c.RunE = f.output.orFailed(atOnce(func(c *cobra.Command, args []string) error { return f.run(c, args, untouched) }), failedReport)
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

// run waits, at a pace that the verb has.
func (f *waitFlags) run(c *cobra.Command, args []string, at pace) error {
	if err := f.check(args); err != nil {
		return err
	}
	begun := time.Now()
	client, scope, err := f.scope(c.Context(), args, patient(c, f.timeout))
	if err != nil {
		return err
	}
	p := newProgress(c.ErrOrStderr(), strings.Join(args, " "), f.soak)
	found, err := p.wait(c.Context(), client, scope, follow.Options{Timeout: rest(f.timeout, begun), Soak: f.soak}, at)
	if err != nil {
		return err
	}
	return f.output.end(c, newReport(client.Namespace, found), func(w io.Writer) (err error) {
		if found.Result.Code == 0 {
			_, err = fmt.Fprintf(w, "%s %s%s\n", strings.Join(args, " "), found.Result.Why, withHash(found.Rows))
		} else {
			printOutputs(c.ErrOrStderr(), found.Rows)
		}
		return err
	}, found.Result)
}

// rest is what is left of a time that has begun, as [follow.Options] take it.
func rest(of time.Duration, begun time.Time) time.Duration {
	if of == 0 {
		return 0
	}
	return max(1, of-time.Since(begun))
}

// withHash names what was accepted, as a rollout knows it, behind a verdict; "" where that isn't known.
func withHash(rows []verdict.Row) string {
	if hash := verdict.Hash(rows); hash != "" {
		return ": hash " + rollout.Short(hash)
	}
	return ""
}
