package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"confit/confitctl/program"
	"confit/kubectl-confit/apply"
	"confit/kubectl-confit/check"
	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/follow"
	"confit/kubectl-confit/pods"
	"confit/kubectl-confit/verdict"
	"confit/status"
)

// applyFlags are those of the verb.
type applyFlags struct {
	cluster          *cluster.Flags
	files            files
	undo             bool
	noCheck, inPlace bool
	noSync, all      bool
	dryRun           string
	manager          string
	force            bool
	timeout          time.Duration
	soak             bool
	output           output
}

func newApply() *cobra.Command {
	var f applyFlags
	c := &cobra.Command{
		Use: "apply -f FILE|- [FLAG…]", Short: "check an edit, apply it, and wait until the pods have it",
		Long: applyHelp, Example: applyExample, Annotations: map[string]string{"after": applyAfter},
		Args: noArguments,
	}
	c.RunE = f.output.orFailed(func(c *cobra.Command, _ []string) error { return f.run(c) }, func(of about, code int, why string) printable {
		r := &apply.Report{Verdict: "failed", Namespace: of.namespace, Why: why, Code: code, Checked: []check.Result{}, Applied: []apply.Applied{}, Pods: []verdict.Row{}}
		return &document{kind("Applied"), r, nil}
	})
	flags := c.Flags()
	f.files.addTo(flags, "the new ConfigMaps and Secrets")
	flags.BoolVar(&f.undo, "undo", false, "put the old objects back unless all pods accept the new ones")
	flags.BoolVar(&f.noCheck, "no-check", false, "apply it without having asked a validator")
	flags.BoolVar(&f.inPlace, "in-place", false, "check it in pods that run, not in copies of them")
	flags.StringVar(&f.dryRun, "dry-run", "none", "`server`: all is done but to apply it, and nothing is kept")
	flags.BoolVar(&f.noSync, "no-sync", false, "leave it to the kubelets when they bring it: that takes a minute or two")
	flags.BoolVar(&f.all, "all", false, "bring it to all pods at once, not in waves")
	flags.DurationVar(&f.timeout, "timeout", 5*time.Minute, "`TIME` that the pods have, each time that they are waited for, and an API server that is away; 0: any")
	flags.BoolVar(&f.soak, "soak", false, "wait until the apps have lived with it for their confits' --soak, too")
	flags.StringVar(&f.manager, "field-manager", apply.DefaultManager, "`NAME` of the owner of what is applied")
	flags.BoolVar(&f.force, "force-conflicts", false, "take over the keys of other owners")
	f.output.addTo(c)
	f.cluster = withCluster(c)
	return c
}

func (f *applyFlags) run(c *cobra.Command) error {
	if err := f.files.check(); err != nil {
		return err
	}
	if err := f.output.check(); err != nil {
		return err
	}
	switch {
	case f.timeout < 0:
		return program.Wrong("--timeout is %v: write a time, or 0 for any", f.timeout)
	case f.dryRun != "none" && f.dryRun != "server":
		return program.Wrong("--dry-run is %q: write server, as no client knows what server and validators say", f.dryRun)
	case f.noCheck && f.inPlace:
		return program.Wrong("--no-check and --in-place are there: write one of the two")
	case f.noSync && f.all:
		return program.Wrong("--no-sync and --all are there: write one of the two")
	}
	client, err := f.cluster.Connect(patient(c, f.long()))
	if err != nil {
		return err
	}
	f.output.is(client.Namespace, "")
	objects, err := f.read(c, client)
	if err != nil {
		return err
	}
	f.output.is(client.Namespace, "")
	list, err := client.Pods(c.Context(), cluster.Selection{})
	if err != nil {
		return err
	}
	a := &applying{f, client, c.ErrOrStderr()}
	run := &apply.Run{Store: a.store(), Pods: list, Undo: f.undo, Dry: f.dryRun == "server", Say: a.say, Settle: a.settle, Patience: f.long()}
	if !f.noCheck {
		run.Check = func(ctx context.Context, given check.Given) []check.Result { return a.check(ctx, list, given) }
	}
	return f.tell(c, objects, run.Do(c.Context(), objects))
}

