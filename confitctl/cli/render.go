package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"confit/confitctl/budget"
	"confit/confitctl/program"
	"confit/confitctl/render"
	"confit/process"
)

func newRender() *cobra.Command {
	var dir, output, mode string
	var limit budget.Budget
	var memory uint64
	c := &cobra.Command{
		Use: "render [FLAG…] TEMPLATE…", Short: "make files out of templates, keys and the environment",
		Long: renderHelp, Example: renderExample, Args: templates, Annotations: map[string]string{"after": renderAfter},
		RunE: func(c *cobra.Command, args []string) error {
			permissions, err := strconv.ParseUint(mode, 8, 9)
			switch {
			case err != nil:
				return program.Wrong("--mode is %q: write an octal number up to 0777, such as 0644", mode)
			case len(args) > 1 && output == "":
				return program.Wrong("several templates need a directory: write --output DIR")
			case limit.Time <= 0:
				return program.Wrong("--deadline is %s: write more than 0", limit.Time)
			}
			if dir == "" {
				dir = "."
			}
			left, limited := process.Container.Headroom()
			limit.Memory, limit.Why = allowed(memory<<20, left, limited)
			ctx, stop := limit.Start(c.Context())
			defer stop()
			var files []render.File
			err = program.AtOnce(ctx, func() (err error) {
				files, err = render.Render(ctx, args, render.Inputs{Dir: dir, Environ: os.LookupEnv})
				return err
			})
			if c.Context().Err() == nil && err != nil && err == context.Cause(ctx) { //nolint:errorlint // it is just that: nothing has said where
				err = fmt.Errorf("cannot render: %w", err)
			}
			if err == nil && output != "" {
				err = render.Write(output, files, fs.FileMode(permissions))
			} else if err == nil {
				_, err = c.OutOrStdout().Write(files[0].Data)
			}
			return err
		},
	}
	flags := c.Flags()
	flags.StringVar(&dir, "dir", os.Getenv("CONFIT_CANDIDATE"), "`DIR` whose files templates read (CONFIT_CANDIDATE, else where it is run)")
	flags.StringVar(&output, "output", os.Getenv("CONFIT_RENDERED"), "`DIR` to write into (CONFIT_RENDERED, else stdout)")
	flags.StringVar(&mode, "mode", "0644", "`MODE` of the files, whatever the umask")
	flags.DurationVar(&limit.Time, "deadline", deadline, "`D`, how long it may take; less than confit's --hook-timeout")
	flags.Uint64Var(&memory, "memory", 256, "`MIB` of memory that it may need, and no more than three quarters of what the container has left")
	hideDefaults(flags, "dir", "output")
	return c
}

// templates refuses a command line without one.
func templates(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("no template is named: write confitctl render TEMPLATE, such as {candidate}/web/nginx.conf.tmpl")
	}
	return nil
}

// allowed is how much memory the templates may need of what is left to the container, so
// that they don't end it: the app is in the same cgroup.
func allowed(memory uint64, left int64, limited bool) (bytes uint64, why string) {
	if share := max(uint64(left-left/4), least); limited && share < memory {
		return share, ", three quarters of what the container has left"
	}
	return memory, ""
}

// least is what the program needs for a small template.
const least = 16 << 20
