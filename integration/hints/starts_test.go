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

// reasons say why a hint isn't done here, and who holds what it says.
var reasons = map[string]string{
	"write exec in front of its last command, or set --entrypoint-timeout 0 if the script is the app":              "it is said after five minutes; supervisor/testdata/entry_stays.txt has that",
	"%s, and confit cannot remove it: %w: let it write elsewhere":                                                  "what confit can't remove takes a disk that fails",
	"cannot tell whether volume %q is memory-backed: fstatfs: %w; if it may be copied to a disk, add --allow-disk": "statfs(2) fails on no file system of this machine; integration/swap_files_refused_test.go refuses it by seccomp",
	"add mode=0644 to the line link %s %s%s: everybody in the container may read the file then":                    "integration/source_modes_test.go does it, with an app of another user",
	"if another user of their group reads them, add mode=0440 to their lines":                                      "integration/source_modes_test.go does it, with a user of the group",
	"if the app reloads by it, write reload signal:":                                                               "only where the kernel shows no handlers, as in gVisor: integration/environments",
	"write reload exec:caddy reload --config FILE --force":                                                         "integration/daemons/caddy_test.go reloads it so",
	"write reload signal:USR1": "integration/daemons/habits_test.go has lighttpd and CoreDNS",
	"write reload=none at the links of dashboards, which it reads by itself":                               "Grafana isn't in Debian",
	"write reload=signal:HUP at the links of zones":                                                        "integration/daemons/habits_test.go has nsd",
	"write reload=signal:HUP at the links that only modules read":                                          "integration/daemons/habits_test.go has freeradius",
	"find out what makes it read its configuration, and write reload restart, signal:NAME or exec:COMMAND": "it is said after half a minute; integration/swap_noreload_test.go waits for that",
	"mount an emptyDir on the target's directory, or write reload restart":                                 "it takes a target that can't be renamed; supervisor/testdata/touch_refused.txt has one",
}
