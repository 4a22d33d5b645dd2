package cli

import (
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"confit/confitctl/kube"
	"confit/confitctl/lease"
	"confit/confitctl/people"
	"confit/confitctl/program"
	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/follow"
	"confit/kubectl-confit/verdict"
)

func newRollout() *cobra.Command {
	c := &cobra.Command{
		Use: "rollout [VERB]", Short: "see, wait for, pause, promote or abort what a gate rolls out",
		Long: rolloutHelp, Example: rolloutExample, Args: program.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newRolloutStatus(), newOrder(people.Pause), newOrder(people.Resume),
		newOrder(people.Retry), newOrder(people.Promote), newOrder(people.Abort))
	return c
}

// rolloutFlags are those of all its verbs.
type rolloutFlags struct {
	cluster *cluster.Flags
	output  output
	hash    string
}

func (f *rolloutFlags) addTo(c *cobra.Command) {
	f.cluster = withCluster(c)
	f.output.addTo(c)
}

func (f *rolloutFlags) addHash(c *cobra.Command, text string) {
	c.Flags().StringVar(&f.hash, "hash", "", "first digits of the `HASH`"+text)
}

// digits begin a hash.
var digits = regexp.MustCompile("^[0-9a-f]{1,64}$")

// kinds of a Lease, as people and kubectl write them.
var leaseKinds = []string{"lease", "leases", "lease.coordination.k8s.io", "leases.coordination.k8s.io"}

// open connects to the Lease that a command line names: NAME, lease/NAME, or a workload whose template has it. The API server may be
// away for so long; 0: for any time.
func (f *rolloutFlags) open(c *cobra.Command, args []string, long time.Duration) (*cluster.Client, *lease.Store, string, error) {
	if err := f.output.check(); err != nil {
		return nil, nil, "", err
	}
	if f.hash != "" && !digits.MatchString(f.hash) {
		return nil, nil, "", program.Wrong("--hash is %q: write the first digits of a hash, as kubectl confit rollout status prints it", f.hash)
	}
	kind, name, named := strings.Cut(strings.Join(args, "/"), "/") // KIND NAME is KIND/NAME, as everywhere
	switch {
	case len(args) == 0:
		return nil, nil, "", program.Wrong("which rollout is missing: write the Lease that holds it, NAME or lease/NAME, or a workload")
	case !named:
		kind, name = leaseKinds[0], args[0]
	}
	if err := kube.CheckName(name); err != nil {
		return nil, nil, "", program.Wrong("%w", err)
	}
	workload := ""
	if !slices.Contains(leaseKinds, strings.ToLower(kind)) {
		workload, name = kind+"/"+name, ""
	}
	f.output.is("", name)
	client, err := f.cluster.Connect(patient(c, long))
	if err != nil {
		return nil, nil, "", err
	}
	f.output.is(client.Namespace, name)
	if workload != "" {
		if name, err = client.LeaseOf(c.Context(), workload); err != nil {
			return nil, nil, "", err
		}
		f.output.is(client.Namespace, name)
	}
	store, err := client.Rollout(name)
	return client, store, name, err
}

// newOrder is a verb that changes a rollout.
func newOrder(verb people.Verb) *cobra.Command {
	var f rolloutFlags
	c := &cobra.Command{
		Use: string(verb) + " LEASE [FLAG…]", Short: verb.Does(),
		Long: orderHelp[verb], Example: orderExample[verb], Annotations: map[string]string{"after": orderAfter},
	}
	c.RunE = f.output.orFailed(atOnce(func(c *cobra.Command, args []string) error {
		if verb == people.Retry && f.hash == "" {
			return program.Wrong("--hash is missing: write the first digits of what to try again; kubectl confit rollout status LEASE has them")
		}
		client, store, name, err := f.open(c, args, people.Timeout)
		if err != nil {
			return err
		}
		view, err := people.Order{Verb: verb, Hash: f.hash}.Give(c.Context(), store)
		if err != nil {
			return err
		}
		r := newRolloutReport(client.Namespace, name, view, nil)
		return f.output.end(c, r, r.print, verdict.Result{})
	}), failedRollout)
	f.addTo(c)
	switch verb {
	case people.Retry:
		f.addHash(c, " that is tried again; required")
	case people.Promote, people.Abort:
		f.addHash(c, ", if several are tried")
	}
	return c
}

// rolloutStatusFlags are those of the verb.
type rolloutStatusFlags struct {
	rolloutFlags
	wait           bool
	timeout, begin time.Duration
}

func newRolloutStatus() *cobra.Command {
	var f rolloutStatusFlags
	c := &cobra.Command{
		Use: "status LEASE [FLAG…]", Short: "which hash is stable, tried or rejected, by which pod, and why",
		Long: rolloutStatusHelp, Example: rolloutStatusExample, Annotations: map[string]string{"after": rolloutStatusAfter},
	}
	c.RunE = f.output.orFailed(atOnce(f.run), failedRollout)
	f.addTo(c)
	f.addHash(c, " that --wait waits for, as wait and sync print it")
	c.Flags().BoolVar(&f.wait, "wait", false, "wait until the rollout is over, and show it then")
	c.Flags().DurationVar(&f.timeout, "timeout", 0, "`TIME` after which --wait gives up; 0: never")
	c.Flags().DurationVar(&f.begin, "begin", people.DefaultBegin, "`TIME` before --wait in which it may have begun, and until when it has to")
	return c
}

func (f *rolloutStatusFlags) run(c *cobra.Command, args []string) error {
	switch {
	case !f.wait && (f.hash != "" || f.timeout != 0):
		return program.Wrong("--hash and --timeout are for --wait: write that, too")
	case f.timeout < 0:
		return program.Wrong("--timeout is %s: write 0 or more", f.timeout)
	case f.begin <= 0:
		return program.Wrong("--begin is %s: write more than 0", f.begin)
	}
	long := people.Timeout
	if f.wait {
		long = f.timeout
	}
	client, store, name, err := f.open(c, args, long)
	if err != nil {
		return err
	}
	var end error // of the wait
	if f.wait {
		asked, err := client.Hasty().Rollout(name)
		if err != nil {
			return err
		}
		w := people.Waiter{Store: asked, Hash: f.hash, Begin: f.begin, Timeout: f.timeout, Out: c.ErrOrStderr(),
			Mounted: func(ctx context.Context) []people.Mount { return follow.Mounted(ctx, client, name) }}
		end = w.Run(c.Context())
	}
	view, err := people.Look(c.Context(), store)
	if err != nil && (end == nil || c.Context().Err() != nil) {
		return err
	}
	r := newRolloutReport(client.Namespace, name, view, follow.Words(c.Context(), client, view))
	r.end(end)
	people := r.print
	if err != nil {
		people = func(io.Writer) error { return nil }
	}
	return f.output.end(c, r, people, verdict.Result{Code: r.Code, Why: r.Why})
}

// end notes how a wait ended.
func (r *rolloutReport) end(err error) {
	switch {
	case err == nil:
		return
	case errors.Is(err, people.ErrRejected):
		r.Code = people.ExitRejected
	case errors.Is(err, people.ErrNothing):
		r.Code = people.ExitNothing
	default:
		r.Code = verdict.Wrong
	}
	r.Why = err.Error()
}
