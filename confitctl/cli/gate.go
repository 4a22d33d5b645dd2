package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"confit/confitctl/fleet"
	"confit/confitctl/rollout"
)

// personTimeout is how long a person waits for an answer, and reportTimeout a
// hook, which confit ends after 30 s and repeats.
const (
	personTimeout = 30 * time.Second
	reportTimeout = 25 * time.Second
)

// gateFlags are the flags of gate.
type gateFlags struct {
	fleetFlags
	canaries              int
	parallel              string
	status, pause, resume bool
	retry                 string
}

func newGate() *cobra.Command {
	var f gateFlags
	c := &cobra.Command{
		Use: "gate --lease NAME [FLAG…]", Short: "wait until this replica may go on with a change",
		Long: gateHelp, Example: gateExample, Args: cobra.NoArgs, Annotations: map[string]string{"after": gateAfter},
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	flags := c.Flags()
	f.register(flags)
	flags.IntVar(&f.canaries, "canaries", 1, "how `MANY` must accept a change, one after the other, before the others may")
	flags.StringVar(&f.parallel, "parallel", "25%", "how many may then be in flight: `SHARE` of those known, or a number up to 100")
	flags.BoolVar(&f.status, "status", false, "print the roll-out")
	flags.BoolVar(&f.pause, "pause", false, "let nobody begin; who is in flight goes on")
	flags.BoolVar(&f.resume, "resume", false, "end a pause")
	flags.StringVar(&f.retry, "retry", "", "forget that `HASH` was rejected, or lost canaries; its first digits will do")
	c.MarkFlagsMutuallyExclusive("status", "pause", "resume", "retry")
	return c
}

func (f *gateFlags) run(c *cobra.Command) error {
	switch {
	case f.status:
		return f.table(c)
	case f.pause:
		return f.change(c.Context(), func(r rollout.Record) (rollout.Record, error) { return r.Pause(), nil })
	case f.resume:
		return f.change(c.Context(), func(r rollout.Record) (rollout.Record, error) { return r.Resume(), nil })
	case f.retry != "":
		return f.change(c.Context(), func(r rollout.Record) (rollout.Record, error) { return r.Retry(f.retry) })
	}
	return f.wait(c)
}

// wait is the hook.
func (f *gateFlags) wait(c *cobra.Command) error {
	parallel, err := rollout.ParseParallel(f.parallel)
	if err != nil {
		return usage("--parallel %w", err)
	}
	if f.canaries < 1 {
		return usage("--canaries is %d; at least one replica goes first", f.canaries)
	}
	me, err := f.replica()
	if err != nil {
		return err
	}
	if me.Bound, err = bound(); err != nil {
		return err
	}
	store, err := f.open()
	if err != nil {
		return err
	}
	g := fleet.Gate{
		Store: store, Me: me, Policy: rollout.Policy{Canaries: f.canaries, Parallel: parallel}, Out: c.ErrOrStderr(),
	}
	return g.Run(c.Context())
}

func (f *gateFlags) table(c *cobra.Command) error {
	store, err := f.open()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Context(), personTimeout)
	defer cancel()
	record, _, err := store.Load(ctx)
	if err != nil {
		return err
	}
	return fleet.Table(c.OutOrStdout(), record)
}

func (f *gateFlags) change(ctx context.Context, edit func(rollout.Record) (rollout.Record, error)) error {
	store, err := f.open()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, personTimeout)
	defer cancel()
	_, err = fleet.Change(ctx, store, edit)
	return err
}
