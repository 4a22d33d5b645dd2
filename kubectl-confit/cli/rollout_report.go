package cli

import (
	"fmt"
	"io"
	"strings"

	coordination "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"confit/confitctl/people"
	"confit/confitctl/rollout"
	"confit/kubectl-confit/follow"
	"confit/kubectl-confit/verdict"
	"confit/status"
)

// rolloutReport is what -o prints of a rollout. Fields are added, and never taken away.
type rolloutReport struct {
	metav1.TypeMeta `json:",inline"`
	Namespace       string `json:"namespace"`
	Lease           string `json:"lease"`
	Code            int    `json:"code"` // the verb's exit code
	Why             string `json:"why"`  // what decided it, in a line; "": it is 0
	rollout.View    `json:",inline"`
	Words           []follow.Word `json:"words"` // of the pods that have rejected what is tried
}

func newRolloutReport(namespace, lease string, view rollout.View, words []follow.Word) *rolloutReport {
	r := &rolloutReport{TypeMeta: kind("Rollout"), Namespace: namespace, Lease: lease, View: view, Words: words}
	if r.Words == nil {
		r.Words = []follow.Word{}
	}
	return r
}

// failedRollout is the report of a verb which learned nothing.
func failedRollout(of about, code int, why string) printable {
	r := newRolloutReport(of.namespace, of.lease, rollout.View{Revisions: []rollout.RevisionView{}}, nil)
	r.Code, r.Why = code, why
	return r
}

// names are its Lease.
func (r *rolloutReport) names() []runtime.Object {
	return []runtime.Object{reference(coordination.SchemeGroupVersion.WithKind("Lease"), r.Lease)}
}

// print writes it for people.
func (r *rolloutReport) print(w io.Writer) error {
	if err := people.Table(w, r.View); err != nil || len(r.Words) == 0 {
		return err
	}
	t := people.Columns(w)
	fmt.Fprintln(t, "\nPOD\tHASH\tWHY")
	var rows []verdict.Row
	for _, word := range r.Words {
		fmt.Fprintf(t, "%s\t%s\t%s\n", word.Pod, status.Clean(rollout.Short(word.Hash)), r.why(word))
		rows = append(rows, word.Row)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	printOutputs(w, rows)
	return nil
}

// why is a pod's reason, with the container where several of it have one.
func (r *rolloutReport) why(word follow.Word) string {
	for _, other := range r.Words {
		if other.UID == word.UID && other.Container != word.Container {
			return strings.TrimSuffix("container "+word.Container+": "+word.Why, ": ")
		}
	}
	return word.Why
}
