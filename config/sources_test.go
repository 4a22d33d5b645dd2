package config

import (
	"slices"
	"testing"
)

// TestCommandLineErrors: each names the flag, the value and what to write, and
// comes alone.
func TestCommandLineErrors(t *testing.T) {
	file := write(t, "links", oneLink)
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--nothing-like-it"}, `unknown flag: --nothing-like-it (confit --help lists the flags; put quotes around a whole command, and none around a flag and its value)`},
		{[]string{"--setle=1s"}, `unknown flag: --setle (confit --help lists the flags; did you mean --settle?)`},
		{[]string{"-check"}, `unknown shorthand flag: 'c' in -check (confit --help lists the flags; did you mean --check?)`},
		{[]string{"-v"}, `unknown shorthand flag: 'v' in -v (confit --help lists the flags; put quotes around a whole command, and none around a flag and its value)`},
		{[]string{"--validate", "nginx", "-t"}, `unknown shorthand flag: 't' in -t (confit --help lists the flags; put quotes around a whole command, and none around a flag and its value)`},
		{[]string{"--verify", "curl", "--fail"}, `unknown flag: --fail (confit --help lists the flags; put quotes around a whole command, and none around a flag and its value)`},
		{[]string{"--validate", "nginx -t", "-check"}, `unknown shorthand flag: 'c' in -check (confit --help lists the flags; did you mean --check?)`},
		{[]string{"status"}, `"status" stands before --, where only flags and their values do: remove it; or write -- in front of it, if it is the app`},
		{[]string{"--settle=1s", "check", "--links", "x"}, `"check" stands before --, where only flags and their values do: remove it; or write -- in front of it, if it is the app`},
		{[]string{"--stop-singal", "TERM"}, `unknown flag: --stop-singal (confit --help lists the flags; did you mean --stop-signal?)`},
		{[]string{"-x"}, `unknown shorthand flag: 'x' in -x (confit --help lists the flags; put quotes around a whole command, and none around a flag and its value)`},
		{[]string{"--settle=soon"}, `--settle: "soon" is not a time: write a number with a unit, such as 500ms, 10s, 2m or 24h`},
		{[]string{"--splay=1d"}, `--splay: "1d" is not a time: write a number with a unit, such as 500ms, 10s, 2m or 24h`},
		{[]string{"--settle=-1s"}, `--settle: "-1s" is too short: write at least 0s`},
		{[]string{"--entrypoint-timeout", "never"}, `--entrypoint-timeout: "never" is not a time: write a number with a unit, such as 500ms, 10s, 2m or 24h`},
		{[]string{"--stop-timeout", "2562047h"}, `--stop-timeout: "2562047h" is too long: write at most 100000h0m0s`},
		{[]string{"--rescan", "1ms"}, `--rescan: "1ms" is too short: write at least 10ms`},
		{[]string{"--hook-timeout=0"}, `--hook-timeout: "0" is too short: write at least 1ms`},
		{[]string{"--verify-timeout=0"}, `--verify-timeout: "0" is too short: write at least 1ms`},
		{[]string{"--verify=  "}, `--verify: "  " holds no command: write a program and its arguments`},
		{[]string{"--probation=-1s"}, `--probation: "-1s" is too short: write at least 0s`},
		{[]string{"--splay=-1s"}, `--splay: "-1s" is too short: write at least 0s`},
		{[]string{"--retry=0"}, `--retry: "0" is too short: write at least 100ms`},
		{[]string{"--stop-signal=TREM"}, `--stop-signal: "TREM" is not a signal: write a name such as TERM, HUP or RTMIN+1, or a number from 1 to 64`},
		{[]string{"--allow-disk=perhaps"}, `--allow-disk: "perhaps" is neither on nor off: write true or false`},
		{[]string{"--log-level=loud"}, `--log-level: "loud" is not known here: write one of debug, error, info, warn`},
		{[]string{"--log-format=xml"}, `--log-format: "xml" is not known here: write one of json, text`},
		{[]string{"--volumes="}, `--volumes: an empty path: write a directory such as /run/confit`},
		{[]string{"--reload=sometimes"}, `--reload: "sometimes" is not a way to reload: write auto, touch, signal:NAME, restart, exec:COMMAND or none`},
		{[]string{"--validate=nginx 't"}, `--validate: "'t" is never closed: add a ' at the end of the word`},
		{[]string{"--validate=# nginx -t"}, `--validate: "# nginx -t" holds no command: write a program and its arguments`},
	} {
		_, err := parse(t, file, nil, append(tt.args, "--", "app")...)
		wantOnly(t, err, tt.want)
	}
	_, err := parse(t, file, nil, "--settle")
	wantOnly(t, err, `flag needs an argument: --settle (confit --help lists the flags; write --FLAG VALUE)`)
	_, err = parse(t, file, nil)
	wantOnly(t, err, `no app: write its command after --, as in: confit -- nginx -g 'daemon off;'`)
}

