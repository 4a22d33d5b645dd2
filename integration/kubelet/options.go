package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/pflag"
)

// options is a command line that makes sense.
type options struct {
	dir     string
	keys    []string // KEY=VALUE arguments
	from    string   // "" when not given
	stdin   bool
	mode    int32
	fsGroup *int64 // nil when not given
}

// parseOptions reads the command line; its errors are a usageError or pflag.ErrHelp.
func parseOptions(args []string) (*options, error) {
	var o options
	var mode string
	var group int64
	flags := pflag.NewFlagSet("kubelet", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	flags.StringVar(&mode, "mode", "0644", "")
	flags.Int64Var(&group, "fsgroup", -1, "")
	flags.StringVar(&o.from, "from", "", "")
	flags.BoolVar(&o.stdin, "stdin", false, "")
	if err := flags.Parse(args); errors.Is(err, pflag.ErrHelp) {
		return nil, err
	} else if err != nil {
		return nil, misuse("cannot read the command line: %w", err)
	}
	if flags.NArg() == 0 {
		return nil, misuse("cannot write a volume: no DIR given")
	}
	o.dir, o.keys = flags.Arg(0), flags.Args()[1:]
	if flags.Changed("fsgroup") {
		o.fsGroup = &group
	}
	var err error
	if o.mode, err = parseMode(mode); err != nil {
		return nil, misuse("cannot use --mode %q: %w", mode, err)
	}
	return &o, o.check()
}

// check refuses combinations that have two meanings.
func (o *options) check() error {
	switch {
	case o.from != "" && o.stdin:
		return misuse("cannot use --from: --stdin is given too")
	case (o.from != "" || o.stdin) && len(o.keys) > 0:
		return misuse("cannot use key %q: --from or --stdin is given too", o.keys[0])
	case o.fsGroup != nil && *o.fsGroup < 0:
		return misuse("cannot use --fsgroup %d: below 0", *o.fsGroup)
	}
	return nil
}

// parseMode reads a file mode in octal.
func parseMode(s string) (int32, error) {
	m, err := strconv.ParseInt(s, 8, 32)
	if err != nil {
		return 0, errors.New("not an octal number")
	}
	return int32(m), checkMode(int32(m))
}

// checkMode holds a mode to the bounds of the API (defaultMode and items[].mode).
func checkMode(m int32) error {
	if m < 0 || m > 0o777 {
		return fmt.Errorf("mode %#o is not within 0 and 0777", m)
	}
	return nil
}
