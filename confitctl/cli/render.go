package cli

import (
	"io/fs"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"confit/confitctl/render"
)

func newRender() *cobra.Command {
	var dir, output, mode string
	c := &cobra.Command{
		Use: "render [FLAG…] TEMPLATE…", Short: "make files out of templates, keys and the environment",
		Long: renderHelp, Example: renderExample, Args: cobra.MinimumNArgs(1), Annotations: map[string]string{"after": renderAfter},
		RunE: func(c *cobra.Command, args []string) error {
			permissions, err := strconv.ParseUint(mode, 8, 9)
			if err != nil {
				return usage("--mode is %q, no octal number up to 777", mode)
			}
			if dir == "" {
				dir = "."
			}
			var files []render.File
			err = atOnce(c.Context(), func() (err error) {
				files, err = render.Render(args, render.Inputs{Dir: dir, Environ: os.LookupEnv})
				return err
			})
			switch {
			case err != nil:
				return err
			case output != "":
				return render.Write(output, files, fs.FileMode(permissions))
			case len(files) > 1:
				return usage("several templates need --output, a directory")
			}
			_, err = c.OutOrStdout().Write(files[0].Data)
			return err
		},
	}
	flags := c.Flags()
	flags.StringVar(&dir, "dir", os.Getenv("CONFIT_CANDIDATE"), "`DIR` whose files templates read (CONFIT_CANDIDATE, else where it is run)")
	flags.StringVar(&output, "output", os.Getenv("CONFIT_RENDERED"), "`DIR` to write into (CONFIT_RENDERED, else stdout)")
	flags.StringVar(&mode, "mode", "0644", "`MODE` of the files, whatever the umask")
	hideDefaults(flags, "dir", "output")
	return c
}
