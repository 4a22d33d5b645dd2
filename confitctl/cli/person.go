package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"confit/confitctl/people"
	"confit/confitctl/program"
	"confit/confitctl/rollout"
)

// person are the flags of gate by which a person looks at a rollout and steers it.
type person struct {
	status, pause, resume, promote, abort, follow bool
	retry, hash, output                           string
	timeout, begin                                time.Duration
}

func (p *person) register(c *cobra.Command) {
	flags := c.Flags()
	flags.BoolVar(&p.status, "status", false, "print the rollout")
	flags.StringVarP(&p.output, "output", "o", "", "print it as `FORMAT`: json")
	flags.BoolVar(&p.follow, "wait", false, "wait until the rollout is over; exit code 3 says that it was rejected, and 4 that there is none")
	flags.DurationVar(&p.timeout, "timeout", 0, "`D`, how long to wait at most; 0: for ever")
	flags.DurationVar(&p.begin, "begin", people.DefaultBegin, "`D`, how long before --wait it may have begun, and until when it has to")
	flags.BoolVar(&p.pause, "pause", false, people.Pause.Does())
	flags.BoolVar(&p.resume, "resume", false, people.Resume.Does())
	flags.StringVar(&p.retry, "retry", "", people.Retry.Does()+", by the first digits of its `HASH`")
	flags.BoolVar(&p.promote, "promote", false, people.Promote.Does())
	flags.BoolVar(&p.abort, "abort", false, people.Abort.Does())
	flags.StringVar(&p.hash, "hash", "", "what --wait, --promote and --abort are about, by the first digits of its `HASH`, if not what is tried")
}

// order is what a person wants done; no verb: nothing.
func (p *person) order() people.Order {
	switch {
	case p.pause:
		return people.Order{Verb: people.Pause}
	case p.resume:
		return people.Order{Verb: people.Resume}
	case p.promote:
		return people.Order{Verb: people.Promote, Hash: p.hash}
	case p.abort:
		return people.Order{Verb: people.Abort, Hash: p.hash}
	case p.retry != "":
		return people.Order{Verb: people.Retry, Hash: p.retry}
	}
	return people.Order{}
}

// asked reports that a person calls, and no hook.
func (p *person) asked() bool { return p.status || p.follow || p.order().Verb != "" }

// deeds are the flags of which only one can be done.
var deeds = []string{"status", "wait", "pause", "resume", "retry", "promote", "abort"}

// one refuses several of them.
func one(flags *pflag.FlagSet) error {
	var given []string
	for _, name := range deeds {
		if flags.Changed(name) {
			given = append(given, "--"+name)
		}
	}
	if len(given) > 1 {
		return program.Wrong("%s are there: only one can be done, write one of them", strings.Join(given, " and "))
	}
	return nil
}

// serve does what a person asks for.
func (p *person) serve(c *cobra.Command, f *fleetFlags) error {
	if err := one(c.Flags()); err != nil {
		return err
	}
	if p.output != "" && (p.output != "json" || !p.status) {
		return program.Wrong("--output is %q; write --status --output json", p.output)
	}
	if p.begin <= 0 {
		return program.Wrong("--begin is %s; write more than 0", p.begin)
	}
	if p.timeout < 0 {
		return program.Wrong("--timeout is %s; write 0 or more", p.timeout)
	}
	for name, digits := range map[string]string{"hash": p.hash, "retry": p.retry} {
		if digits != "" && !hash.MatchString(digits) {
			return program.Wrong("--%s is %q; write the first digits of a hash, which --status prints", name, digits)
		}
	}
	store, err := f.open()
	switch {
	case err != nil:
		return err
	case p.follow:
		w := people.Waiter{Store: store, Hash: p.hash, Begin: p.begin, Timeout: p.timeout, Out: c.ErrOrStderr()}
		return w.Run(c.Context())
	case p.status:
		view, err := people.Look(c.Context(), store)
		if err != nil {
			return err
		}
		return p.print(c.OutOrStdout(), view)
	}
	_, err = p.order().Give(c.Context(), store)
	return err
}

func (p *person) print(out io.Writer, view rollout.View) error {
	if p.output == "" {
		return people.Table(out, view)
	}
	text, err := json.MarshalIndent(view, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, string(text))
	return err
}
