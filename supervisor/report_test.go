package supervisor

import (
	"testing"

	"confit/config"
	"confit/status"
)

// TestReport_keys: keys that the linker notes after the phase was reported are
// reported, too.
func TestReport_keys(t *testing.T) {
	l := &loop{Supervisor: Supervisor{Config: &config.Config{}}}
	l.status.newest = make(chan *status.Status, 1)
	l.state.phase = running
	l.report()
	<-l.status.newest
	l.report()
	if len(l.status.newest) > 0 {
		t.Fatal("nothing is new, and it was reported")
	}
	l.status.keys.Store(&map[string]string{"web/a": "1"})
	l.report()
	if len(l.status.newest) == 0 {
		t.Error("new keys were not reported")
	}
}
