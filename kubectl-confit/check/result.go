package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1 "k8s.io/api/core/v1"

	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/pods"
	"confit/status"
)

// Result is what came of one trial. Its texts are tame and hold no value of a Secret that was given.
type Result struct {
	Pod       string   `json:"pod"` // stands for all of its template
	Pods      int      `json:"pods"`
	Container string   `json:"container"`
	Objects   []string `json:"objects"` // configmap/web
	Verdict   string   `json:"verdict"` // taken, refused or untried
	Why       string   `json:"why"`     // the reason of a refusal, or why it wasn't tried; "": what was printed says it
	Printed   []string `json:"printed"` // by confit and the validator, in lines, without the reason
	Left      string   `json:"left"`    // "": there is no copy any more; else why there may be one
}

// The words of verdicts.
var words = map[Verdict]string{Taken: "taken", Refused: "refused", Untried: "untried"}

// Code is the exit code for some results: 3 if one container would refuse, else 1 if one could not be asked, else 0.
func Code(results []Result) (code int) {
	codes := map[string]int{words[Untried]: 1, words[Refused]: 3}
	for _, r := range results {
		code = max(code, codes[r.Verdict])
	}
	return code
}

// Run tries the given objects in one container of each template that follows them, one after another: beside PID 1 of a pod
// that runs, or else in a copy. When the context ends, it ends the trial and tries no more.
func (r *Runner) Run(ctx context.Context, list []*corev1.Pod, given Given, inPlace bool) (results []Result) {
	held := maps.Clone(given)
	for _, t := range Trials(list, given) {
		if ctx.Err() != nil {
			return results
		}
		result := Result{Pod: t.Pod.Name, Pods: t.Pods, Container: t.Container.Name, Objects: names(t.Objects), Printed: []string{}}
		outcome, left := r.try(ctx, t, held, inPlace)
		if left != nil {
			result.Left = pods.Line(left.Error())
		}
		mask := NewMask(held)
		outcome.unquote()
		result.Verdict, result.Why = words[outcome.Verdict], pods.Line(string(mask.Hide([]byte(outcome.Why))))
		for line := range bytes.Lines(mask.Hide(outcome.Printed)) {
			result.Printed = append(result.Printed, status.Clean(strings.TrimRight(string(line), "\r\n")))
		}
		results = append(results, result)
	}
	return results
}

// try tries one. held is what is given, and gets what that needs.
func (r *Runner) try(ctx context.Context, t *Trial, held Given, inPlace bool) (o Outcome, left error) {
	for _, o := range t.Needs() {
		if err := r.fetch(ctx, o, held); err != nil {
			return Outcome{Untried, nil, err.Error()}, nil
		}
	}
	payload, err := t.Payload(held)
	switch {
	case errors.Is(err, ErrNever):
		return Outcome{Refused, nil, err.Error()}, nil
	case err != nil:
		return Outcome{Untried, nil, err.Error()}, nil
	case inPlace:
		return r.InPlace(ctx, t, payload), nil
	}
	return r.InCopy(ctx, t, payload)
}

// fetch reads an object that shares a volume with a given one, unless it is there already. One that isn't in the API stays
// away.
func (r *Runner) fetch(ctx context.Context, o pods.Object, held Given) error {
	if _, there := held[o]; there {
		return nil
	}
	found, err := r.Client.Raw(o.Kind).Get(ctx, o.Name, metav1.GetOptions{})
	if err == nil {
		held[o], err = pods.Bytes(found)
	}
	if cluster.IsNotFound(err) {
		return nil
	}
	return cluster.Problem("read", fmt.Sprintf("%s, which shares a volume with what is given", o), err)
}