// TestCommandLineForms: how a flag and its value may stand, and where the app begins.
func TestCommandLineForms(t *testing.T) {
	file := write(t, "links", oneLink)
	for _, tt := range []struct {
		args, app []string
		probation string
		adopt     bool
	}{
		{args: []string{"--probation", "2s", "--", "app"}, app: []string{"app"}, probation: "2s"},
		{args: []string{"--probation=2s", "app", "--adopt"}, app: []string{"app", "--adopt"}, probation: "2s"},
		{args: []string{"--adopt", "--", "app", "--", "-x"}, app: []string{"app", "--", "-x"}, probation: "5s", adopt: true},
		{args: []string{"--adopt", "true"}, app: []string{"true"}, probation: "5s", adopt: true},
		{args: []string{"--adopt=false", "--", "--adopt"}, app: []string{"--adopt"}, probation: "5s"},
		{args: []string{"--adopt", "--probation", "1s", "--probation=3s", "--", "", "a b"}, app: []string{"", "a b"}, probation: "3s", adopt: true},
		{args: []string{"--validate", "--", "--", "app"}, app: []string{"app"}, probation: "5s"}, // a value is taken as it is
		{args: []string{"--", "--", "app"}, app: []string{"--", "app"}, probation: "5s"},
		{args: []string{"--", "status"}, app: []string{"status"}, probation: "5s"},
	} {
		c := mustParse(t, file, nil, tt.args...)
		if !slices.Equal(c.App, tt.app) || c.Probation.String() != tt.probation || c.Adopt != tt.adopt {
			t.Errorf("%q: app %q, probation %v, adopt %v", tt.args, c.App, c.Probation, c.Adopt)
		}
	}
}

// TestAllErrorsAtOnce: those of the command line, the environment, the links
// file and the links themselves come together.
func TestAllErrorsAtOnce(t *testing.T) {
	file := write(t, "links", "link web/a\nlink web/b etc/b\nrescan never\n")
	_, err := parse(t, file, []string{"CONFIT_STATE=", "CONFIT_REACAN=1s"}, "--settle=soon", "--log-level=loud")
	for _, want := range []string{
		`--settle: "soon" is not a time: write a number with a unit, such as 500ms, 10s, 2m or 24h`,
		`--log-level: "loud" is not known here: write one of debug, error, info, warn`,
		`CONFIT_STATE: an empty path: write a directory such as /run/confit`,
		`CONFIT_REACAN: no flag has this name: did you mean CONFIT_RESCAN?`,
		file + `:1: a link needs a source and a target: write link web/nginx.conf /etc/nginx/nginx.conf`,
		file + `:2: target "etc/b" is not absolute: write the path that the app opens, from / on`,
		file + `:3: rescan: "never" is not a time: write a number with a unit, such as 500ms, 10s, 2m or 24h`,
		`no app: write its command after --, as in: confit -- nginx -g 'daemon off;'`,
	} {
		wantError(t, err, want)
	}
	if n := len(flatten(err)); n != 8 {
		t.Errorf("%d errors: %v", n, err)
	}
}

