package cli

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// run is one command line.
func run(t *testing.T, args ...string) (code int, out, errors string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Run("1.2.3", args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// hook sets what confit tells its hooks, and what the downward API gives.
func hook(t *testing.T, values ...string) {
	for name, value := range map[string]string{
		"CONFIT_HASH": "3fa1", "CONFIT_ACCEPTED": "77aa", "CONFIT_BOUND": "60", "CONFIT_OUTCOME": "accepted", "CONFIT_SOURCE": "mounted",
		"CONFITCTL_REVISION": "r1", "CONFITCTL_POD_UID": "u1", "CONFITCTL_LEASE": "web", "KUBERNETES_SERVICE_HOST": "",
	} {
		t.Setenv(name, value)
	}
	for i := 0; i < len(values); i += 2 {
		t.Setenv(values[i], values[i+1])
	}
}

// TestUsage: what is wrong with a command line is said in one line, with exit
// code 64.
func TestUsage(t *testing.T) {
	for _, tt := range []struct{ args, env, want string }{
		{"", "", ""},
		{"go", "", `"go" is no verb`},
		{"gate --colour", "", "unknown flag: --colour"},
		{"gate now", "", `"now" is one word too many: confitctl gate takes flags alone, remove it`},
		{"gate --status --pause", "", "--status and --pause are there: only one can be done"},
		{"gate --canaries 0", "", "--canaries is 0; write 1 or more"},
		{"gate --parallel 0", "", `--parallel "0" is no number or percentage from 1 to 100; write 10 or 25%`},
		{"gate --parallel 101%", "", "--parallel"},
		{"gate", "CONFITCTL_CANARIES=many", `CONFITCTL_CANARIES: "many" is no number: write one such as 1`},
		{"gate", "CONFITCTL_LEASE=", "--lease is missing: write --lease NAME"},
		{"gate --lease prod/web", "", `--lease: "prod/web" can't be an object's name: `},
		{"gate --lease .. --status", "", `--lease: ".." can't be an object's name: `},
		{"report --namespace a/b", "", `--namespace: "a/b" can't be an object's name: `},
		{"gate", "CONFITCTL_REVISION=", "pod-template-hash of a Deployment, controller-revision-hash of a StatefulSet or DaemonSet, rollouts-pod-template-hash of an Argo Rollout"},
		{"gate", "CONFITCTL_POD_UID=", "--pod-uid is required: set CONFITCTL_POD_UID by the downward API"},
		{"gate --failures 21", "", "--failures is 21; write a number up to 20"},
		{"gate --failures -1", "", "--failures is -1"},
		{"gate --revert now", "", `--revert is "now"; write at-once or steps`},
		{"gate --status -o yaml", "", `--output is "yaml"; write --status --output json`},
		{"gate --pause -o json", "", "write --status --output json"},
		{"gate --promote --abort", "", "--promote and --abort are there"},
		{"report", "CONFIT_BOUND=soon", `CONFIT_BOUND is "soon"`},
		{"gate", "CONFITCTL_POD_UID=" + strings.Repeat("x", 64), "may have 63 characters"},
		{"gate", "CONFIT_HASH=", `CONFIT_HASH is "", no hash`},
		{"gate", "CONFIT_HASH=../x", "no hash"},
		{"gate", "CONFIT_BOUND=soon", `CONFIT_BOUND is "soon"`},
		{"gate", "CONFIT_BOUND=-1", "CONFIT_BOUND"},
		{"gate", "CONFIT_BOUND=NaN", "CONFIT_BOUND"},
		{"gate", "CONFIT_BOUND=86401", "CONFIT_BOUND is 86401 seconds, and the fleet waits a day at most"},
		{"help", "", ""},
		{"help gate", "", ""},
		{"help go", "", `"go" is no verb`},
		{"help gate now", "", `"now" is one word too many`},
		{"completion", "", ""},
		{"completion tcsh", "", `"tcsh" is no shell that completion is made for`},
		{"report", "CONFIT_OUTCOME=", "CONFIT_OUTCOME isn't set"},
		{"report", "CONFIT_HASH=", ""},
		{"report", "CONFIT_OUTCOME=fine", `CONFIT_OUTCOME is "fine"`},
		{"report --snapshot web,tls --snapshot-secrets tls", "", `--snapshot and --snapshot-secrets both name volume "tls": choose one`},
		{"report --snapshot My_Web", "", `volume "My_Web": "web-accepted-My_Web" can't be an object's name: `},
		{"render", "", "no template is named"},
		{"render --mode 9 x", "", `--mode is "9"`},
		{"post", "", "write one URL"},
		{"post localhost", "", "write http://HOST… or https://HOST…"},
		{"post --expect fine http://localhost", "", `--expect "fine" is no HTTP status`},
		{"post --header x http://localhost", "", "--header: a line has no colon"},
		{"post --header a/b:hidden http://localhost", "", "--header: a name has other characters than letters, digits and dashes"},
		{"post http://localhost", "CONFITCTL_HEADER=a: hid\nden", "--header: the value of a has line ends or control characters"},
		{"export now", "", "takes flags alone"},
	} {
		t.Run(tt.args+tt.env, func(t *testing.T) {
			name, value, _ := strings.Cut(tt.env, "=")
			hook(t)
			if name != "" {
				t.Setenv(name, value)
			}
			code, _, stderr := run(t, strings.Fields(tt.args)...)
			switch {
			case tt.want == "" && (code != 0 || stderr != ""):
				t.Errorf("exit %d, %s", code, stderr)
			case tt.want != "" && (code != 64 || !strings.Contains(stderr, tt.want) || strings.Count(stderr, "\n") != 1):
				t.Errorf("exit %d, %s; want 64, %s", code, stderr, tt.want)
			}
		})
	}
}

// TestHelp: each verb says what it does, the examples last.
func TestHelp(t *testing.T) {
	for _, verb := range []string{"", "gate", "report", "render", "post", "export"} {
		code, out, stderr := run(t, append(strings.Fields(verb), "--help")...)
		usage, examples := strings.Index(out, "\nUsage\n"), strings.Index(out, "\nExamples\n")
		if code != 0 || stderr != "" || usage < 100 || examples < usage || strings.Contains(out[examples+1:], "\nFlags\n") {
			t.Errorf("%s: exit %d, %s\n%s", verb, code, stderr, out)
		}
		for line := range strings.Lines(out) {
			if !strings.Contains(line, "--") && len([]rune(line)) > 82 {
				t.Errorf("%s: too long for a terminal: %s", verb, line)
			}
		}
	}
	if code, out, _ := run(t, "--version"); code != 0 || !strings.Contains(out, "1.2.3") {
		t.Errorf("exit %d, %s", code, out)
	}
	if code, out, _ := run(t, "completion", "bash"); code != 0 || !strings.Contains(out, "bash completion") {
		t.Errorf("exit %d", code)
	}
}

// TestRender: as a hook, with the directories that confit names.
func TestRender(t *testing.T) {
	candidate, rendered := t.TempDir(), t.TempDir()
	template := filepath.Join(candidate, "motd.tmpl")
	for name, text := range map[string]string{"motd.tmpl": `{{file "name"}} {{env "CONFIT_HASH"}}`, "name": "web", "bad.tmpl": `{{.x}}`} {
		if err := os.WriteFile(filepath.Join(candidate, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	hook(t, "CONFIT_CANDIDATE", candidate, "CONFIT_RENDERED", rendered)
	if code, out, stderr := run(t, "render", template); code != 0 || out+stderr != "" {
		t.Errorf("exit %d, %s%s", code, out, stderr)
	}
	if data, err := os.ReadFile(filepath.Join(rendered, "motd")); string(data) != "web 3fa1" {
		t.Errorf("got %q, %v", data, err)
	}
	if code, _, stderr := run(t, "render", filepath.Join(candidate, "bad.tmpl")); code != 1 || !strings.Contains(stderr, `no entry for key "x"`) {
		t.Errorf("exit %d, %s", code, stderr)
	}
	t.Setenv("CONFIT_RENDERED", "")
	if code, out, stderr := run(t, "render", template); code != 0 || out != "web 3fa1" {
		t.Errorf("exit %d, %s%s", code, out, stderr)
	}
	if code, _, _ := run(t, "render", template, filepath.Join(candidate, "name")); code != 64 {
		t.Errorf("exit %d", code)
	}
}

func TestPost(t *testing.T) {
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = r.Header.Get("X-Who") + " " + string(body)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "body")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := run(t, "post", "--header", "X-Who: me", "--data", "@"+file, server.URL); code != 0 || got != "me text" {
		t.Errorf("exit %d, %s, got %q", code, stderr, got)
	}
	if code, _, stderr := run(t, "post", "--expect", "204", server.URL); code != 1 || !strings.Contains(stderr, "204 is expected") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// TestInstall: into a directory, or to a file.
func TestInstall(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct{ to, file string }{{dir, "confitctl"}, {filepath.Join(dir, "ctl"), "ctl"}} {
		if code, _, stderr := run(t, "--install", tt.to); code != 0 {
			t.Errorf("exit %d, %s", code, stderr)
		}
		if info, err := os.Stat(filepath.Join(dir, tt.file)); err != nil || info.Mode() != 0o755 {
			t.Errorf("%v, %v", info, err)
		}
	}
	if code, _, _ := run(t, "--install", filepath.Join(dir, "none", "x")); code != 1 {
		t.Errorf("exit %d", code)
	}
}

// TestNoCluster: outside of a pod, with no kubeconfig.
func TestNoCluster(t *testing.T) {
	hook(t, "KUBECONFIG", "/nonexistent", "HOME", "/nonexistent")
	if code, _, stderr := run(t, "gate"); code != 1 || !strings.Contains(stderr, "--kubeconfig") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	t.Setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
	t.Setenv("KUBERNETES_SERVICE_PORT", "443")
	if code, _, stderr := run(t, "report"); code != 1 || !strings.Contains(stderr, "cannot use the pod's service account") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
