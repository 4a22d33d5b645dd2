package apply

import (
	"context"
	"errors"
	"strings"

	"confit/kubectl-confit/check"
	"confit/kubectl-confit/verdict"
)

// Report is what a run has done. It holds no value of a key, and its texts are tame.
type Report struct {
	Verdict   string         `json:"verdict"` // accepted; tried, in a dry run; refused before it was applied; rejected by a pod; failed
	Why       string         `json:"why"`     // one line; "": there is nothing to explain
	Namespace string         `json:"namespace"`
	Hash      string         `json:"hash"` // by which a rollout knows what the pods have mounted; "": not known, or not one alone
	Checked   []check.Result `json:"checked"`
	Applied   []Applied      `json:"applied"`
	Pods      []verdict.Row  `json:"pods"` // as they were at the verdict
	Undo      *Undo          `json:"undo"` // null: nothing was to be taken back
	Code      int            `json:"code"`

	Without []verdict.Without `json:"without"` // containers that have something of it, and no confit that follows it

	err error // what Why says, with its lines
}

// Lines are what somebody reads of a run that wasn't accepted: all that was wrong, and what became of the objects.
func (r *Report) Lines() (lines []string) {
	if r.err != nil {
		lines = strings.Split(r.err.Error(), "\n")
	} else {
		lines = []string{r.Why}
	}
	for _, a := range r.Applied {
		switch {
		case a.ResourceVersion == a.Before && a.Before != "": // nothing was written
		case a.Undone && a.Back == "":
			lines = append(lines, a.Object+" is deleted again")
		case a.Undone:
			lines = append(lines, a.Object+" is as it was before")
		case r.Undo == nil && a.ResourceVersion == "":
			lines = append(lines, a.Object+" may have been applied: kubectl confit status "+a.Object+" says so when the server answers")
		case r.Undo == nil:
			lines = append(lines, a.Object+" stays as it was applied: --undo would have put it back")
		}
	}
	if r.Undo != nil && r.Undo.Why != "" {
		lines = append(lines, strings.Split(r.Undo.Why, "; ")...)
	}
	return lines
}

// Applied is an object that was applied.
type Applied struct {
	Object          string `json:"object"`          // configmap/web
	ResourceVersion string `json:"resourceVersion"` // "": whether it was applied nobody knows
	Before          string `json:"before"`          // its resourceVersion before; "": it wasn't there
	Undone          bool   `json:"undone"`
	Back            string `json:"back"` // its resourceVersion since then; "": it isn't there
}

// Undo is what came of taking the objects back.
type Undo struct {
	Done bool          `json:"done"` // all objects are as they were before
	Why  string        `json:"why"`  // why not, or what the pods make of that; "": they have accepted it
	Pods []verdict.Row `json:"pods"`
}

// end notes how the way forward has ended.
func (r *Report) end(objects []*Object, result verdict.Result, err error) {
	if errors.Is(err, context.Canceled) {
		err = errors.New("a signal ended it")
	}
	r.Code, r.Why, r.err, r.Hash = result.Code, result.Why, err, verdict.Hash(r.Pods)
	if err != nil {
		r.Why = oneLine(err)
	}
	switch {
	case r.Code == verdict.Well && !applied(objects):
		r.Verdict = "tried"
	case r.Code == verdict.Well:
		r.Verdict = "accepted"
	case r.Code == verdict.Bad && applied(objects):
		r.Verdict = "rejected"
	case r.Code == verdict.Bad:
		r.Verdict = "refused"
	default:
		r.Verdict = "failed"
	}
}

// note writes down what was applied.
func (r *Report) note(objects []*Object) {
	for _, o := range objects {
		if o.After == nil && !o.Unsure {
			continue
		}
		a := Applied{Object: o.String(), ResourceVersion: version(o.After), Undone: o.Undone}
		if o.Before != nil {
			a.Before = o.Before.GetResourceVersion()
		}
		if o.Back != nil {
			a.Back = o.Back.GetResourceVersion()
		}
		r.Applied = append(r.Applied, a)
	}
}
