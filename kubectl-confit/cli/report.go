package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/cli-runtime/pkg/printers"

	"confit/kubectl-confit/follow"
	"confit/kubectl-confit/verdict"
	"confit/status"
)

// report is what -o prints. Fields are added, and never taken away.
type report struct {
	metav1.TypeMeta `json:",inline"`
	Namespace       string         `json:"namespace"`
	Code            int            `json:"code"`    // the verb's exit code
	Why             string         `json:"why"`     // what decided it, in a line; "" if the rows say it
	Hash            string         `json:"hash"`    // by which a rollout knows what is mounted; "": not known, or not one alone
	Objects         []reportObject `json:"objects"` // what the pods were compared with, in the order of their names
	Pods            []verdict.Row  `json:"pods"`    // a row for each container with confit

	Without []verdict.Without `json:"without"` // the containers that have something of it, and no confit that follows it
}

// reportObject is a ConfigMap or Secret.
type reportObject struct {
	Kind            string `json:"kind"`
	Name            string `json:"name"`
	ResourceVersion string `json:"resourceVersion"` // "": the API has no such object
	Immutable       bool   `json:"immutable"`
}

func newReport(namespace string, found *follow.Report) *report {
	r := &report{kind("Report"), namespace, found.Result.Code, found.Result.Why, verdict.Hash(found.Rows), []reportObject{}, found.Rows, found.Without}
	if r.Pods == nil {
		r.Pods = []verdict.Row{}
	}
	if r.Without == nil {
		r.Without = []verdict.Without{}
	}
	for o, d := range maps.All(found.Objects) {
		line := reportObject{Kind: o.Kind, Name: o.Name}
		if d != nil {
			line.ResourceVersion, line.Immutable = d.ResourceVersion, d.Immutable
		}
		r.Objects = append(r.Objects, line)
	}
	slices.SortFunc(r.Objects, func(a, b reportObject) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) })
	return r
}

// failedReport is that of a verb which learned nothing.
func failedReport(of about, code int, why string) printable {
	return newReport(of.namespace, &follow.Report{Result: verdict.Result{Code: code, Why: why}})
}

// names are its pods, each once.
func (r *report) names() (list []runtime.Object) {
	for _, row := range slices.CompactFunc(slices.Clone(r.Pods), func(a, b verdict.Row) bool { return a.UID == b.UID }) {
		list = append(list, reference(corev1.SchemeGroupVersion.WithKind("Pod"), row.Pod))
	}
	return list
}

// table is a row for each container.
type table struct {
	writer        tabwriter
	wide, several bool // the node is shown; the container is
	everywhere    bool // the namespace is
	err           error
	lock          sync.Mutex // for those who add rows at the same time
}

// tabwriter is the library's.
type tabwriter interface {
	io.Writer
	Flush() error
}

func newTable(w io.Writer, rows []verdict.Row, wide bool) *table {
	pods := map[string]bool{}
	several := false
	for _, r := range rows {
		several = several || pods[r.UID]
		pods[r.UID] = true
	}
	return &table{writer: printers.GetNewTabWriter(w), wide: wide, several: several || wide}
}

func (t *table) cells(namespace, pod, container, node, keys, state, since, why string) {
	cells := []string{pod}
	if t.everywhere {
		cells = []string{namespace, pod}
	}
	if t.several {
		cells = append(cells, container)
	}
	if t.wide {
		cells = append(cells, node)
	}
	cells = append(cells, keys, state, since, why)
	_, err := fmt.Fprintln(t.writer, strings.TrimRight(strings.Join(cells, "\t"), "\t "))
	t.err = cmp.Or(t.err, err)
}

func (t *table) header() {
	t.cells("NAMESPACE", "POD", "CONTAINER", "NODE", "KEYS", "STATE", "SINCE", "WHY")
}

func (t *table) row(namespace string, r *verdict.Row, now time.Time) {
	t.cells(namespace, r.Pod, r.Container, r.Node, accepted(r), string(r.State), ago(r.Since, now), r.Why)
}

func (t *table) end() { t.err = cmp.Or(t.err, t.writer.Flush()) }

// accepted is how many keys are, of those that the container's lines take.
func accepted(r *verdict.Row) string {
	n := 0
	for _, k := range r.Keys {
		if k.State == verdict.Accepted {
			n++
		}
	}
	if len(r.Keys) == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d", n, len(r.Keys))
}

func ago(t status.Time, now time.Time) string {
	at, err := time.Parse(time.RFC3339, string(t))
	if err != nil {
		return "-"
	}
	return duration.HumanDuration(max(0, now.Sub(at)))
}

// maxKeys is how many keys of a container are listed; -o json has all.
const maxKeys = 20

// printKeys lists the keys that aren't accepted.
func printKeys(w io.Writer, rows []verdict.Row) {
	t := printers.GetNewTabWriter(w)
	defer func() { _ = t.Flush() }() // there is no remedy, as with what stands above
	began := false
	for _, r := range rows {
		shown := 0
		for _, k := range r.Keys {
			if k.State == verdict.Accepted {
				continue
			}
			if shown++; shown > maxKeys {
				fmt.Fprintf(t, "%s\t… -o json has more\n", r.Pod)
				break
			}
			if !began {
				fmt.Fprintln(t, "\nPOD\tKEY\tOBJECT\tSTATE")
				began = true
			}
			state := string(k.State)
			if k.Gone {
				state += ", the object has it no more"
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", r.Pod, status.Clean(k.Volume+"/"+k.Path), cmp.Or(k.Object, "-"), state)
		}
	}
}

// printOutputs shows what hooks printed that rejected it, each text once.
func printOutputs(w io.Writer, rows []verdict.Row) {
	said := map[string]bool{}
	for _, r := range rows {
		if r.State != verdict.Rejected || r.Output == "" || said[r.Output] {
			continue
		}
		said[r.Output] = true
		fmt.Fprintf(w, "\npod %s, what %s printed:\n", r.Pod, r.Step)
		for line := range strings.SplitSeq(r.Output, "\n") {
			fmt.Fprintln(w, "  "+line)
		}
	}
}
