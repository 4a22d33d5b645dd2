//go:build check

package examples

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/volume"
)

// daemonLines are the blocks of docs/daemons.md. The lines of its table are checked in internal/checks/pages_test.go.
var daemonLines = map[string]runner{
	"Five questions for any daemon 1": askWhetherItReads,
	"Socket activation 1":             heldBy("integration/daemons/socket_test.go", "confit -- sh -c 'LISTEN_PID="),
	"verify 1":                        verifyPrometheus,
	"varnish 1":                       runVarnish,

	"A key that doesn't fit its certificate 1": mismatched,
	"Programs that write their own file 1":     sentinel,
	"Programs that write their own file 2":     func(t *testing.T, _ string) { linkedSentinel(t) },

	"Apps that watch their files 1": watchItself,
}

// askWhetherItReads has an app that takes HUP and reads nothing.
func askWhetherItReads(t *testing.T, block string) {
	c := pod{
		configMaps: map[string]volume.Payload{"app": volume.Strings("text", first)},
		app:        []string{"sh", "-c", `trap : HUP; while :; do sleep 0.2; done`},
	}.start(t, "link app/text /etc/app/text\n"+forLife)
	c.edit("text", first, second)
	c.logs(1, `msg="app has not opened what changed"`)
	c.answers(func(c *container) (string, error) { return c.kubectl(block) }, "false\n")
}

// verifyPrometheus makes an edit that promtool lets through, and Prometheus refuses: two places of one address to write to.
func verifyPrometheus(t *testing.T, block string) {
	const remote = "remote_write: [{url: 'http://127.0.0.1:9/'}"
	c := pod{
		configMaps: map[string]volume.Payload{"web": volume.Strings("prometheus.yml",
			"global: {external_labels: {edition: \""+first+"\"}}\n"+remote+"]\n")},
		app: []string{"prometheus", "--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/tmp/prometheus", "--web.listen-address=127.0.0.1:9090"},
	}.start(t, block)
	ask := get("http://127.0.0.1:9090/api/v1/status/config")
	c.takes("prometheus.yml", ask)
	c.refuses("prometheus.yml", "global:", "globl:", "validate", ask)
	c.edit("prometheus.yml", remote, remote+", {url: 'http://127.0.0.1:9/'}")
	c.logs(1, `msg="candidate rejected"`, "step=verify")
	c.logs(1, `msg="rolled back"`)
	c.answers(ask, second)
}

// runVarnish loads each edition beside the one before.
func runVarnish(t *testing.T, block string) {
	const vcl = "vcl 4.1; backend none none; sub vcl_recv { return (synth(200, \"first edition\")); }\n"
	c := pod{
		configMaps: map[string]volume.Payload{"web": volume.Strings("default.vcl", vcl)},
		app:        []string{"varnishd", "-F", "-a", "127.0.0.1:6081", "-f", "/etc/varnish/default.vcl"},
	}.start(t, block)
	ask := get("http://127.0.0.1:6081/")
	c.takes("default.vcl", ask)
	c.logs(1, reloaded)
	c.refuses("default.vcl", "return", "retrun", "reload", ask)
	if started := c.Lines(`msg="app started"`); len(started) != 1 {
		t.Errorf("varnish was started more than once: %s", strings.Join(started, "\n"))
	}
}

// TestSecretOfOneUser has what docs/security.md promises: links that were baked, a root that is read-only, and a key that only the app's
// user may read.
func TestSecretOfOneUser(t *testing.T) {
	t.Parallel()
	const user = 101
	c := newPod(t, "link tls/ /etc/tls\n", map[string]volume.Payload{"tls": {"tls.key": {Data: []byte(first), Mode: 0o440}}}, "sleep", "infinity")
	c.manifest.user, c.readOnly = user, true
	c.inMemory([]string{"tls", "state"})
	c.command(0, nil, "/usr/local/bin/confit", "--bake").Ends(0)
	c.mountVolumes()
	c.giveTo("tls", user)
	must(t, os.Chmod(filepath.Join(c.dir, "volumes/state"), 0o777|unix.S_ISGID))
	c.start("CONFIT_PROBATION=3s")
	c.logs(1, `msg="generation accepted"`)
	c.answers(execute("setpriv", "--reuid=101", "--regid=101", "--clear-groups", "cat", "/etc/tls/tls.key"), first)
	if out, err := execute("setpriv", "--reuid=102", "--regid=102", "--clear-groups", "cat", "/etc/tls/tls.key")(c); err == nil {
		t.Errorf("another user reads %q", out)
	}
}

// giveTo gives the keys of a volume to a group, as the kubelet does with an fsGroup.
func (c *container) giveTo(volume string, group int) {
	c.t.Helper()
	must(c.t, filepath.WalkDir(filepath.Join(c.dir, "volumes", volume), func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, -1, group)
	}))
}
