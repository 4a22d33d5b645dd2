package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"confit/confitctl/program"
	"confit/kubectl-confit/verdict"
	"confit/status"
)

// output is kubectl's -o.
type output struct {
	*genericclioptions.PrintFlags
	people  []string              // formats that people read, such as wide
	subject atomic.Pointer[about] // as soon as it is known
	printed atomic.Bool           // a verb has one document, also one that a signal ends while it prints
}

// about is what a document is about, whatever it says.
type about struct{ namespace, lease string }

// is notes what the command line has turned out to mean.
func (o *output) is(namespace, lease string) { o.subject.Store(&about{namespace, lease}) }

// addTo adds its flags to those of a verb.
func (o *output) addTo(c *cobra.Command, people ...string) {
	o.PrintFlags, o.people = genericclioptions.NewPrintFlags(""), people
	o.is("", "")
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

// printable is a document that programs read, of a type with apiVersion and kind.
type printable interface {
	names() []runtime.Object // what -o name prints
}

// kind is that of a document.
func kind(name string) metav1.TypeMeta { return metav1.TypeMeta{APIVersion: "confit/v1", Kind: name} }

// reference is an object of which nothing but kind and name is said.
func reference(gvk schema.GroupVersionKind, name string) runtime.Object {
	o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name}}
	o.SetGroupVersionKind(gvk)
	return o
}

// orFailed has a verb print its one document also where an error or a signal keeps it from that: with the exit code, and why.
func (o *output) orFailed(run func(*cobra.Command, []string) error, failed func(of about, code int, why string) printable) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		err := run(c, args)
		if _, told := errors.AsType[said](err); err == nil || told || errors.Is(err, program.ErrUsage) || !o.asked() {
			return err
		}
		code, why := program.Failed, status.Clean(strings.ReplaceAll(err.Error(), "\n", "; "))
		if stopped := program.Signal(c.Context()); stopped != 0 {
			code = stopped
		}
		_ = o.print(c.OutOrStdout(), failed(*o.subject.Load(), code, why)) // stderr says it, too
		return err
	}
}

// print prints a document in the format that was asked for; no other after the first one.
func (o *output) print(w io.Writer, d printable) error {
	if !o.printed.CompareAndSwap(false, true) {
		return nil
	}
	p, err := o.ToPrinter()
	all := d.names()
	if *o.OutputFormat != "name" && err == nil {
		all = make([]runtime.Object, 1)
		all[0], err = tame(d)
	}
	for _, one := range all {
		if err == nil {
			err = p.PrintObj(one, w)
		}
	}
	return err
}

// end prints a document as the command line says, or what people read, and is by what the verb ends.
func (o *output) end(c *cobra.Command, d printable, people func(io.Writer) error, r verdict.Result) error {
	show := func(w io.Writer) error { return o.print(w, d) }
	if !o.asked() {
		show = people
	}
	if err := show(c.OutOrStdout()); err != nil || r.Code == 0 {
		return err
	}
	if r.Why != "" {
		fmt.Fprintln(c.ErrOrStderr(), "kubectl-confit:", r.Why)
	}
	return said(r.Code)
}

// wide says that people want to see the nodes, too.
func (o *output) wide() bool { return *o.OutputFormat == "wide" }

// control is what stands in JSON for a character that commands a terminal.
var control = regexp.MustCompile(`\\u00[01][0-9a-f]`)

// tame is a document without what commands a terminal: whoever may update a Lease has written it, and a template prints it as
// it stands.
func tame(d printable) (runtime.Object, error) {
	text, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{}
	return u, u.UnmarshalJSON(control.ReplaceAll([]byte(status.Clean(string(text))), []byte("\uFFFD")))
}

// atOnce lets a signal end a verb that has nothing to put in order first.
func atOnce(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return program.AtOnce(c.Context(), func() error { return run(c, args) })
	}
}
