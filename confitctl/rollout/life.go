package rollout

import (
	"fmt"
	"strconv"
	"strings"
)

// Life tells one container of a pod from another where no name does. All
// containers of a pod are started by one clock, the kernel's. So whoever was alive
// when somebody of its pod took a hold, and began at another time, knows that it
// was another container. The zero Life is one that isn't known.
type Life string

// NewLife is a life by which start of the kernel it is, when the container's first
// process was started, and what the time is, both in ticks since then.
func NewLife(boot string, start, now int64) Life {
	return Life(fmt.Sprintf("%s.%s.%s", boot, strconv.FormatInt(start, base), strconv.FormatInt(now, base)))
}

// base keeps a life short: it stands in a record a hundred times.
const base = 36

// isOther reports that mine is the life of another container for certain. One that
// began after this was noted may be the same container, started again.
func (noted Life) isOther(mine Life) bool {
	boot, start, at, known := noted.parts()
	myBoot, myStart, _, both := mine.parts()
	return known && both && boot == myBoot && start != myStart && myStart < at
}

func (noted Life) parts() (boot string, start, at int64, ok bool) {
	parts := strings.Split(string(noted), ".")
	if len(parts) != 3 {
		return "", 0, 0, false
	}
	start, wrong := strconv.ParseInt(parts[1], base, 64)
	at, err := strconv.ParseInt(parts[2], base, 64)
	return parts[0], start, at, wrong == nil && err == nil
}

// isMine reports that a hold is that of a replica.
func (h Hold) isMine(me Replica) bool {
	return h.Pod == me.Pod && h.Container == me.Container && !h.Life.isOther(me.Life)
}

// mixedUp reports that another container of a replica's pod has a hold by the name
// that this one has.
func (r Record) mixedUp(me Replica) bool {
	v := r.revision(me.Revision)
	if v.Trial == nil {
		return false
	}
	for _, h := range v.Trial.Holds {
		if h.Pod == me.Pod && h.Container == me.Container && !h.isMine(me) {
			return true
		}
	}
	return false
}

// refuseMixedUp names the pod, and what tells its containers apart.
func refuseMixedUp(me Replica) Answer {
	name := "without --container"
	if me.Container != "" {
		name = fmt.Sprintf("with --container %q, too", me.Container)
	}
	return Answer{Refuse, fmt.Sprintf("another container of pod %q asks %s; give each that runs confit a --container of its own, as by CONFITCTL_CONTAINER", me.PodName, name)}
}
