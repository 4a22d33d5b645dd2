package cli

import (
	"context"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"confit/confitctl/fleet"
	"confit/confitctl/rollout"
)

func newReport() *cobra.Command {
	var f fleetFlags
	c := &cobra.Command{
		Use: "report --lease NAME [FLAG…]", Short: "tell the others how a change ended",
		Long: reportHelp, Example: reportExample, Args: cobra.NoArgs, Annotations: map[string]string{"after": reportAfter},
		RunE: func(c *cobra.Command, _ []string) error { return f.report(c.Context()) },
	}
	f.register(c.Flags())
	return c
}

func (f *fleetFlags) report(ctx context.Context) error {
	kind, err := required("CONFIT_OUTCOME")
	if err != nil {
		return err
	}
	if !slices.Contains(rollout.Kinds, rollout.Kind(kind)) {
		return usage("CONFIT_OUTCOME is %q, which this confitctl doesn't know", kind)
	}
	if hash, set := os.LookupEnv("CONFIT_HASH"); set && hash == "" {
		return nil // what is mounted can't be staged, as when a key is missing: no gate was asked about it
	}
	me, err := f.replica()
	if err != nil {
		return err
	}
	store, err := f.open()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	return fleet.Report(ctx, store, me, rollout.Outcome{
		Kind: rollout.Kind(kind), Step: os.Getenv("CONFIT_STEP"), Source: os.Getenv("CONFIT_SOURCE"),
	})
}
