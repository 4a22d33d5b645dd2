package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	stdsync "sync"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/follow"
	"confit/kubectl-confit/sync"
	"confit/kubectl-confit/verdict"
)

func newSync() *cobra.Command {
	var f waitFlags
	var all bool
	c := &cobra.Command{
		Use: "sync KIND/NAME… [FLAG…]", Short: "bring an edit to the pods now, and wait for their verdicts",
		Long: syncHelp, Example: syncExample, Annotations: map[string]string{"after": syncAfter},
	}
	c.RunE = f.output.orFailed(atOnce(func(c *cobra.Command, args []string) error {
		if all {
			return f.run(c, args, together)
		}
		return f.run(c, args, inWaves)
	}), failedReport)
	f.addTo(c)
	c.Flags().BoolVar(&all, "all", false, "ask all pods at once, not in waves")
	return c
}

// hurry waits as follow.Wait does, and meanwhile has the kubelets of the pods look, in waves or all at once. Those that are
// spared, as another pod has rejected it, are named.
func hurry(ctx context.Context, client *cluster.Client, scope follow.Scope, o follow.Options, all bool, p *progress) (*follow.Report, error) {
	ctx, end := context.WithCancelCause(ctx)
	h := &hurrying{context: ctx, end: end, client: client, fleet: sync.Fleet{Soak: o.Soak}, waves: sync.Waves{AtOnce: all}, progress: p}
	o.Act = h.act
	found, err := follow.Wait(ctx, client, scope, o)
	end(nil)
	h.patches.Wait()
	if err != nil {
		return nil, err
	}
	h.to.Keep()
	h.tellTroubles()
	h.tellSpared(found)
	return found, nil
}

// hurrying is one such wait.
type hurrying struct {
	*progress
	context context.Context
	end     context.CancelCauseFunc
	client  *cluster.Client
	fleet   sync.Fleet
	waves   sync.Waves
	pod     func(uid string) *corev1.Pod // as it was seen last
	begun   time.Time
	heard   bool // the waves have begun

	patches  stdsync.WaitGroup
	lock     stdsync.Mutex
	troubles []string // of patches
}

// hearing is how long all are listened to before the first is synced, so that it is known who needs it.
const hearing = 5 * time.Second

// act does what the waves decide. Their clock stands still while the API server is away: no kubelet is late then.
func (h *hurrying) act(now time.Time, rows []verdict.Row, pod func(string) *corev1.Pod) (soon []string, next time.Duration) {
	h.pod = pod
	there := now.Add(-h.client.Lost())
	if rest := h.hear(there, rows); rest > 0 {
		return nil, rest
	}
	d := h.waves.Step(there, h.fleet.Of(rows, pod))
	h.tellTroubles()
	h.tellWave(d)
	for _, p := range d.Late {
		h.tellLate(p)
	}
	for _, p := range d.Ask {
		soon = append(soon, p.UID)
		h.patches.Go(func() { h.ask(p, now) })
	}
	return soon, d.Next
}

// tellLate says that a pod is without the edit for long, and that its node may be the reason.
func (h *hurrying) tellLate(p sync.Pod) {
	fmt.Fprintf(h.to, "pod %s: after %v the kubelet has not brought it%s\n", p.Name, sync.Patience, onNode(h.pod(p.UID)))
}

// onNode says what may be wrong with a kubelet.
func onNode(pod *corev1.Pod) string {
	if pod == nil || pod.Spec.NodeName == "" {
		return ""
	}
	return fmt.Sprintf(": is node %s well? With configMapAndSecretChangeDetectionStrategy Cache it may read what it has in its cache, for a minute; an object that was immutable needs another name", pod.Spec.NodeName)
}

// hear says how long the first answers of others are waited for.
func (h *hurrying) hear(now time.Time, rows []verdict.Row) time.Duration {
	if h.begun.IsZero() {
		h.begun = now
	}
	silent := slices.ContainsFunc(rows, func(r verdict.Row) bool { return r.State == verdict.Asked })
	h.heard = h.heard || !silent || now.Sub(h.begun) >= hearing
	if h.heard {
		return 0
	}
	return hearing - now.Sub(h.begun)
}

// tellWave says who is asked for the first time, and why they and no others.
func (h *hurrying) tellWave(d sync.Decision) {
	if len(d.Wave) == 0 {
		return
	}
	var names []string
	for _, p := range d.Wave {
		names = append(names, p.Name)
	}
	why := map[sync.Reason]string{
		sync.First: "alone; the others follow when it has accepted it", sync.Quarter: "a quarter at a time",
		sync.Gates: "at once, as their gate says when each goes on", sync.Together: "all at once",
	}[d.Why]
	fmt.Fprintf(h.to, "Syncing %s: %s\n", some(names), why)
	h.quiet = h.quiet || d.Why == sync.First || d.Why == sync.Quarter
}

// SyncAnnotation of a pod is changed to have its kubelet look.
const SyncAnnotation = "confit/sync"

// ask changes a pod, in an annotation that nobody reads, so that its kubelet looks at it.
func (h *hurrying) ask(p sync.Pod, now time.Time) {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{SyncAnnotation: now.UTC().Format(time.RFC3339Nano)}}})
	if err == nil {
		_, err = h.client.Core().Pods(h.client.Namespace).Patch(h.context, p.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "kubectl-confit"})
	}
	if err == nil || cluster.IsNotFound(err) || cluster.IsAway(err) || h.context.Err() != nil {
		return // one that doesn't answer is said already, and asked again
	}
	err = cluster.Problem("annotate", "pod "+p.Name, err)
	if cluster.IsForbidden(err) {
		h.end(err)
		return
	}
	h.lock.Lock()
	defer h.lock.Unlock()
	h.troubles = append(h.troubles, err.Error())
}

// tellTroubles says which pods could not be changed. They are asked again.
func (h *hurrying) tellTroubles() {
	h.lock.Lock()
	defer h.lock.Unlock()
	for _, t := range h.troubles {
		fmt.Fprintln(h.to, t)
	}
	h.troubles = nil
}

// tellSpared says who was not synced, as another one has rejected it or gave no verdict, and for how long that lasts.
func (h *hurrying) tellSpared(found *follow.Report) {
	if h.pod == nil || found.Result.Code == verdict.Well {
		return
	}
	var names []string
	for _, p := range h.waves.Spared(h.fleet.Of(found.Rows, h.pod)) {
		names = append(names, p.Name)
	}
	if len(names) == 0 {
		return
	}
	hint := ""
	if found.Result.Code == verdict.Bad {
		hint = ": put the old object back before that"
	}
	fmt.Fprintf(h.to, "Not synced: %s. Their kubelets bring it by themselves within two minutes%s\n", some(names), hint)
}
