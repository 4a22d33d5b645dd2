package follow

import (
	"context"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/pods"
	"confit/kubectl-confit/verdict"
)

// Wait waits until every running pod has accepted the objects, or until it is sure that this won't be: the report's Result
// says which. The error is one of the API server, or the context's. A server that is away for a while ends nothing.
func Wait(ctx context.Context, c *cluster.Client, s Scope, o Options) (*Report, error) {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	ctx, end, limit := o.limited(ctx)
	defer end(nil)
	pinned, err := pin(ctx, c, s)
	if err != nil {
		return nil, err
	}
	r := &run{client: c, scope: s, options: o, limit: limit, wait: verdict.NewWait(pinned, o.Soak, o.Endless), pinned: pinned,
		pods: map[types.UID]*corev1.Pod{}, others: maps.Clone(pinned), refused: map[pods.Object]bool{}, records: map[string]bool{}, happened: make(chan func()), end: end}
	go func() {
		end(c.WatchPods(ctx, s.Pods, func() { r.tell(ctx, r.synced) }, func(pod *corev1.Pod, gone bool) { r.tell(ctx, func() { r.pod(pod, gone) }) }))
	}()
	for object := range pinned {
		go func() {
			end(c.WatchObject(ctx, object, func(d *pods.Data) { r.tell(ctx, func() { r.wait.SeeObject(r.options.Clock.Now(), object, d) }) }))
		}()
	}
	result, err := r.loop(ctx)
	without := verdict.WithoutConfit(slices.Collect(maps.Values(r.pods)), slices.Collect(maps.Keys(pinned)))
	return &Report{Objects: pinned, Rows: r.wait.Rows(), Without: without, Result: result}, err
}

// pin reads what the API has now of what is waited for.
func pin(ctx context.Context, c *cluster.Client, s Scope) (verdict.Objects, error) {
	pinned := verdict.Objects{}
	maps.Copy(pinned, s.Pinned)
	objects := s.Objects
	if len(objects) == 0 {
		list, err := c.Pods(ctx, s.Pods)
		if err != nil {
			return nil, err
		}
		objects = objectsOf(list)
	}
	return pinned, read(ctx, c, pinned, objects, nil)
}

// run is one wait. What happens is a function that its loop calls.
type run struct {
	client   *cluster.Client
	scope    Scope
	options  Options
	limit    *limit // nil: the time is never over
	wait     *verdict.Wait
	pinned   verdict.Objects
	others   verdict.Objects // what was read, the pinned ones among it
	refused  map[pods.Object]bool
	records  map[string]bool // Leases that are looked at
	begun    bool
	pods     map[types.UID]*corev1.Pod // those that count
	acted    time.Time                 // when the caller did last
	happened chan func()
	end      context.CancelCauseFunc
	context  context.Context
}

// tell has the loop call a function, unless it has ended.
func (r *run) tell(ctx context.Context, do func()) {
	select {
	case r.happened <- do:
	case <-ctx.Done():
	}
}

// loop is the only one that touches the wait.
func (r *run) loop(ctx context.Context) (verdict.Result, error) {
	r.context = ctx
	for {
		if result := r.wait.Result(); result != nil {
			return *result, nil
		}
		act, rest := r.act()
		again, stop := r.ask(ctx)
		select {
		case do := <-r.happened:
			do()
		case <-again:
		case <-act:
		case <-ctx.Done():
			return r.late(context.Cause(ctx))
		}
		stop()
		rest()
	}
}

// late is how a wait ends whose context has ended.
func (r *run) late(cause error) (verdict.Result, error) {
	if cause != errOver { //nolint:errorlint // just this one
		return verdict.Result{}, cause
	}
	result := r.wait.Late()
	if result.Code == verdict.Wrong && r.client.IsAway() {
		result.Why += "; the API server is away"
	}
	return result, nil
}

// actPause keeps many changes at once from being looked at one by one.
const actPause = 20 * time.Millisecond

// act lets the caller act, and returns when it wants to do so again.
func (r *run) act() (again <-chan time.Time, stop func()) {
	if !r.begun || r.options.Act == nil {
		return nil, func() {}
	}
	now := r.options.Clock.Now()
	if rest := actPause - now.Sub(r.acted); rest > 0 {
		timer := r.options.Clock.NewTimer(rest)
		return timer.C(), func() { timer.Stop() }
	}
	r.acted = now
	soon, next := r.options.Act(now, r.wait.Rows(), func(uid string) *corev1.Pod { return r.pods[types.UID(uid)] })
	for _, uid := range soon {
		r.wait.Hurry(now, types.UID(uid))
	}
	if next == 0 {
		return nil, func() {}
	}
	timer := r.options.Clock.NewTimer(next)
	return timer.C(), func() { timer.Stop() }
}

// ask begins the questions that are due, and returns when the next ones are.
func (r *run) ask(ctx context.Context) (again <-chan time.Time, stop func()) {
	now := r.options.Clock.Now()
	if r.begun {
		for _, q := range r.wait.Questions(now) {
			go func() {
				a := ask(ctx, r.client, q.Pod, &q.Container)
				r.tell(ctx, func() { r.answer(q, a) })
			}()
		}
	}
	next := r.wait.Next()
	if !r.begun || next.IsZero() {
		return nil, func() {}
	}
	timer := r.options.Clock.NewTimer(max(0, next.Sub(now)))
	return timer.C(), func() { timer.Stop() }
}

func (r *run) answer(q verdict.Question, a verdict.Answer) {
	row := r.wait.Tell(r.options.Clock.Now(), q, a)
	if row != nil {
		r.changed(*row)
		r.gated(q.Container.Lease(), row.State)
	}
	r.longer()
}

// gated looks at the record of a gate for which a container waits.
func (r *run) gated(lease string, state verdict.State) {
	if state == verdict.Gated && lease != "" && !r.records[lease] {
		r.records[lease] = true
		go r.record(r.context, lease)
	}
}

// longer adds to the time what an edit has to wait for a script that executes nothing.
func (r *run) longer() {
	by := r.wait.Longer(r.options.Clock.Now())
	if by == 0 || r.limit == nil {
		return
	}
	r.limit.longer(by)
	if r.options.Longer != nil {
		r.options.Longer(by)
	}
}

func (r *run) changed(row verdict.Row) {
	if r.options.Each != nil && r.begun {
		r.options.Each(row)
	}
}

// pod takes a pod. Before it is asked, what shares its volumes must be known.
func (r *run) pod(pod *corev1.Pod, gone bool) {
	if gone {
		delete(r.pods, pod.UID)
		r.wait.Gone(pod.UID)
		return
	}
	r.pods[pod.UID] = pod
	if r.neighbours(pod); r.context.Err() == nil {
		for _, row := range r.wait.SeePod(r.options.Clock.Now(), pod) {
			r.changed(row)
		}
	}
}

// neighbours reads what shares volumes with what is waited for, each once. What may not be read is left out.
func (r *run) neighbours(pod *corev1.Pod) {
	var objects []pods.Object
	for o := range r.pinned {
		objects = append(objects, o)
	}
	known := len(r.others)
	if err := read(r.context, r.client, r.others, neighbours(pod, objects), r.refused); err != nil {
		r.end(err)
		return
	}
	if len(r.others) > known {
		r.wait.Others(r.others)
	}
}

func (r *run) synced() {
	r.begun = true
	r.wait.Synced()
	for _, row := range r.wait.Rows() {
		r.changed(row)
	}
}
