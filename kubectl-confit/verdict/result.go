package verdict

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"confit/kubectl-confit/pods"
)

// Name is the row's pod, as people call it.
func (r *Row) Name() string { return "pod " + r.Pod + ", container " + r.Container }

// Result is how the wait has ended; nil as long as it goes on.
func (w *Wait) Result() *Result {
	if w.result != nil || !w.synced || w.endless {
		return w.result
	}
	if r := w.rejecter(); r != nil {
		return &Result{Bad, r.Name() + " has rejected it: " + r.Why}
	}
	waited, done, coming := w.count()
	switch {
	case waited == 0 && coming:
	case waited == 0:
		return &Result{Wrong, w.nobody()}
	case done == waited && w.isSettled():
		return &Result{Well, fmt.Sprintf("%s by %s", w.accepted(), several(done, "container"))}
	}
	return nil
}

// rejecter is a container that ends again and again as it finds nothing to start on.
func (w *Wait) rejecter() *Row {
	for c := range w.each {
		if c.row.State == Rejected && c.row.Final {
			return &c.row
		}
	}
	return nil
}

// isOut reports that a container is not waited for: it takes nothing, or ended with 78 of an edit that nobody knows, before the wait.
func (r *Row) isOut() bool {
	return r.State == Ended || r.State == Unfollowed || r.State == Rejected && r.last && !r.Final
}

// count says how many containers are waited for, how many of these are done, and whether others may come: pods that are
// pending take what is there when they start.
func (w *Wait) count() (waited, done int, coming bool) {
	for _, p := range w.pods {
		for _, c := range p.containers {
			switch {
			case c.row.isOut():
			case !p.running:
				coming = true
			default:
				waited++
				if c.done {
					done++
				}
			}
		}
	}
	return waited, done, coming
}

// nobody says why nobody is waited for.
func (w *Wait) nobody() string {
	uses := map[pods.Use]int{}
	for _, p := range w.pods {
		uses[p.use]++
	}
	return nobody(uses, w.only)
}

// Nobody says why nobody can be asked about objects, or about anything if there are none.
func Nobody(list []*corev1.Pod, only []pods.Object) string {
	uses := map[pods.Use]int{}
	for _, pod := range list {
		uses[useOf(pod, only)]++
	}
	return nobody(uses, only)
}

// useOf is the strongest way in which a pod uses one of the objects.
func useOf(pod *corev1.Pod, only []pods.Object) (use pods.Use) {
	for _, o := range only {
		use = max(use, pods.UseOf(pod, o))
	}
	return use
}

func nobody(uses map[pods.Use]int, only []pods.Object) string {
	names := Names(only)
	switch {
	case len(only) == 0:
		return "no pod here has confit: it is known by its command, a mount below /confit, or the annotation " + pods.ExecAnnotation
	case uses[pods.Followed] > 0:
		return "no confit takes a key of " + names + " in a running pod"
	case uses[pods.Mounted] > 0:
		return fmt.Sprintf("%s with %s, but no confit: nobody can say what their apps have read", several(uses[pods.Mounted], "pod"), names)
	case uses[pods.Started] > 0:
		return fmt.Sprintf("%s with %s, but by subPath or in the environment only, which never changes while a container runs: see kubectl confit inject --help",
			several(uses[pods.Started], "pod"), names)
	}
	return "no pod mounts " + names
}

// Names are objects for people: configmap/web and secret/tls.
func Names(list []pods.Object) string {
	names := make([]string, len(list))
	for i, o := range list {
		names[i] = o.String()
	}
	return strings.Join(names, " and ")
}

// Late is the result when the time is over: who has not accepted it, and why not.
func (w *Wait) Late() Result {
	if r := w.Result(); r != nil {
		return *r
	}
	waited, done, _ := w.count()
	why := fmt.Sprintf("the time is over: %d of %s %s %s", done, several(waited, "container"), w.accepted(), Names(w.only))
	var rows []Row
	for c := range w.each {
		if !c.done && !c.row.isOut() {
			rows = append(rows, c.row)
		}
	}
	Sort(rows)
	first := max(0, slices.IndexFunc(rows, func(r Row) bool { return r.Waits })) // the others may wait for that one
	switch {
	case len(rows) > 1:
		return Result{Wrong, fmt.Sprintf("%s; %s is %s: %s; and %d more", why, rows[first].Name(), rows[first].State, rows[first].Why, len(rows)-1)}
	case len(rows) == 1:
		why += fmt.Sprintf("; %s is %s: %s", rows[0].Name(), rows[0].State, rows[0].Why)
	case waited > 0:
		why += ", but not all have said so once more"
	}
	return Result{Wrong, why}
}

// accepted is what a container that is done has done.
func (w *Wait) accepted() string {
	if w.soak {
		return "accepted and soaked"
	}
	return "accepted"
}

func several(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
