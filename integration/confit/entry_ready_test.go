package confit

import (
	"fmt"
	"testing"

	"confit/integration/internal/harness"
)

// The script of a first start runs a temporary server that says READY=1. The app itself never does, and no later start waits for that.
func TestEntry_ready(t *testing.T) {
	t.Parallel()
	e := newEntry(t, "reload restart")
	e.web.swap(keys{"text": "first"})
	server := fmt.Sprintf("[ -e made ] || %s=say %s READY=1 STATUS=temporary\ntouch made\n", harness.RoleVariable, programs.app)
	argv := []string{"bash", e.write(e.path("start.sh"), server+fmt.Sprintf(work, e.done)+"\nexec "+e.app()+"\n")}
	c := e.start(argv...)
	c.Says("work begins", 1)
	c.wantStatusText("temporary")
	c.tells(0, "that the app has not begun", func(r report) bool { return r.Phase == "beginning" })
	e.letEnd()
	c.wantAccepted(1, "probation")
	for n := 2; n < 4; n++ {
		e.web.swap(keys{"text": fmt.Sprint("edit ", n)})
		c.wantAccepted(n, "probation")
	}
	c.wantUncut(3)
}
