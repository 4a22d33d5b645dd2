package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/follow"
	"confit/kubectl-confit/pods"
	"confit/kubectl-confit/verdict"
)

// reports are what -o prints of all namespaces that have a pod with confit.
type reports struct {
	metav1.TypeMeta `json:",inline"`
	Code            int       `json:"code"`
	Why             string    `json:"why"`
	Items           []*report `json:"items"`
}

// names are the pods of all.
func (r *reports) names() (list []runtime.Object) {
	for _, one := range r.Items {
		list = append(list, one.names()...)
	}
	return list
}

// lookEverywhere asks the containers of all namespaces, of one after the other.
func (f *statusFlags) lookEverywhere(c *cobra.Command, client *cluster.Client, scope follow.Scope) error {
	all, err := client.In(metav1.NamespaceAll).Pods(c.Context(), scope.Pods)
	if err != nil {
		return err
	}
	var namespaces []string
	for _, pod := range all {
		if len(pods.Containers(pod)) > 0 {
			namespaces = append(namespaces, pod.Namespace)
		}
	}
	slices.Sort(namespaces)
	r := &reports{TypeMeta: kind("ReportList"), Items: []*report{}}
	for _, namespace := range slices.Compact(namespaces) {
		found, err := follow.Look(c.Context(), client.In(namespace), scope)
		if err != nil {
			return fmt.Errorf("namespace %s: %w", namespace, err)
		}
		r.Items = append(r.Items, newReport(namespace, found))
		r.Code = max(r.Code, found.Result.Code)
		tellWithout(c.ErrOrStderr(), found.Without)
	}
	if len(r.Items) == 0 {
		r.Code, r.Why = verdict.Wrong, verdict.Nobody(nil, nil)
	}
	people := func(w io.Writer) error { return r.print(w, f.output.wide(), true, time.Now()) }
	return f.output.end(c, r, people, verdict.Result{Code: r.Code, Why: r.Why})
}

// print writes them for people. Of pods of everywhere the namespace is shown: in a column, and below the table as NAMESPACE/NAME.
func (r *reports) print(w io.Writer, wide, everywhere bool, now time.Time) error {
	var all, called []verdict.Row
	for _, one := range r.Items {
		all = append(all, one.Pods...)
		for _, row := range one.Pods {
			if everywhere {
				row.Pod = one.Namespace + "/" + row.Pod
			}
			called = append(called, row)
		}
	}
	if len(all) == 0 {
		return nil
	}
	t := newTable(w, all, wide)
	t.everywhere = everywhere
	t.header()
	for _, one := range r.Items {
		for i := range one.Pods {
			t.row(one.Namespace, &one.Pods[i], now)
		}
	}
	t.end()
	printKeys(w, called)
	printOutputs(w, called)
	return t.err
}

// followEverywhere prints each row that changes, of each namespace from its first pod with confit on.
func (f *statusFlags) followEverywhere(c *cobra.Command, client *cluster.Client, scope follow.Scope) error {
	ctx, end := context.WithCancelCause(c.Context())
	defer end(nil)
	t, followed := f.rows(c), map[string]bool{}
	return client.In(metav1.NamespaceAll).WatchPods(ctx, scope.Pods, func() {}, func(pod *corev1.Pod, _ bool) {
		if followed[pod.Namespace] || len(pods.Containers(pod)) == 0 {
			return
		}
		followed[pod.Namespace] = true
		go func() { end(f.follow(ctx, client.In(pod.Namespace), scope, t)) }()
	})
}
