//go:build check

package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
	"confit/integration/volume"
)

// recipes are the blocks of docs/recipes.md.
var recipes = map[string]runner{
	"envsubst 1":                          envsubst,
	"envsubst 2":                          copyWithMode,
	"A TLS certificate that is rotated 1": rotate,
	"A TLS certificate that is rotated 2": manifestOf("recipes.md"),
	"A check of several files 1":          rulesBeside,
	"A check of several files 2":          certificateBeside,
	"Reload by HTTP 1":                    reloadByHTTP("validate"),
	"Reload by HTTP 2": func(t *testing.T, block string) {
		reloadByHTTP("reload")(t, block+"link web/prometheus.yml /etc/prometheus/prometheus.yml\n")
	},
	"Environment from a ConfigMap 1":     environment,
	"Try an edit before it is applied 1": makeConfigMap,
	"Try an edit before it is applied 2": checkInCI,
	"Try an edit before it is applied 3": tryInCI,
	"Try an edit before it is applied 4": tryInPod,
	"Several containers 1":               nginxBesidePHP,
	"Several containers 2":               phpBesideNginx,
}

// runNginx is the app of most recipes.
var runNginx = []string{"nginx", "-g", "daemon off;"}

const template = `server { listen ${PORT}; location / { return 200 "first edition of $host, ${BACKEND}\n"; } }` + "\n"

// envsubst fills in a variable of the pod's and one of a key, and leaves nginx's alone.
func envsubst(t *testing.T, block string) {
	c := pod{
		configMaps: map[string]volume.Payload{
			"web": volume.Strings("default.conf.template", template), "app": volume.Strings("BACKEND", "10.0.0.1:80"),
		},
		app: runNginx, env: []string{"PORT=8080"},
	}.start(t, block)
	ask := get("http://127.0.0.1:8080/")
	c.answers(ask, "first edition of 127.0.0.1, 10.0.0.1:80")
	c.takes("default.conf.template", ask)
	c.logs(1, reloaded)
	c.refuses("default.conf.template", "listen", "listne", "validate", ask)
	c.edit("BACKEND", "10.0.0.1:80", "10.0.0.2:80")
	c.answers(ask, "10.0.0.2:80")
	c.logs(1, restarting)
}

// copyWithMode gives ssh-keygen a key that it would refuse with the volume's mode.
func copyWithMode(t *testing.T, block string) {
	dir := t.TempDir()
	file := filepath.Join(dir, "key")
	out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", first, "-f", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c := pod{
		configMaps: map[string]volume.Payload{"tls": volume.Strings("ssh_host_ed25519_key", readFile(t, file))},
		app:        []string{"sleep", "infinity"},
	}.start(t, block)
	c.answers(execute("ssh-keygen", "-y", "-f", "/etc/ssh/ssh_host_ed25519_key"), "ssh-ed25519")
	c.answers(execute("stat", "-L", "-c", "%a", "/etc/ssh/ssh_host_ed25519_key"), "400")
}

// rotate changes certificate and key, and mounts two that don't fit each other.
func rotate(t *testing.T, block string) {
	before, after := newPair(t, first), newPair(t, second)
	c := pod{
		configMaps: map[string]volume.Payload{
			"web": volume.Strings("default.conf", "server { listen 443 ssl; ssl_certificate tls/tls.crt; ssl_certificate_key tls/tls.key; }\n"), "tls": before,
		},
		app: runNginx, secrets: []string{"tls"},
	}.start(t, block)
	c.rotates(before, after)
	c.logs(2, `msg="generation accepted"`, "proof=verify")
}

// rotates serves a new pair, and refuses one that doesn't fit.
func (c *container) rotates(before, after volume.Payload) {
	c.t.Helper()
	c.answers(subject, first)
	c.replace("tls", after)
	c.answers(subject, second)
	c.logs(2, `msg="generation accepted"`)
	c.replace("tls", volume.Payload{"tls.crt": before["tls.crt"], "tls.key": after["tls.key"]})
	c.logs(1, `msg="candidate rejected"`, "step=validate")
	c.answers(subject, second)
}

