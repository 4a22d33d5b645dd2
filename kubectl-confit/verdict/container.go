package verdict

import (
	"cmp"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"confit/kubectl-confit/pods"
	"confit/status"
)

// container is one that has something of what is waited for.
type container struct {
	spec     pods.Container
	pod      *corev1.Pod
	restarts int32 // when it was seen first
	run      string
	row      Row
	done     bool
	told     time.Time // when its last answer came
	out      bool      // a question is
	due      time.Time
	pause    time.Duration
	crashes  map[string]bool // its ends with 78, by the run; true: since the wait began
}

func newContainer(spec pods.Container, pod *corev1.Pod) *container {
	c := &container{spec: spec, crashes: map[string]bool{}}
	if s := pods.StatusOf(pod, spec.Name); s != nil {
		c.restarts = s.RestartCount
	}
	return c
}

// see takes what the API says of a container.
func (c *container) see(now time.Time, pod *corev1.Pod, synced bool) (changed bool) {
	was := c.row
	row, runs := FromAPI(pod, &c.spec)
	run := ""
	if s := pods.StatusOf(pod, c.spec.Name); s != nil {
		run = fmt.Sprint(s.RestartCount, " ", s.ContainerID)
		c.noteEnd(s, synced)
		row.Restarted = row.Restarted || s.RestartCount > c.restarts
	}
	c.pod = pod
	switch {
	case !runs:
		c.run, c.done, c.out, c.row = "", false, false, row
		c.row.Final = row.State == Rejected && (c.crashed() > 1 || row.last && c.crashed() > 0)
	case c.run != run:
		c.run, c.done, c.row, c.due, c.pause, c.out = run, false, row, now, 0, false
		c.row.State, c.row.Why = Asked, "there is no answer yet"
	}
	return c.row.differs(was)
}

// noteEnd counts ends with 78. Those that were there before the wait may be of another configuration.
func (c *container) noteEnd(s *corev1.ContainerStatus, synced bool) {
	e := ended(s)
	if e == nil || e.ExitCode != exitRejected {
		return
	}
	id := cmp.Or(e.ContainerID, e.FinishedAt.String())
	if _, known := c.crashes[id]; !known {
		c.crashes[id] = synced
	}
}

func (c *container) crashed() (n int) {
	for _, since := range c.crashes {
		if since {
			n++
		}
	}
	return n
}

// take takes what the container says itself, or what the API does if nobody answers.
func (c *container) take(now time.Time, row Row, soak bool) {
	c.out, c.told = false, now
	row.Restarted = row.Restarted || c.row.Restarted
	c.row = row
	if c.done = c.row.State == Accepted && (c.row.Soaked || !soak); c.row.State == Accepted && !c.done {
		c.row.Why = pods.Join("; ", c.row.soaks(), c.row.Why)
	}
}

// soaks says how long the app has to live with what is accepted.
func (r *Row) soaks() string {
	return pods.Join("; ", "the app has to live with it for --soak"+until(r.SoaksAt), r.entry)
}

// until is a clause about a moment; "" if that isn't known.
func until(t status.Time) string {
	if t == "" {
		return ""
	}
	return ", until " + string(t)
}

// wait sets when a container is asked again.
func (c *container) wait(now time.Time, was State) {
	switch {
	case c.row.State == Accepted || c.row.State == Unfollowed:
		c.pause = restPause
		if !c.done {
			c.pause = untilSoaked(c.row.SoaksAt, now)
		}
	case c.row.State != was || c.pause == 0:
		c.pause = firstPause
	default:
		c.pause = min(c.pause*3/2, lastPause)
	}
	c.due = now.Add(c.pause)
}