// long is how long the API server may be away at each step.
func (f *applyFlags) long() time.Duration {
	if f.timeout == 0 {
		return 0
	}
	return max(f.timeout, cluster.Grace)
}

// checkTimeout is what one trial may take: most of it is a copy's start.
const checkTimeout = 2 * time.Minute

// read reads the objects, and takes their namespace if the command line names none.
func (f *applyFlags) read(c *cobra.Command, client *cluster.Client) (objects []*apply.Object, err error) {
	infos, err := f.files.objects(c.Context(), client, c.InOrStdin())
	if err == nil {
		objects, client.Namespace, err = apply.Read(infos, client.Namespace, c.Flags().Changed("namespace"))
	}
	return objects, err
}

// applying is one run of the verb.
type applying struct {
	*applyFlags
	client *cluster.Client
	stderr io.Writer
}

func (a *applying) store() *apply.Store {
	return &apply.Store{Client: a.client, Manager: a.manager, Force: a.force}
}

// say tells people how it goes on.
func (a *applying) say(line string) { fmt.Fprintln(a.stderr, pods.Line(line)) }

// check tries objects beside pods, or in copies of them.
func (a *applying) check(ctx context.Context, list []*corev1.Pod, given check.Given) []check.Result {
	runner := &check.Runner{Client: a.client, Timeout: checkTimeout, Say: func(line string) { a.say("The copy waits: " + line) }}
	results := runner.Run(ctx, list, given, a.inPlace)
	for _, r := range results {
		a.say(fmt.Sprintf("Checked %s, container %s of pod %s: %s", strings.Join(r.Objects, " and "), r.Container, r.Pod, r.Verdict))
		if r.Verdict != "taken" {
			printTrial(a.stderr, r)
		}
		if r.Left != "" {
			a.say(r.Left)
		}
	}
	return results
}

// settle waits for the pods, and has their kubelets look. What they had before goes to all at once.
func (a *applying) settle(ctx context.Context, pinned verdict.Objects, back bool) (found *follow.Report, err error) {
	scope := follow.Scope{Pinned: pinned, Objects: slices.Collect(maps.Keys(pinned))}
	at, soak := inWaves, a.soak && !back
	switch {
	case a.noSync:
		at = untouched
	case a.all, back:
		at = together
	}
	p := newProgress(a.stderr, verdict.Names(scope.Objects), soak)
	p.again = back
	if found, err = p.wait(ctx, a.client, scope, follow.Options{Timeout: a.timeout, Soak: soak}, at); err == nil {
		printOutputs(a.stderr, found.Rows)
	}
	return found, err
}

// document is what -o prints.
type document struct {
	metav1.TypeMeta `json:",inline"`
	*apply.Report   `json:",inline"`
	objects         []*apply.Object
}

// names are the objects of the files.
func (d *document) names() (list []runtime.Object) {
	for _, o := range d.objects {
		list = append(list, reference(o.Given.GroupVersionKind(), o.Name))
	}
	return list
}

// tell says what came of it, and ends the verb.
func (f *applyFlags) tell(c *cobra.Command, objects []*apply.Object, r *apply.Report) error {
	stdout, stderr := c.OutOrStdout(), c.ErrOrStderr()
	if stopped := program.Signal(c.Context()); stopped != 0 && r.Code != 0 {
		r.Code = stopped
	}
	var err error
	switch {
	case f.output.asked():
		err = f.output.print(stdout, &document{kind("Applied"), r, objects})
	case r.Code == 0:
		var names []string
		for _, o := range objects {
			names = append(names, o.String())
		}
		_, err = fmt.Fprintln(stdout, strings.Join(names, " and "), r.Why+withHash(r.Pods))
	}
	if err != nil || r.Code == 0 {
		return err
	}
	for _, line := range r.Lines() {
		fmt.Fprintln(stderr, "kubectl-confit:", status.Clean(line))
	}
	return said(r.Code)
}
