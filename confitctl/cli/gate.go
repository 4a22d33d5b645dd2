package cli

import (
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"confit/confitctl/fleet"
	"confit/confitctl/memory"
	"confit/confitctl/program"
	"confit/confitctl/rollout"
)

// reportTimeout is how long a hook waits for an answer, which confit ends after 30 s
// and repeats.
const reportTimeout = 25 * time.Second

// gateFlags are the flags of gate.
type gateFlags struct {
	fleetFlags
	canaries, failures int
	parallel, revert   string
	person
}

func newGate() *cobra.Command {
	var f gateFlags
	c := &cobra.Command{
		Use: "gate --lease NAME [FLAG…]", Short: "wait until this replica may go on with a change",
		Long: gateHelp, Example: gateExample, Args: program.FlagsAlone, Annotations: map[string]string{"after": gateAfter},
		RunE: func(c *cobra.Command, _ []string) error {
			if f.asked() {
				return f.serve(c, &f.fleetFlags)
			}
			return f.wait(c)
		},
	}
	flags := c.Flags()
	f.fleetFlags.register(flags)
	flags.IntVar(&f.canaries, "canaries", 1, "how `MANY` must accept a change, one after the other, before the others may")
	flags.StringVar(&f.parallel, "parallel", "25%", "how many may then be in flight: `SHARE` of those known, or a number up to 100")
	flags.IntVar(&f.failures, "failures", 0, "how `MANY` pods must reject a change; 0: one, and once it is proved two or one of a hundred that accepted it")
	flags.StringVar(&f.revert, "revert", revertAtOnce, "how the fleet goes back to what was stable before: at-once or steps, as `HOW`")
	f.person.register(c)
	return c
}

// How the fleet goes back.
const (
	revertAtOnce = "at-once"
	revertSteps  = "steps"
)

// policy is what the flags say.
func (f *gateFlags) policy() (p rollout.Policy, err error) {
	p = rollout.Policy{Canaries: f.canaries, Failures: f.failures, Steps: f.revert == revertSteps}
	if p.Parallel, err = rollout.ParseParallel(f.parallel); err != nil {
		return p, program.Wrong("--parallel %w", err)
	}
	switch {
	case f.canaries < 1:
		return p, program.Wrong("--canaries is %d; write 1 or more", f.canaries)
	case f.failures < 0 || f.failures > rollout.MaxFailures:
		return p, program.Wrong("--failures is %d; write a number up to %d", f.failures, rollout.MaxFailures)
	case f.revert != revertAtOnce && f.revert != revertSteps:
		return p, program.Wrong("--revert is %q; write %s or %s", f.revert, revertAtOnce, revertSteps)
	}
	return p, nil
}

// wait is the hook.
func (f *gateFlags) wait(c *cobra.Command) error {
	policy, err := f.policy()
	if err != nil {
		return err
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
		Store: store, Me: me, Policy: policy, Memory: stateDir(), Out: c.ErrOrStderr(),
	}
	return g.Run(c.Context())
}

// stateDir is confit's state directory, where the generations are.
func stateDir() memory.Dir {
	generation := os.Getenv("CONFIT_CANDIDATE")
	if generation == "" {
		return ""
	}
	return memory.Dir(filepath.Dir(filepath.Dir(generation)))
}
