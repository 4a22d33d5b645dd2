package verdict

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// hurryPause is how long after something was done about a container it is asked: a kubelet that looks at once needs less.
const hurryPause = 500 * time.Millisecond

// Hurry has the containers of a pod asked soon, as if their state had just changed: something was done about it.
func (w *Wait) Hurry(now time.Time, uid types.UID) {
	p := w.pods[uid]
	if p == nil {
		return
	}
	for _, c := range p.containers {
		c.pause, c.due = 0, now.Add(hurryPause)
	}
}
