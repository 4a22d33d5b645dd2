package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	api "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/resource"

	"confit/kubectl-confit/pods"
)

// Named is an object that somebody has named as KIND/NAME.
type Named struct {
	Kind, Name string
	Data       *pods.Data // of a ConfigMap or Secret; nil: it is a pod or a workload, and Pods are its own
	Pods       Selection
	Raw        *unstructured.Unstructured // as the server has it, with the values
}

// Find reads the objects of a command line: KIND/NAME, or KIND NAME, with kinds by all the names that kubectl knows them
// by. It takes ConfigMaps, Secrets, pods and workloads, and refuses others by name. All errors come at once.
func (c *Client) Find(ctx context.Context, args []string) ([]*Named, error) {
	infos, err := c.Builder().Unstructured().ResourceTypeOrNameArgs(false, args...).RequireObject(false).ContinueOnError().Flatten().Do().Infos()
	errs := each(err)
	var list []*Named
	for _, info := range infos {
		thing := strings.ToLower(info.Mapping.GroupVersionKind.Kind) + "/" + info.Name
		if err := info.Get(); err != nil {
			errs = append(errs, Problem("read", thing, err))
			continue
		}
		named, err := c.named(ctx, info)
		if err != nil {
			errs = append(errs, Problem("read", thing, err))
			continue
		}
		list = append(list, named)
	}
	return list, errors.Join(errs...)
}

// each are the errors of a list of the library, each with one line.
func each(err error) (errs []error) {
	var many interface{ Errors() []error }
	if !errors.As(err, &many) {
		if err == nil {
			return nil
		}
		return []error{undiscovered(err)}
	}
	for _, e := range many.Errors() {
		errs = append(errs, undiscovered(e))
	}
	return errs
}

// undiscovered is an error of the library that finds kinds and no objects yet. What the server refuses it is the list of kinds, and the
// library says little more than unknown.
func undiscovered(err error) error {
	var status api.APIStatus
	if !errors.As(err, &status) {
		return &problem{err}
	}
	code := int(status.Status().Code)
	return fmt.Errorf("cannot read which kinds the API server has, at /api and /apis: it answers with %d %s", code, http.StatusText(code))
}

func (c *Client) named(ctx context.Context, info *resource.Info) (n *Named, err error) {
	raw, ok := info.Object.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("the server has sent no object")
	}
	n = &Named{Kind: info.Mapping.GroupVersionKind.Kind, Name: info.Name, Raw: raw}
	switch n.Kind {
	case pods.ConfigMap, pods.Secret:
		n.Data, err = pods.DataOf(raw)
	case "Pod":
		n.Pods.Name = n.Name
	case "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "Rollout":
		n.Pods.Labels, err = selectorOf(raw)
	case "CronJob":
		n.Pods.Labels, err = c.jobsOf(ctx, raw.GetUID())
	default:
		err = errors.New("it is neither a ConfigMap or Secret nor a pod or workload")
	}
	return n, err
}

// selectorOf is by which labels a workload knows its pods. Argo's Rollout of another one's template says it in its status.
func selectorOf(raw *unstructured.Unstructured) (string, error) {
	var has struct {
		Spec struct {
			Selector metav1.LabelSelector `json:"selector"`
		} `json:"spec"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw.Object, &has); err != nil {
		return "", err
	}
	selector, err := metav1.LabelSelectorAsSelector(&has.Spec.Selector)
	if err != nil || !selector.Empty() {
		return selector.String(), err
	}
	labels, _, _ := unstructured.NestedString(raw.Object, "status", "selector")
	if labels == "" {
		err = errors.New("it has no selector")
	}
	return labels, err
}

// jobLabel is what the controller of jobs gives to a job's pods.
const jobLabel = "batch.kubernetes.io/controller-uid"

// jobsOf selects the pods of those jobs that a CronJob owns.
func (c *Client) jobsOf(ctx context.Context, owner types.UID) (string, error) {
	list, err := c.Builder().Unstructured().ResourceTypes("jobs.batch").SelectAllParam(true).RequestChunksOf(500).Flatten().Do().Infos()
	if err != nil {
		return "", err
	}
	var jobs []string
	for _, info := range list {
		job, ok := info.Object.(*unstructured.Unstructured)
		if ok && slices.ContainsFunc(job.GetOwnerReferences(), func(o metav1.OwnerReference) bool { return o.UID == owner }) {
			jobs = append(jobs, string(job.GetUID()))
		}
	}
	if len(jobs) == 0 {
		return "", errors.New("it has no job now")
	}
	return jobLabel + " in (" + strings.Join(jobs, ",") + ")", ctx.Err()
}
