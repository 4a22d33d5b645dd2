package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/resource"

	"confit/confitctl/program"
	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/pods"
)

// files are the manifests that a command line names, by kubectl's own flags.
type files struct {
	genericclioptions.FileNameFlags
}

// addTo adds the flags to those of a verb.
func (f *files) addTo(flags *pflag.FlagSet, what string) {
	f.FileNameFlags = genericclioptions.FileNameFlags{
		Usage: "`FILE` or directory of " + what + ", - for stdin; repeatable", Filenames: new([]string), Kustomize: new(string), Recursive: new(bool),
	}
	f.AddFlags(flags)
	flags.Lookup("recursive").Usage = "the directories of -f with those below them"
	flags.Lookup("kustomize").Usage = "`DIRECTORY` that kustomize builds, in the place of -f"
}

// noArguments refuses a file that lacks its flag.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q is no flag: write -f %s", args[0], args[0])
	}
	return nil
}

// check refuses a wrong command line.
func (f *files) check() error {
	switch named, built := len(*f.Filenames) > 0, *f.Kustomize != ""; {
	case !named && !built:
		return program.Wrong("-f is missing: write -f FILE, or -f - for stdin")
	case built && (named || *f.Recursive):
		return program.Wrong("-k is there, and -f or -R: write one of the two")
	}
	return nil
}

// String is what people call them.
func (f *files) String() string { return cmp.Or(*f.Kustomize, strings.Join(*f.Filenames, ", ")) }

// objects reads them as kubectl does. The error has all that can't be read.
func (f *files) objects(ctx context.Context, client *cluster.Client, stdin io.Reader) (infos []*resource.Info, err error) {
	b := client.Builder().Unstructured().Local().ContinueOnError().Flatten()
	options := f.ToOptions()
	options.Filenames = slices.DeleteFunc(slices.Clone(options.Filenames), func(name string) bool {
		if name == "-" {
			b = b.StdinInUse().Stream(stdin, "stdin")
		}
		return name == "-"
	})
	err = program.AtOnce(ctx, func() (err error) {
		infos, err = b.FilenameParam(false, &options).Do().Infos()
		return err
	})
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("cannot read %s: %s", f, pods.Line(err.Error()))
	}
	return infos, err
}