// rulesBeside has rules in a volume of their own, which the configuration names by an absolute path.
func rulesBeside(t *testing.T, block string) {
	c := pod{
		configMaps: map[string]volume.Payload{
			"web":   volume.Strings("prometheus.yml", "rule_files: [/etc/prometheus/rules/*.yml]\n"),
			"rules": volume.Strings("self.yml", "groups: [{name: self, rules: [{alert: Down, expr: up == 0, annotations: {summary: "+first+"}}]}]\n"),
		},
		app: []string{"prometheus", "--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/tmp/prometheus", "--web.listen-address=127.0.0.1:9090"},
	}.start(t, block)
	ask := get("http://127.0.0.1:9090/api/v1/rules")
	c.takes("self.yml", ask)
	c.refuses("self.yml", "up == 0", "up ==", "validate", ask)
}

// certificateBeside has haproxy serve a Secret, which its configuration names by a relative path.
func certificateBeside(t *testing.T, block string) {
	before, after := newPair(t, first), newPair(t, second)
	const cfg = `global
    default-path config
    ssl-load-extra-del-ext
defaults
    mode http
    timeout connect 5s
    timeout client 5s
    timeout server 5s
frontend web
    bind :443 ssl crt ../tls/tls.crt
    http-request return status 200
`
	pod{
		configMaps: map[string]volume.Payload{"web": volume.Strings("haproxy.cfg", cfg), "tls": before},
		app:        []string{"haproxy", "-W", "-db", "-f", "/etc/haproxy/haproxy.cfg"}, secrets: []string{"tls"},
	}.start(t, block).rotates(before, after)
}

// replace is kubectl replace.
func (c *container) replace(configMap string, payload volume.Payload) {
	c.t.Helper()
	c.configMaps[configMap] = payload
	c.swap(configMap)
}

// reloadByHTTP makes a bad edit, too, which is found at this step.
func reloadByHTTP(step string) runner {
	return func(t *testing.T, block string) {
		c := pod{
			configMaps: map[string]volume.Payload{"web": volume.Strings("prometheus.yml", "global: {external_labels: {edition: \""+first+"\"}}\n")},
			app: []string{"prometheus", "--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/tmp/prometheus",
				"--web.enable-lifecycle", "--web.listen-address=127.0.0.1:9090"},
			base: func(c *container) { c.write("/usr/local/bin/confitctl", readFile(t, confitctl(t))) },
		}.start(t, block)
		ask := get("http://127.0.0.1:9090/api/v1/status/config")
		c.takes("prometheus.yml", ask)
		c.logs(1, reloaded)
		c.refuses("prometheus.yml", "external_labels", "no_such_labels", step, ask)
	}
}

// renderedByConfitctl has a template with a key of a Secret.
func renderedByConfitctl(t *testing.T, block string) {
	const template = `daemon off; pid /tmp/nginx.pid; error_log stderr; events {} http { server { listen 8080; return 200 "first edition, {{file "tls/password"}}\n"; } }`
	c := pod{
		configMaps: map[string]volume.Payload{"web": volume.Strings("nginx.conf.tmpl", template), "tls": volume.Strings("password", "secret")},
		app:        []string{"nginx"}, secrets: []string{"tls"},
		base: func(c *container) { c.write("/usr/local/bin/confitctl", readFile(t, confitctl(t))) },
	}.start(t, block)
	ask := get("http://127.0.0.1:8080/")
	c.answers(ask, "first edition, secret")
	c.takes("nginx.conf.tmpl", ask)
	c.refuses("nginx.conf.tmpl", "tls/password", "tls/passwort", "render", ask)
}

