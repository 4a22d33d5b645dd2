//go:build check

package daemons

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

// activate listens where the service is, and executes what follows with the socket, as systemd and podman do for a container.
var activate = []string{"/usr/bin/python3", "-c", `
import os, socket, sys
listener = socket.create_server(("127.0.0.1", 8080))
if listener.fileno() != 3:
    os.dup2(listener.fileno(), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
os.execvp(sys.argv[1], sys.argv[1:])
`}

// By the line of the page gunicorn takes the socket that confit was given, in each of its lives. If it didn't, it couldn't listen:
// the address is taken.
func TestSocketActivation(t *testing.T) {
	t.Parallel()
	d := gunicorn
	d.lines, d.reload, d.app = "reload restart\n", 0, activated(t)
	s := newSite(t, d)
	s.front = activate
	s.swap(s.good(1))
	c := s.start(soon...)
	c.isUp()
	s.swap(s.good(2))
	c.serves(name(2))
	c.accepts(2)
	c.wantLogged(2, `msg="app started"`)
	c.stops(0)
}

// activated is the page's command line of an app that takes sockets.
func activated(t *testing.T) string {
	t.Helper()
	top, err := harness.Root()
	must(t, err)
	text, err := os.ReadFile(filepath.Join(top, page))
	must(t, err)
	for line := range strings.Lines(string(text)) {
		if app, found := strings.CutPrefix(line, "confit -- sh -c 'LISTEN_PID="); found {
			return "sh -c 'LISTEN_PID=" + strings.ReplaceAll(strings.TrimSpace(app), "FILE", root+"/etc/"+gunicorn.key)
		}
	}
	t.Fatalf("%s has no such line", page)
	return ""
}
