//go:build check

package daemons

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// CoreDNS catches HUP, and does nothing. At USR1 it reads its Corefile, and keeps the old one if the new one is bad. Debian has no
// package of CoreDNS, so it is built from its module.
var coreDNS = daemon{
	name: "coredns",
	key:  "Corefile",
	text: `
.:8080 {
	bind 127.0.0.1
	chaos GENERATION
}
`,
	spoiled: "nonsense {\n",
	app:     "coredns -conf /srv/etc/Corefile",
	reload:  syscall.SIGUSR1,
	network: "udp",
	request: versionQuery,
}

// buildCoreDNS builds the command in coredns/.
func buildCoreDNS(path string) error {
	return harness.GoBuild("coredns", path, []string{"GOWORK=off", "CGO_ENABLED=0"}, "-trimpath")
}

// Who asks the service finds out that CoreDNS has refused a Corefile.
func TestCoreDNS_verify(t *testing.T) {
	t.Parallel()
	d := coreDNS
	d.image = map[string]string{"ask.py": fmt.Sprintf(`
import socket, sys
want = open("/srv/etc/Corefile").read().split("chaos ")[1].split()[0]
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(1)
s.sendto(bytes.fromhex("%x"), ("127.0.0.1", 8080))
sys.exit(want.encode() not in s.recv(512))
`, versionQuery)}
	s, c := up(t, d, "--verify", "python3 /srv/ask.py", "--verify-timeout", "5s")
	end := c.probe()
	s.swap(s.bad())
	c.logs(`msg="candidate rejected"`, "step=verify", `live="generation 1, `)
	c.logs(`msg="rolled back"`, "generation=1 ")
	list := end()
	if names := list.names(); len(list.failed()) > 0 || len(names) != 1 || names[0] != name(1) {
		t.Error("somebody noticed")
	}
	c.wantLogged(1, `msg="app started"`)
	c.goesOn()
}

// The plugin reload takes an edit without any signal. Once CoreDNS has got USR1 the plugin only logs errors.
func TestCoreDNS_plugin(t *testing.T) {
	t.Parallel()
	d := coreDNS
	d.text = strings.Replace(d.text, "\tchaos", "\treload 2s 1s\n\tchaos", 1)
	d.reload, d.lines = 0, "reload none\n"
	s, c := up(t, d)
	s.swap(s.good(2))
	c.serves(name(2))
	c.accepts(2)
	must(t, syscall.Kill(c.appPID(), syscall.SIGUSR1))
	c.logs("SIGUSR1: Reloading")
	s.swap(s.good(3))
	c.logs("plugin/reload", "reload failed")
	c.serves(name(2))
}
