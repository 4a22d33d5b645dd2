package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"confit/confitctl/program"
	"confit/kubectl-confit/check"
	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/follow"
	"confit/kubectl-confit/pods"
	"confit/kubectl-confit/verdict"
)

// checkFlags are those of the verb.
type checkFlags struct {
	cluster *cluster.Flags
	files   files
	inPlace bool
	timeout time.Duration
	output  output
}

func newCheck() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use: "check -f FILE|- [KIND/NAME…] [FLAG…]", Short: "ask the validators before an edit is applied",
		Long: checkHelp, Example: checkExample, Annotations: map[string]string{"after": checkAfter},
		Args: cobra.ArbitraryArgs,
	}
	c.RunE = f.output.orFailed(f.run, func(of about, code int, why string) printable {
		return &checked{kind("Checked"), of.namespace, code, why, []check.Result{}}
	})
	flags := c.Flags()
	f.files.addTo(flags, "the new ConfigMaps and Secrets")
	flags.BoolVar(&f.inPlace, "in-place", false, "try it in pods that run, not in copies of them")
	flags.DurationVar(&f.timeout, "timeout", 2*time.Minute, "`TIME` that one trial may take")
	f.output.addTo(c)
	f.cluster = withCluster(c)
	return c
}

func (f *checkFlags) run(c *cobra.Command, args []string) error {
	if err := f.files.check(); err != nil {
		return err
	}
	if err := f.output.check(); err != nil {
		return err
	}
	if f.timeout < time.Second {
		return program.Wrong("--timeout is %v: write one second at least", f.timeout)
	}
	client, err := f.cluster.Connect(patient(c, f.timeout))
	if err != nil {
		return err
	}
	f.output.is(client.Namespace, "")
	ctx, stderr := c.Context(), c.ErrOrStderr()
	given, err := f.read(ctx, client, c.InOrStdin(), stderr)
	if err != nil {
		return err
	}
	list, given, err := f.find(ctx, client, given, args)
	if err != nil {
		return err
	}
	runner := &check.Runner{Client: client, Timeout: f.timeout, Say: func(line string) { fmt.Fprintln(stderr, "kubectl-confit: the copy waits:", pods.Line(line)) }}
	results := runner.Run(ctx, list, given, f.inPlace)
	for _, r := range results {
		if r.Left != "" {
			fmt.Fprintln(stderr, "kubectl-confit:", r.Left)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	noteUntouched(stderr, list, given)
	for _, note := range check.Late(list, given) {
		fmt.Fprintln(stderr, "kubectl-confit:", note)
	}
	if len(results) == 0 {
		return fmt.Errorf("nothing can be tried: no pod that runs follows %s", strings.Join(check.Names(given), ", "))
	}
	r := &checked{kind("Checked"), client.Namespace, check.Code(results), "", results}
	return f.output.end(c, r, r.print, verdict.Result{Code: r.Code})
}

// read reads the files, and names on stderr what they have beside ConfigMaps and Secrets.
func (f *checkFlags) read(ctx context.Context, client *cluster.Client, stdin io.Reader, stderr io.Writer) (check.Given, error) {
	infos, err := f.files.objects(ctx, client, stdin)
	if err != nil {
		return nil, err
	}
	given, others, err := check.Read(infos, client.Namespace)
	if len(others) > 0 {
		fmt.Fprintf(stderr, "kubectl-confit: only ConfigMaps and Secrets are tried: %s isn't\n", strings.Join(others, ", "))
	}
	return given, err
}

// find finds the pods, and narrows what is given to the object that the command line names.
func (f *checkFlags) find(ctx context.Context, client *cluster.Client, given check.Given, args []string) ([]*corev1.Pod, check.Given, error) {
	selection := cluster.Selection{}
	if o, ok := objectOf(args); ok {
		if given[o] == nil {
			return nil, nil, fmt.Errorf("%s isn't in %s, which has %s", o, &f.files, strings.Join(check.Names(given), ", "))
		}
		list, err := podsOf(ctx, client, selection)
		return following(list, o), given, err
	}
	if len(args) > 0 {
		named, err := client.Find(ctx, args)
		if err != nil {
			return nil, nil, err
		}
		scope, err := follow.ScopeOf(named, "")
		if err != nil || len(scope.Objects) > 0 {
			return nil, nil, program.Wrong("write one object of the file, or workloads and pods, which are asked")
		}
		selection = scope.Pods
	}
	list, err := podsOf(ctx, client, selection)
	return list, given, err
}

// podsOf are those that stay: none that is being deleted, and no copy of another check.
func podsOf(ctx context.Context, client *cluster.Client, s cluster.Selection) ([]*corev1.Pod, error) {
	list, err := client.Pods(ctx, s)
	return slices.DeleteFunc(list, func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil || p.Labels[check.Label] != "" }), err
}

// objectOf is the ConfigMap or Secret that a command line names, which need not be in the API yet.
func objectOf(args []string) (o pods.Object, ok bool) {
	if len(args) != 1 {
		return o, false
	}
	kind, name, ok := strings.Cut(args[0], "/")
	switch strings.ToLower(kind) {
	case "cm", "configmap", "configmaps":
		return pods.Object{Kind: pods.ConfigMap, Name: name}, ok
	case "secret", "secrets":
		return pods.Object{Kind: pods.Secret, Name: name}, ok
	}
	return o, false
}

// following are the pods that use an object at all.
func following(list []*corev1.Pod, o pods.Object) (found []*corev1.Pod) {
	for _, pod := range list {
		if pods.UseOf(pod, o) != pods.Unused {
			found = append(found, pod)
		}
	}
	return found
}

// noteUntouched names the pods that have an object, but not so that an edit reaches confit there.
func noteUntouched(w io.Writer, list []*corev1.Pod, given check.Given) {
	for _, name := range check.Objects(given) {
		noteUse(w, list, name, pods.Started, "by subPath or in the environment, where an edit never arrives")
		noteUse(w, list, name, pods.Mounted, "in containers without confit, which nobody can ask")
	}
}

func noteUse(w io.Writer, list []*corev1.Pod, o pods.Object, use pods.Use, why string) {
	var found []string
	for _, pod := range list {
		if pods.UseOf(pod, o) == use {
			found = append(found, pod.Name)
		}
	}
	if len(found) > 0 {
		fmt.Fprintf(w, "kubectl-confit: %s has %s %s\n", some(found), o, why)
	}
}

// some are the first of many names.
func some(names []string) string {
	const shown = 3
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}

// checked is what -o prints of trials. Fields are added, and never taken away.
type checked struct {
	metav1.TypeMeta `json:",inline"`
	Namespace       string         `json:"namespace"`
	Code            int            `json:"code"` // the verb's exit code
	Why             string         `json:"why"`  // what kept it from trials; "": those say it
	Checked         []check.Result `json:"checked"`
}

// names are the pods that were asked.
func (r *checked) names() (list []runtime.Object) {
	for _, one := range r.Checked {
		list = append(list, reference(corev1.SchemeGroupVersion.WithKind("Pod"), one.Pod))
	}
	return list
}

// print writes them for people.
func (r *checked) print(w io.Writer) error {
	var b bytes.Buffer
	for _, one := range r.Checked {
		as := one.Pod
		if one.Pods > 1 {
			as = fmt.Sprintf("%s and %d more", one.Pod, one.Pods-1)
		}
		fmt.Fprintf(&b, "%s: %s, container %s of pod %s\n", strings.ToUpper(one.Verdict), strings.Join(one.Objects, " and "), one.Container, as)
		printTrial(&b, one)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// printTrial writes what was printed in a trial, and the reason behind it.
func printTrial(w io.Writer, one check.Result) {
	for _, line := range one.Printed {
		fmt.Fprintln(w, "  "+line)
	}
	if one.Why != "" {
		fmt.Fprintln(w, "  "+one.Why)
	}
}
