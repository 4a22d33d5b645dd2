package cli

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"confit/confitctl/program"
	"confit/status"
)

// output is kubectl's -o.
type output struct {
	*genericclioptions.PrintFlags
	people []string // formats that people read, such as wide
}

// addTo adds its flags to those of a verb.
func (o *output) addTo(c *cobra.Command, people ...string) {
	o.PrintFlags, o.people = genericclioptions.NewPrintFlags(""), people
	o.AddFlags(c)
	flags := c.Flags()
	flags.Lookup("output").Usage = "`FORMAT`: json, yaml, name, jsonpath=…, go-template=…, as kubectl has them"
	flags.Lookup("template").Usage = "`TEMPLATE` of -o go-template, or FILE of -o go-template-file"
	for _, name := range []string{"allow-missing-template-keys", "show-managed-fields"} {
		flags.Lookup(name).Hidden = true
	}
	offer(c, "output", o.formats)
}

func (o *output) formats() []string {
	return slices.Sorted(slices.Values(slices.Concat(o.AllowedFormats(), o.people)))
}

// asked says that a program reads the output, not people.
func (o *output) asked() bool {
	return *o.TemplatePrinterFlags.TemplateArgument != "" || *o.OutputFormat != "" && !slices.Contains(o.people, *o.OutputFormat)
}

// check refuses what can't be printed before anything is asked.
func (o *output) check() error {
	if !o.asked() {
		return nil
	}
	_, err := o.ToPrinter()
	switch {
	case genericclioptions.IsNoCompatiblePrinterError(err):
		return program.Wrong("-o is %q: write one of %s", *o.OutputFormat, strings.Join(o.formats(), ", "))
	case err != nil:
		return program.Wrong("-o: %w", err)
	}
	return nil
}

// printable is a document that programs read.
type printable interface {
	runtime.Object
	names() []runtime.Object // what -o name prints
}

// reference is an object of which nothing but kind and name is said.
func reference(gvk schema.GroupVersionKind, name string) runtime.Object {
	o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name}}
	o.SetGroupVersionKind(gvk)
	return o
}

// orFailed has a verb print its one document also where an error keeps it from that: with the exit code, and why.
func (o *output) orFailed(run func(*cobra.Command, []string) error, failed func(args []string, code int, why string) printable) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		err := run(c, args)
		if _, told := errors.AsType[said](err); err != nil && !told && !errors.Is(err, program.ErrUsage) && o.asked() && c.Context().Err() == nil {
			why := status.Clean(strings.ReplaceAll(err.Error(), "\n", "; "))
			_ = o.print(c.OutOrStdout(), failed(args, program.Failed, why)) // stderr says it, too
		}
		return err
	}
}

// print prints a document in the format that was asked for.
func (o *output) print(w io.Writer, d printable) error {
	p, err := o.ToPrinter()
	all := []runtime.Object{d}
	if *o.OutputFormat == "name" {
		all = d.names()
	}
	for _, one := range all {
		if err == nil {
			err = p.PrintObj(one, w)
		}
	}
	return err
}
