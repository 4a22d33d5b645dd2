package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"confit/confitctl/fleet"
	"confit/confitctl/lease"
	"confit/confitctl/rollout"
)

// people are the flags of gate by which a person looks at a roll-out and steers it.
type people struct {
	status, pause, resume, promote, abort, follow bool
	retry, hash, output                           string
	timeout                                       time.Duration
}

func (p *people) register(c *cobra.Command) {
	flags := c.Flags()
	flags.BoolVar(&p.status, "status", false, "print the roll-out")
	flags.StringVarP(&p.output, "output", "o", "", "print it as `FORMAT`: json")
	flags.BoolVar(&p.follow, "wait", false, "wait until the roll-out is over; exit code 2 says that it was rejected")
	flags.DurationVar(&p.timeout, "timeout", 0, "`D`, how long to wait at most; 0: for ever")
	flags.BoolVar(&p.pause, "pause", false, "let nobody begin; who is in flight goes on")
	flags.BoolVar(&p.resume, "resume", false, "end a pause, also one that a pod's verdict has made")
	flags.StringVar(&p.retry, "retry", "", "forget that `HASH` was rejected, or lost canaries; its first digits will do")
	flags.BoolVar(&p.promote, "promote", false, "let what is tried go to all at once; ends a pause")
	flags.BoolVar(&p.abort, "abort", false, "reject what is tried; what was stable before is stable again")
	flags.StringVar(&p.hash, "hash", "", "what --wait, --promote and --abort are about, by the first digits of its `HASH`, if not what is tried")
	c.MarkFlagsMutuallyExclusive("status", "wait", "pause", "resume", "retry", "promote", "abort")
}

// asked reports that a person calls, and no hook.
func (p *people) asked() bool {
	return p.status || p.follow || p.pause || p.resume || p.promote || p.abort || p.retry != ""
}

// serve does what a person asks for.
func (p *people) serve(c *cobra.Command, f *fleetFlags) error {
	if p.output != "" && (p.output != "json" || !p.status) {
		return usage("--output is %q; write --status --output json", p.output)
	}
	store, err := f.open()
	if err != nil {
		return err
	}
	if p.follow {
		return p.waitFor(c, store)
	}
	ctx, cancel := context.WithTimeout(c.Context(), personTimeout)
	defer cancel()
	if p.status {
		return p.print(ctx, c.OutOrStdout(), store)
	}
	_, err = fleet.Change(ctx, store, p.edit)
	return err
}

// edit is what a person makes of the record.
func (p *people) edit(r rollout.Record, date int64) (rollout.Record, error) {
	switch {
	case p.pause:
		return r.Pause(date), nil
	case p.resume:
		return r.Resume(), nil
	case p.promote:
		return r.Promote(p.hash, date)
	case p.abort:
		return r.Abort(p.hash, date)
	}
	return r.Retry(p.retry)
}

func (p *people) print(ctx context.Context, out io.Writer, store *lease.Store) error {
	record, _, err := store.Load(ctx)
	switch {
	case err != nil:
		return err
	case p.output == "":
		return fleet.Table(out, record.View())
	}
	text, err := json.MarshalIndent(record.View(), "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, string(text))
	return err
}

func (p *people) waitFor(c *cobra.Command, store *lease.Store) error {
	ctx, cancel := context.WithCancel(c.Context())
	if p.timeout > 0 {
		ctx, cancel = context.WithTimeout(c.Context(), p.timeout)
	}
	defer cancel()
	w := fleet.Waiter{Store: store, Hash: p.hash, Out: c.ErrOrStderr()}
	err := w.Run(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the roll-out isn't over after %s: %w", p.timeout, err)
	}
	return err
}