func environment(t *testing.T, block string) {
	c := pod{
		configMaps: map[string]volume.Payload{"app": volume.Strings("LOG_LEVEL", first, "REGION", "north")},
		app:        []string{"sh", "-c", `echo "level: $LOG_LEVEL, region: $REGION"; test "$REGION" != none && exec sleep infinity`},
	}.start(t, block)
	ask := lastLine("level")
	c.takes("LOG_LEVEL", ask)
	c.logs(1, restarting)
	revert := c.edit("REGION", "north", "none")
	c.logs(1, `msg="rolled back"`)
	c.answers(ask, second+", region: north")
	revert()
}

// checkInCI runs the image that the command names, with what it mounts: good files end with 0, bad ones with 78.
func checkInCI(t *testing.T, block string) {
	for conf, code := range map[string]int{"server { listen 8080; }\n": 0, "server { listne 8080; }\n": 78} {
		c := newPod(t, "link web/default.conf /etc/nginx/conf.d/default.conf\nvalidate nginx -t\n", nil)
		c.write("/ci/cm/default.conf", conf)
		words := wordsOf(t, filepath.Join(c.root, "ci"), "docker", block)
		if len(words) != 6 || !slices.Equal(words[:3], []string{"run", "--rm", "-v"}) {
			t.Fatalf("this test doesn't know docker %q", words)
		}
		mount := strings.Split(words[3], ":") // where from, where to, read-only; then the image, and the app
		c.entrypoint = append(c.entrypoint, words[5:]...)
		c.mount(mount[0], mount[1], "", unix.MS_BIND, "")
		c.start()
		c.Ends(code)
	}
}

// wordsOf are those that a shell gives to a program in a block.
func wordsOf(t *testing.T, dir, program, block string) []string {
	t.Helper()
	cmd := exec.Command("sh", "-euc", program+"() { printf '%s\\n' \"$@\"; }\n"+block)
	cmd.Dir = dir
	out, err := cmd.Output()
	must(t, err)
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

func makeConfigMap(t *testing.T, block string) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "cm"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "cm/default.conf"), []byte(first+"\n"), 0o644))
	cmd := exec.Command("sh", "-euc", block)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "default.conf: |\n    "+first) || !strings.Contains(string(out), "kind: ConfigMap\n") {
		t.Errorf("kubectl says %s (%v)", out, err)
	}
}

// shop is the ConfigMap that two containers share.
func shop() map[string]volume.Payload {
	return map[string]volume.Payload{"web": volume.Strings(
		"default.conf", "server { listen 8080; location / { return 200 \""+first+"\\n\"; } }\n",
		"php-fpm.conf", "[global]\nerror_log = /dev/stderr\n[www]\nuser = www-data\nlisten = 127.0.0.1:9000\npm = static\npm.max_children = 1\n; "+first+"\n")}
}

func nginxBesidePHP(t *testing.T, block string) {
	c := pod{configMaps: shop(), app: runNginx}.start(t, block)
	c.takes("default.conf", get("http://127.0.0.1:8080/"))
	c.logs(1, reloaded)
}

func phpBesideNginx(t *testing.T, block string) {
	fpm, err := filepath.Glob("/usr/sbin/php-fpm*")
	if err != nil || len(fpm) == 0 {
		t.Fatalf("install Debian's package php-fpm: %v", err)
	}
	c := pod{configMaps: shop(), app: []string{fpm[0], "-F", "-y", "/usr/local/etc/php-fpm.conf"}}.start(t, block)
	c.edit("php-fpm.conf", first, second)
	c.logs(1, reloaded, "signal=USR2")
	c.logs(2, `msg="generation accepted"`)
	revert := c.edit("php-fpm.conf", "static", "no such way")
	c.logs(1, `msg="rolled back"`)
	revert()
	harness.Eventually(t, "php-fpm's answer", func() bool {
		conn, err := c.Dial(t.Context(), "tcp", "127.0.0.1:9000")
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
}
