//go:build check

package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confit/integration/volume"
)

// gatePage are the blocks of docs/gate.md. All of them are needed for one fleet.
var gatePage = map[string]runner{
	" 1":                      oneAtATime,
	"A gate in a few lines 1": isShell,
	"A gate in a few lines 2": isShell,
}

// referencePage are the blocks of docs/reference.md.
var referencePage = map[string]runner{
	"The links file 1": allLines,
	"The fallback 1":   fallback,
}

func isShell(t *testing.T, block string) {
	file := filepath.Join(t.TempDir(), "hook")
	must(t, os.WriteFile(file, []byte(block), 0o644))
	if out, err := exec.Command("sh", "-n", file).CombinedOutput(); err != nil {
		t.Errorf("%s (%v)", out, err)
	}
}

// oneAtATime gives three replicas the page's gate and report, and one directory. All take the edit, one after the other.
func oneAtATime(t *testing.T, block string) {
	page := pageBlocks(t, "gate.md")
	shared := t.TempDir()
	var replicas []*container
	for _, name := range []string{"HOSTNAME=web-1", "HOSTNAME=web-2", "HOSTNAME=web-3"} {
		replicas = append(replicas, pod{
			configMaps: map[string]volume.Payload{"app": volume.Strings("text", first)},
			app:        []string{"sh", "-c", `trap : HUP; while :; do cat /etc/app/text >/dev/null; sleep 0.2; done`}, env: []string{name},
			base: func(c *container) {
				c.write("/usr/local/bin/may-i-go", page["A gate in a few lines 1"])
				c.write("/usr/local/bin/tell-how-it-ended", page["A gate in a few lines 2"])
				c.mount(shared, "shared", "", unix.MS_BIND, "")
			},
		}.start(t, block+"link app/text /etc/app/text\n"+forLife))
	}
	for _, c := range replicas {
		c.edit("text", first, second)
	}
	var spans [][2]time.Time // from the gate's yes to the proof
	for _, c := range replicas {
		c.logs(2, `msg="generation accepted"`)
		spans = append(spans, [2]time.Time{c.loggedAt(`msg="generation published"`, 2), c.loggedAt(`msg="generation accepted"`, 2)})
	}
	for i, a := range spans {
		for _, b := range spans[:i] {
			if a[0].Before(b[1]) && b[0].Before(a[1]) {
				t.Errorf("two replicas took the edit at once: %v", spans)
			}
		}
	}
}

var logTime = regexp.MustCompile(`time=(\S+) `)

// loggedAt is the time in the nth line of the log that holds this.
func (c *container) loggedAt(part string, n int) time.Time {
	c.t.Helper()
	match := logTime.FindStringSubmatch(c.Lines(part)[n-1])
	at, err := time.Parse(time.RFC3339, match[1])
	must(c.t, err)
	return at
}

// watchItself is the block of docs/daemons.md: an app that watches the directory of its configuration.
func watchItself(t *testing.T, block string) {
	const app = `
import sys, time
from watchdog.observers import Observer
from watchdog.events import FileSystemEventHandler
class Reread(FileSystemEventHandler):
    def on_moved(self, event):
        if event.dest_path == "/etc/app/app.yaml":
            print("read: " + open("/etc/app/app.yaml").read(), flush=True)
observer = Observer()
observer.schedule(Reread(), "/etc/app")
observer.start()
print("read: " + open("/etc/app/app.yaml").read(), flush=True)
observer.join()
`
	c := pod{
		configMaps: map[string]volume.Payload{"web": volume.Strings("app.yaml", first)},
		app:        []string{"/usr/bin/python3", "-c", app},
	}.start(t, block)
	c.takes("app.yaml", lastLine("read: "))
	if started := c.Lines(`msg="app started"`); len(started) != 1 {
		t.Errorf("the app was started %d times", len(started))
	}
}

// allLines has a renderer that calls envsubst for each template, with a variable of a key.
func allLines(t *testing.T, block string) {
	const render = `cd "$CONFIT_CANDIDATE/web/templates" && mkdir "$CONFIT_RENDERED/conf.d" && for f in *; do envsubst '$APP_NAME' <"$f" >"$CONFIT_RENDERED/conf.d/$f"; done`
	conf := `daemon off; pid /tmp/nginx.pid; error_log stderr; env LOG_LEVEL; events {} http { include conf.d/*.conf; }` + "\n"
	c := pod{
		configMaps: map[string]volume.Payload{
			"web": volume.Strings("nginx.conf", conf, "templates/site.conf", `server { listen 8080; return 200 "first edition of $APP_NAME\n"; }`+"\n"),
			"app": volume.Strings("LOG_LEVEL", "debug", "env/NAME", "shop"),
		},
		app: []string{"nginx"}, base: func(c *container) { c.write("/opt/render.sh", render) },
	}.start(t, block)
	ask := get("http://127.0.0.1:8080/")
	c.answers(ask, "of shop")
	c.takes("templates/site.conf", ask)
	c.logs(1, reloaded)
	c.edit("env/NAME", "shop", "market")
	c.answers(ask, "of market")
	c.logs(1, restarting)
}

// fallback is a first start on what the image brings, as what is mounted is bad.
func fallback(t *testing.T, block string) {
	c := pod{
		configMaps: map[string]volume.Payload{"web": volume.Strings("default.conf", "server { listne 8080; return 200 \"third edition\\n\"; }\n")},
		app:        runNginx,
		base: func(c *container) {
			c.write("/usr/share/app/default/web/default.conf", "server { listen 8080; return 200 \""+first+"\\n\"; }\n")
		},
	}.start(t, block+"link web/default.conf /etc/nginx/conf.d/default.conf\nvalidate nginx -t\n")
	ask := get("http://127.0.0.1:8080/")
	c.answers(ask, first)
	c.logs(1, `msg="generation accepted"`, "source=fallback")
	c.edit("default.conf", "listne", "listen")
	c.answers(ask, "third edition")
}
