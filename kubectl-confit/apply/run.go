package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"confit/kubectl-confit/check"
	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/follow"
	"confit/kubectl-confit/pods"
	"confit/kubectl-confit/verdict"
)

// Run brings objects to the pods: it has them tried, applied and taken over.
type Run struct {
	Store *Store
	Pods  []*corev1.Pod // of the namespace, as they are before
	Undo  bool          // what isn't accepted by all is taken back
	Dry   bool          // it ends before anything is applied
	Say   func(string)  // is told each step; may be foreign

	// Patience is how long writes may take while the API server is away; 0: any time.
	Patience time.Duration

	// Check tries objects before they are applied; nil: nobody does.
	Check func(context.Context, check.Given) []check.Result
	// Settle brings objects to the pods and waits for their verdicts: if back is set, objects that they had before.
	Settle func(ctx context.Context, o verdict.Objects, back bool) (*follow.Report, error)
}

// Do does it, and says what came of it. The report's code is 0 if all pods have accepted all objects.
func (r *Run) Do(ctx context.Context, objects []*Object) *Report {
	report := &Report{Namespace: r.Store.Client.Namespace, Checked: []check.Result{}, Applied: []Applied{}, Pods: []verdict.Row{}, Without: []verdict.Without{}}
	result, err := r.forward(ctx, objects, report)
	report.end(objects, result, err)
	if report.Code != 0 && r.Undo && changed(objects) {
		r.back(ctx, objects, report)
	}
	report.note(objects)
	return report
}

// forward stops at the first step that comes to nothing.
func (r *Run) forward(ctx context.Context, objects []*Object, report *Report) (failed verdict.Result, err error) {
	failed.Code = verdict.Wrong
	if err := errors.Join(each(objects, r.followed), r.Store.Read(ctx, objects)); err != nil {
		return failed, err
	}
	if err := r.Store.Try(ctx, objects); err != nil {
		return failed, err
	}
	if err := each(objects, r.undoable); err != nil {
		return failed, err
	}
	if r.Check != nil {
		report.Checked = append(report.Checked, r.Check(ctx, givenOf(objects))...)
		if code := check.Code(report.Checked); code != 0 || ctx.Err() != nil {
			return verdict.Result{Code: max(code, verdict.Wrong), Why: whyNot[code]}, context.Cause(ctx)
		}
	}
	if r.Dry {
		return verdict.Result{Why: "would be applied (server dry run)"}, nil
	}
	if err := r.apply(ctx, objects); err != nil {
		return failed, err
	}
	found, err := r.Settle(ctx, pinned(objects), false)
	if err != nil {
		return failed, err
	}
	report.Pods, report.Without = append(report.Pods, found.Rows...), append(report.Without, found.Without...)
	return found.Result, nil
}

// apply applies all objects.
func (r *Run) apply(ctx context.Context, objects []*Object) error {
	requests, cancel := cluster.Finish(ctx, r.Patience)
	defer cancel()
	err := r.Store.Apply(requests, objects)
	for _, o := range objects {
		switch {
		case o.Same:
			r.Say(fmt.Sprintf("Unchanged %s: resourceVersion %s", o, o.After.GetResourceVersion()))
		case o.After != nil:
			r.Say(fmt.Sprintf("Applied %s: resourceVersion %s", o, o.After.GetResourceVersion()))
		}
	}
	return err
}

// whyNot is what a check says that stops it, by its exit code.
var whyNot = map[int]string{
	verdict.Wrong: "a container can't be asked before it is applied; --no-check leaves that to the pods",
	verdict.Bad:   "a container would refuse it, so nothing is applied",
}

// followed holds that somebody will say something about an object.
func (r *Run) followed(o *Object) error {
	for _, pod := range r.Pods {
		ends := pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		if !ends && pods.UseOf(pod, o.Object) == pods.Followed {
			return nil
		}
	}
	return fmt.Errorf("cannot apply %s: %s; kubectl apply waits for nobody", o, verdict.Nobody(r.Pods, []pods.Object{o.Object}))
}

func (r *Run) undoable(o *Object) error {
	if !r.Undo {
		return nil
	}
	return o.undoable()
}

// back puts the old objects back, also if somebody ended the run. Only if nobody did, the pods are waited for again.
func (r *Run) back(ctx context.Context, objects []*Object, report *Report) {
	requests, cancel := cluster.Finish(ctx, r.Patience)
	defer cancel()
	err := r.Store.Undo(requests, objects)
	report.Undo = &Undo{Done: err == nil, Why: oneLine(err), Pods: []verdict.Row{}}
	for _, o := range objects {
		if o.Undone {
			r.Say(fmt.Sprintf("Put back %s", o))
		}
	}
	if err != nil || ctx.Err() != nil {
		return
	}
	if back := restored(objects); len(back) > 0 {
		found, err := r.Settle(ctx, back, true)
		if err != nil {
			report.Undo.Why = oneLine(err)
			return
		}
		report.Undo.Pods = append(report.Undo.Pods, found.Rows...)
		if found.Result.Code != verdict.Well {
			report.Undo.Why = found.Result.Why
		}
	}
}

// applied reports that an object was applied, or may have been.
func applied(objects []*Object) bool {
	return slices.ContainsFunc(objects, func(o *Object) bool { return o.After != nil || o.Unsure })
}

// changed reports that an object is another one since then, or may be.
func changed(objects []*Object) bool {
	return slices.ContainsFunc(objects, func(o *Object) bool { return (o.After != nil || o.Unsure) && !o.Same })
}

// oneLine is an error as one line; "" for nil.
func oneLine(err error) string {
	if err == nil {
		return ""
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}
