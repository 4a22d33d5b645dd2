package cli

import (
	"io"
	"testing"

	"confit/kubectl-confit/internal/scripted"
)

// TestApply_dry: the server and the validators are asked, and all stays as it is, owners included.
func TestApply_dry(t *testing.T) {
	w, _ := applied(t, well)
	before := w.holds("1")
	r := w.run("apply", "--in-place", "--dry-run=server", "--undo", "-f", edit(t, "2"))
	r.want(t, 0, "configmap/web would be applied (server dry run)\n", "Checked configmap/web, container nginx of pod web-0: taken")
	if there := w.holds("1"); there.ResourceVersion != before.ResourceVersion {
		t.Errorf("it was %+v and is %+v", before, there)
	}
	w, _ = applied(t, func(e scripted.Exec) int {
		_, _ = io.Copy(io.Discard, e.Stdin) // the caller may have gone
		return 78
	})
	w.run("apply", "--in-place", "--dry-run=server", "-f", edit(t, "2")).want(t, 3, "", "kubectl-confit: a container would refuse it, so nothing is applied")
	w.run("apply", "--dry-run=client", "-f", edit(t, "2")).want(t, 64, "",
		`kubectl-confit: --dry-run is "client": write server, as no client knows what server and validators say; see kubectl confit apply --help`)
}
