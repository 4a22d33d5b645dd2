package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"confit/confitctl/program"
	"confit/kubectl-confit/inject"
	"confit/kubectl-confit/manifest"
	"confit/kubectl-confit/registry"
)

// injectFlags are those of the verb.
type injectFlags struct {
	files                   files
	image                   string
	command                 []string
	imageVolume, noRegistry bool
	check                   bool
}

func newInject() *cobra.Command {
	var f injectFlags
	c := &cobra.Command{
		Use: "inject -f FILE|- [FLAG…]", Short: "put confit into the pods of a manifest, on paper",
		Long: injectHelp, Example: injectExample, Annotations: map[string]string{"after": injectAfter},
		Args: noArguments,
		RunE: atOnce(func(c *cobra.Command, _ []string) error { return f.run(c) }),
	}
	flags := c.Flags()
	f.files.addTo(flags, "manifests")
	flags.StringVar(&f.image, "image", "", "confit's `IMAGE`, by digest; needed unless a pod of the file has one")
	flags.BoolVar(&f.imageVolume, "image-volume", false, "the program comes by an image volume, not by an init container")
	flags.StringArrayVar(&f.command, "command", nil, "`CONTAINER=WORDS`, or KIND/NAME/CONTAINER=WORDS: what a container without command runs, split as a shell does; repeatable")
	flags.BoolVar(&f.noRegistry, "no-registry", false, "ask no registry for ENTRYPOINT and CMD")
	flags.BoolVar(&f.check, "check", false, "write nothing, exit with 3 if a run would change anything")
	return c
}

func (f *injectFlags) run(c *cobra.Command) error {
	given, err := commands(f.command)
	switch {
	case err != nil:
		return err
	case f.files.check() != nil:
		return f.files.check()
	case f.image != "" && registry.Check(f.image) != nil:
		return program.Wrong("--image: %w; write one by digest, NAME@sha256:…", registry.Check(f.image))
	}
	texts, err := f.files.texts(c.InOrStdin())
	if err != nil {
		return err
	}
	r := &injection{flags: f, given: given, texts: texts, registry: registry.New()}
	out, err := r.run(c.Context(), texts.Bytes())
	if c.Context().Err() != nil {
		return c.Context().Err()
	}
	r.print(c.ErrOrStderr())
	if err != nil || f.check {
		return err
	}
	_, err = c.OutOrStdout().Write(out)
	return err
}

// injection is one run of the verb.
type injection struct {
	flags    *injectFlags
	given    map[string]inject.Command // by --command
	texts    *texts
	registry *registry.Client
	pods     []*pod
	notes    []message
	changes  []message
	errs     []message
}

// pod is one of the file.
type pod struct {
	*inject.Pod
	object   manifest.Pod
	document *manifest.Document
	left     bool // something stays as it is, and that is said
}

// message is for stderr, about a line of the file.
type message struct {
	line int
	text string
}

// run makes the new text. What there is to say is in notes, changes and errs; the error is the exit code alone.
func (r *injection) run(ctx context.Context, text []byte) ([]byte, error) {
	file, err := manifest.Read(text)
	r.fail(err)
	r.find(file)
	r.checkGiven()
	image := r.image()
	apply := r.decide(ctx, image)
	if len(r.notes) == 0 && !slices.ContainsFunc(r.pods, (*pod).concerns) {
		r.notes = append(r.notes, message{1, "nothing to do: no pod mounts a key of a ConfigMap or Secret by subPath"})
	}
	if len(r.errs) > 0 {
		return nil, said(program.Failed)
	}
	if r.flags.check {
		if len(r.changes) > 0 {
			return nil, said(exitStale)
		}
		return nil, nil
	}
	for _, write := range apply {
		write()
	}
	out, err := file.Bytes()
	if err != nil {
		r.fail(err)
		return nil, said(program.Failed)
	}
	return out, nil
}

// fail takes what other packages found, one error or many.
func (r *injection) fail(err error) {
	var many interface{ Unwrap() []error }
	var at *manifest.Error
	switch {
	case err == nil:
	case errors.As(err, &many):
		for _, e := range many.Unwrap() {
			r.fail(e)
		}
	case errors.As(err, &at):
		r.errs = append(r.errs, message{at.Line, at.Err.Error()})
	default:
		r.errs = append(r.errs, message{1, err.Error()})
	}
}

// print writes what there is to say in the order of the lines: mistakes alone if there are any.
func (r *injection) print(w io.Writer) {
	list := r.errs
	if len(list) == 0 {
		list = r.notes
		if r.flags.check {
			list = slices.Concat(r.changes, r.notes)
		}
	}
	slices.SortStableFunc(list, func(a, b message) int { return a.line - b.line })
	for _, m := range list {
		fmt.Fprintf(w, "%s: %s\n", r.texts.at(m.line), strings.ReplaceAll(m.text, "\n", " "))
	}
}
