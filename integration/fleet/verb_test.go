//go:build fleet

package fleet

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"confit/integration/cluster"
	"confit/integration/internal/harness"
)

// verb is kubectl confit, as somebody has begun it.
type verb struct {
	harness.Transcript
	fleet *fleet
	line  string
	cmd   *exec.Cmd
	ended chan struct{}
}

// begin runs a verb about the fleet: # in its words is the fleet's name.
func (f *fleet) begin(line string) *verb {
	f.t.Helper()
	v := &verb{fleet: f, line: strings.ReplaceAll(line, "#", f.name), ended: make(chan struct{})}
	v.cmd = exec.CommandContext(f.t.Context(), filepath.Join(programs.dir, "kubectl-confit"), strings.Fields(v.line)...)
	v.cmd.Env = append(os.Environ(), "KUBECONFIG="+f.cluster.Kubeconfig(f.name, ""), "KUBECACHEDIR="+f.dir+"/cache")
	v.cmd.Stdout, v.cmd.Stderr, v.cmd.Dir = v.Stream("stdout"), v.Stream("stderr"), f.dir
	if err := v.cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	go func() { _ = v.cmd.Wait(); close(v.ended) }()
	return v
}

// sees waits until it has printed a text.
func (v *verb) sees(text string) {
	v.fleet.t.Helper()
	v.fleet.until(fmt.Sprintf("%s prints %q", v.line, text), func() bool { return v.Contains(text) || !v.runs() })
	if !v.Contains(text) {
		v.fleet.t.Fatalf("%s ended with %d and didn't print %q:\n%s", v.line, v.code(), text, &v.Transcript)
	}
}

// ends waits for its end, which must have this exit code, and before which it must have printed all texts.
func (v *verb) ends(code int, texts ...string) {
	v.fleet.t.Helper()
	v.fleet.until(v.line+" ends", func() bool { return !v.runs() })
	if got := v.code(); got != code {
		v.fleet.t.Errorf("%s ended with %d, want %d:\n%s", v.line, got, code, &v.Transcript)
		return
	}
	for _, text := range texts {
		if !v.Contains(text) {
			v.fleet.t.Errorf("%s doesn't print %q:\n%s", v.line, text, &v.Transcript)
		}
	}
}

// code is the exit code of a verb that has ended.
func (v *verb) code() int { <-v.ended; return v.cmd.ProcessState.ExitCode() }

// runs reports that it goes on.
func (v *verb) runs() bool {
	select {
	case <-v.ended:
		return false
	default:
		return true
	}
}

// put has kubectl make an edit, which no kubelet brings by itself.
func (f *fleet) put(edition, effect string) {
	f.t.Helper()
	f.kubectl("apply", "--server-side", "--force-conflicts", "-f", f.write(edition, effect))
}

// kubectl is kubectl as the administrator runs it, where the fleet's files are.
func (f *fleet) kubectl(words ...string) {
	f.t.Helper()
	if _, said, ok := f.cluster.Kubectl(f.cluster.Kubeconfig(f.name, ""), f.dir, "", words...); !ok {
		f.t.Fatalf("kubectl %q: %s", words, said)
	}
}

// write writes an edit into a file for apply, and returns its name.
func (f *fleet) write(edition, effect string) string {
	f.t.Helper()
	name := edition + ".yaml"
	text := strings.Replace(f.configMap(edition, effect), "{", `{"apiVersion": "v1", "kind": "ConfigMap", `, 1)
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
	return name
}

// stored is the edition that the API has.
func (f *fleet) stored() string {
	f.t.Helper()
	var found struct{ Data map[string]string }
	answer := f.cluster.Must(http.MethodGet, cluster.Core+"configmaps/"+f.name, "", http.StatusOK)
	if err := json.Unmarshal(answer, &found); err != nil {
		f.t.Fatal(err)
	}
	edition, _, _ := strings.Cut(found.Data["app.conf"], " ")
	return edition
}

// have holds that the API and all pods have an edition, and that all apps run with it.
func (f *fleet) have(edition string) {
	f.t.Helper()
	if got := f.stored(); got != edition {
		f.t.Errorf("the API has the %s edition, not the %s", got, edition)
	}
	f.each("all run with the "+edition+" edition", func(p *pod) bool { return p.now() == edition && p.status().Phase == "running" })
}
