package hints

import (
	"os"
	"path/filepath"
	"strings"
)

// edit changes the key a as soon as a generation is accepted, as the kubelet would.
func edit(dir string, r *ongoing) {
	r.t.Helper()
	r.says(`msg="generation accepted"`)
	path := filepath.Join(dir, "volumes/web/a")
	write(r.t, path+".new", "y")
	if err := os.Rename(path+".new", path); err != nil {
		r.t.Fatal(err)
	}
}

// edited is a run that is edited, until the edit is accepted.
func edited(lines string, flags string, app ...string) run {
	args := append([]string{"--probation=100ms", "--soak=0s", "--rescan=100ms"}, strings.Fields(flags)...)
	return run{lines: oneLink + lines, args: args, app: app, then: edit, until: `msg="generation accepted" generation=2`}
}

// relinked changes the links file as soon as the app is started.
func relinked(dir string, r *ongoing) {
	r.t.Helper()
	r.says(`msg="app started"`)
	write(r.t, filepath.Join(dir, "links"), strings.ReplaceAll(oneLink, "HERE", dir)+strings.ReplaceAll("link web/b HERE/etc/b\n", "HERE", dir))
}

// at is a run that ends at another text.
func (c run) at(text string) run {
	c.until = text
	return c
}

// Apps, as scripts.
const (
	leavesAtHUP = `trap "exit 0" HUP; trap : USR1; while :; do sleep 0.05; done`
	watches     = `while :; do cat HERE/etc/a > HERE/out; sleep 0.05; done`
)

// as becomes another user, who owns the directory.
var as = []string{"/bin/sh", "-c", `chown -R 65534:65534 . && exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"`, "as"}

// signalled is an app of another user that is sent HUP, by a confit with few capabilities.
func signalled(capabilities, reload string) run {
	r := edited(reload, "--entrypoint-timeout=0", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c", "trap : HUP; while :; do sleep 0.05; done")
	r.before = []string{"/usr/bin/setpriv", "--bounding-set=-all,+setuid,+setgid" + capabilities, "--inh-caps=-all"}
	return r
}

// behind is a run of another user.
func (c run) behind(before []string, app ...string) run {
	c.before, c.app = before, app
	return c
}

var startRows = []row{
	{"cannot signal the app: %w; add the capability KILL, or run confit as the app's user; without either only reload exec:COMMAND takes an edit",
		signalled("", "reload signal:HUP").at("app can't be signalled"),
		[]run{
			signalled(",+kill", "reload signal:HUP"),
			signalled("", "reload signal:HUP").behind(as, "sh", "-c", "trap : HUP; while :; do sleep 0.05; done"),
		}},
	{"write the keys without one: many an editor adds it",
		run{lines: oneLink + "env web/LEVEL LEVEL", files: map[string]string{"volumes/web/LEVEL": "debug\n"}, app: []string{"true"}},
		[]run{{lines: oneLink + "env web/LEVEL LEVEL", app: []string{"true"}}}},
	{"start it in the foreground, as nginx -g 'daemon off;', or add --adopt",
		run{app: []string{"sh", "-c", "(sleep 1; true) & exit 0"}},
		[]run{{app: []string{"sh", "-c", "sleep 1; true"}}, {app: []string{"sh", "-c", "(sleep 1; true) & exit 0"}, args: []string{"--adopt"}}}},
	{"write reload restart, or reload signal:NAME if another signal makes it reload",
		edited("", "--entrypoint-timeout=0", "sh", "-c", leavesAtHUP).at("it leaves at HUP"),
		[]run{edited("reload restart", "--entrypoint-timeout=0", "sh", "-c", leavesAtHUP), edited("reload signal:USR1", "--entrypoint-timeout=0", "sh", "-c", leavesAtHUP)}},
	{"write exec in front of the script's last command, or set --entrypoint-timeout 0; a restart of the container takes the edit at once",
		edited("reload restart", "", "sh", "-c", "sleep 1000; true").at("edit waits"),
		[]run{edited("reload restart", "", "sh", "-c", "exec sleep 1000"), edited("reload restart", "--entrypoint-timeout=0", "sh", "-c", "sleep 1000; true")}},
	{"let it watch the directory of its configuration, or write reload restart",
		edited("reload touch", "", "sleep", "1000").at("app restarting"),
		[]run{edited("reload touch", "--entrypoint-timeout=0", "sh", "-c", watches), edited("reload restart", "", "sleep", "1000")}},
}
