package process

import (
	"fmt"
	"os"
)

// WriteTerminationLog writes why confit ends where kubectl describe looks:
// terminationMessagePath of the Pod's API. What a hook printed last follows, if the reason has
// that.
func WriteTerminationLog(reason error) {
	f, err := os.OpenFile("/dev/termination-log", os.O_WRONLY|os.O_TRUNC, 0) // only in a pod
	if err != nil {
		return
	}
	defer f.Close()
	fmt.Fprint(f, reason)
	if hook, ok := reason.(interface{ Output() string }); ok {
		fmt.Fprint(f, "\n", hook.Output())
	}
}
