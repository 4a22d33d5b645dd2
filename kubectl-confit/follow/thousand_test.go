//go:build check

package follow_test

import (
	"runtime"
	"testing"

	"confit/kubectl-confit/follow"
	"confit/kubectl-confit/verdict"
)

// many is how many pods a large Deployment has.
const many = 1000

// TestThousand: of 1,000 pods each is asked once, and once more before the end, and the requests and the memory stay bounded.
func TestThousand(t *testing.T) {
	f := newFleet(t, many)
	before := heap()
	r, err := follow.Look(t.Context(), f.client, follow.Scope{})
	if err != nil || len(r.Rows) != many || r.Result.Code != verdict.Well {
		t.Fatalf("got %d rows, %v", len(r.Rows), err)
	}
	t.Logf("status: %v, heap %d KiB", f.Requests(), (heap()-before)/1024)
	runtime.KeepAlive(r)
	if n := f.Requests(); n["list pods"] != 2 || n["get configmaps"] != 1 || n["get pods/exec"] != many || len(n) != 3 {
		t.Errorf("status asked for %v", n)
	}

	f.Apply(configMap("2"))
	for _, r := range f.replicas[1:] {
		take(r, "2")
	}
	accepted := 0
	done := make(chan struct{})
	w := f.wait(t.Context(), follow.Options{Each: func(r verdict.Row) {
		if r.State == verdict.Accepted {
			if accepted++; accepted == many-1 {
				close(done)
			}
		}
	}})
	<-done
	take(f.replicas[0], "2")
	got := w.end(t)
	t.Logf("wait: %v, heap %d KiB", f.Requests(), (heap()-before)/1024)
	runtime.KeepAlive(got)
	n := f.Requests()
	if got.Result != (verdict.Result{Code: 0, Why: "accepted by 1000 containers"}) || n["get pods/exec"] > 3*many+10 || n["watch pods"]+n["list pods"] > 4 || n["get configmaps"] > 3 || n["watch configmaps"] != 1 {
		t.Errorf("got %+v, asked for %v", got.Result, n)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