// TestApp: everything after --, or from the first word on that is no flag, is the
// app's, byte for byte.
func TestApp(t *testing.T) {
	file := write(t, "links", oneLink)
	for _, tt := range []struct{ args, want []string }{
		{[]string{"--", "nginx"}, []string{"nginx"}},
		{[]string{"nginx", "-g", "x"}, []string{"nginx", "-g", "x"}},
		{[]string{"--", "nginx", "-g", "daemon off;"}, []string{"nginx", "-g", "daemon off;"}},
		{[]string{"--", "--", "x"}, []string{"--", "x"}},
		{[]string{"--", "-x", "--links", "--help"}, []string{"-x", "--links", "--help"}},
		{[]string{"--", "nginx", "--", "y"}, []string{"nginx", "--", "y"}},
		{[]string{"nginx", "--settle", "soon"}, []string{"nginx", "--settle", "soon"}},
		{[]string{"--settle", "1s", "nginx", "--settle=2s"}, []string{"nginx", "--settle=2s"}},
		{[]string{"--allow-disk", "nginx"}, []string{"nginx"}}, // a switch takes no word
		{[]string{"--", "sh", "-c", "a\nb", "", " ", "\xff", `\`, "'", "é"}, []string{"sh", "-c", "a\nb", "", " ", "\xff", `\`, "'", "é"}},
	} {
		if c := mustParse(t, file, nil, tt.args...); !slices.Equal(c.App, tt.want) {
			t.Errorf("%q: the app is %q, want %q", tt.args, c.App, tt.want)
		}
	}
}

// TestOneMistakeIsOneError: what isn't known after a mistake, as which file to read, is no mistake of its own.
func TestOneMistakeIsOneError(t *testing.T) {
	_, err := parse(t, "/missing/links", nil, "-v")
	wantOnly(t, err, "unknown shorthand flag: 'v' in -v (confit --help lists the flags; put quotes around a whole command, and none around a flag and its value)")
	_, err = parse(t, write(t, "links", oneLink), nil, "--status=yaml")
	wantOnly(t, err, `--status: "yaml" is no form of a status: write json or text`)
}

// TestAskedBy: where a variable asks for something else than the app, that can be said.
func TestAskedBy(t *testing.T) {
	file := write(t, "links", oneLink)
	for kv, want := range map[string]string{"CONFIT_CHECK=true": "CONFIT_CHECK", "CONFIT_STATUS=json": "CONFIT_STATUS", "CONFIT_CHECK=false": "", "CONFIT_SETTLE=1s": ""} {
		if c := mustParse(t, file, []string{kv}, "--", "app"); c.AskedBy != want {
			t.Errorf("%s: asked by %q", kv, c.AskedBy)
		}
	}
	if c := mustParse(t, file, []string{"CONFIT_CHECK=true"}, "--check", "--", "app"); c.AskedBy != "CONFIT_CHECK" {
		t.Errorf("asked by %q", c.AskedBy)
	}
	if c := mustParse(t, file, nil, "--check", "--", "app"); c.AskedBy != "" {
		t.Errorf("asked by %q", c.AskedBy)
	}
}

// TestEnvironmentErrors: a variable that means no flag is refused.
func TestEnvironmentErrors(t *testing.T) {
	file := write(t, "links", oneLink)
	for kv, want := range map[string]string{
		"CONFIT_STOP_SINGAL=QUIT": `CONFIT_STOP_SINGAL: no flag has this name: did you mean CONFIT_STOP_SIGNAL?`,
		"CONFIT_stop_signal=QUIT": `CONFIT_stop_signal: no flag has this name: did you mean CONFIT_STOP_SIGNAL?`,
		"CONFIT_STOP-SIGNAL=QUIT": `CONFIT_STOP-SIGNAL: no flag has this name: did you mean CONFIT_STOP_SIGNAL?`,
		"CONFIT_SETTLe=1s":        `CONFIT_SETTLe: no flag has this name: did you mean CONFIT_SETTLE?`,
		"CONFIT_NOTHING_LIKE_IT=": `CONFIT_NOTHING_LIKE_IT: no flag has this name: confit --help lists the flags`,
		"CONFIT_HELP=true":        `CONFIT_HELP: a variable can't say that: write --help on the command line`,
		"CONFIT_VERSION=true":     `CONFIT_VERSION: a variable can't say that: write --version on the command line`,
		"CONFIT_SETTLE=soon":      `CONFIT_SETTLE: "soon" is not a time: write a number with a unit, such as 500ms, 10s, 2m or 24h`,
		"CONFIT_ALLOW_DISK=":      `CONFIT_ALLOW_DISK: "" is neither on nor off: write true or false`,
	} {
		_, err := parse(t, file, []string{"PATH=/bin", kv}, "--", "app")
		wantOnly(t, err, want)
	}
}

// TestEnvironmentOfOthers: confit accepts the variables that Kubernetes sets for a
// Service named confit or confit-web, its own for hooks, and all that aren't about confit.
func TestEnvironmentOfOthers(t *testing.T) {
	mustParse(t, write(t, "links", oneLink), []string{
		"CONFIT_SERVICE_HOST=10.0.0.1", "CONFIT_SERVICE_PORT=80", "CONFIT_SERVICE_PORT_HTTP=80",
		"CONFIT_PORT=tcp://10.0.0.1:80", "CONFIT_PORT_80_TCP=tcp://10.0.0.1:80", "CONFIT_PORT_80_TCP_PROTO=tcp",
		"CONFIT_PORT_80_TCP_PORT=80", "CONFIT_PORT_80_TCP_ADDR=10.0.0.1",
		"CONFIT_WEB_SERVICE_HOST=10.0.0.2", "CONFIT_WEB_SERVICE_PORT=80", "CONFIT_WEB_PORT=tcp://10.0.0.2:80",
		"CONFIT_WEB_PORT_80_TCP_ADDR=10.0.0.2",
		"CONFIT_CANDIDATE=/run/confit/generations/7.tmp", "CONFIT_GENERATION=7", "CONFIT_CHANGED=web/a\nweb/b",
		"CONFIT_HASH=0123", "CONFIT_ACCEPTED=", "CONFIT_LOCAL=pod/name", "CONFIT_BOUND=60", "CONFIT_STARTING=1", "CONFIT_OUTCOME=accepted", "CONFIT_STEP=",
		"CONFIT_REASON=", "CONFIT_SOURCE=mounted",
		"CONFIT=1", "CONFITX_SETTLE=soon", "MY_CONFIT_SETTLE=soon", "confit_colour=red", "PATH=/bin", "no equals sign", "",
	}, "--", "app")
}

// TestPod: the kubelet names the API server to every container.
func TestPod(t *testing.T) {
	file := write(t, "links", oneLink)
	for variable, want := range map[string]bool{"KUBERNETES_SERVICE_HOST=10.96.0.1": true, "KUBERNETES_SERVICE_HOSTS=": false, "A=KUBERNETES_SERVICE_HOST=": false} {
		if c := mustParse(t, file, []string{variable}, "--", "app"); c.linker.Pod != want || c.Linker(nil, 0).Pod != want {
			t.Errorf("%s: a pod %v, want %v", variable, c.linker.Pod, want)
		}
	}
}
