//go:build check

package examples

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// monitoring is the directory of the example, below the top.
const monitoring = "examples/monitoring"

// monitor is a Prometheus with the example's rules and scrape configuration. It evaluates each second, and waits a second where a
// rule waits for minutes or an hour.
type monitor struct {
	*container
	mu      sync.Mutex
	targets []target
}

// target is what Kubernetes would tell Prometheus about a port of a container.
type target struct {
	Targets []string          `json:"targets"`
	Labels  map[string]string `json:"labels"`
}

func newMonitor(t *testing.T) *monitor {
	t.Helper()
	confitctl(t) // built now, as from its first sidecar on Prometheus waits for an answer
	m := &monitor{container: emptyContainer(t)}
	m.mountImage()
	m.write("/etc/prometheus/rules.yml", hasten(readExample(t, "rules.yml")))
	m.write("/etc/prometheus/prometheus.yml", configuration(t))
	m.publish()
	m.Run = m.command(0, nil, "/usr/bin/prometheus", "--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/tmp/prometheus",
		"--web.listen-address=127.0.0.1:9090")
	m.Eventually("an answer of Prometheus", func() bool {
		_, err := get("http://127.0.0.1:9090/-/ready")(m.container)
		return err == nil
	})
	return m
}

func readExample(t *testing.T, name string) string {
	t.Helper()
	top, err := harness.Root()
	must(t, err)
	text, err := os.ReadFile(filepath.Join(top, monitoring, name))
	must(t, err)
	return string(text)
}

// configuration is the example's, with a file in the place of the Kubernetes API: Debian's Prometheus is built without that.
func configuration(t *testing.T) string {
	const api, file = "kubernetes_sd_configs: [{role: pod}]", "file_sd_configs: [{files: [targets.json], refresh_interval: 1s}]"
	scrape := readExample(t, "scrape.yml")
	if !strings.Contains(scrape, api) {
		t.Fatalf("scrape.yml has no %q", api)
	}
	return "global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [rules.yml]\n" + strings.Replace(scrape, api, file, 1)
}

// hasten shortens what rules wait for: the ages that they compare with, too.
func hasten(rules string) string {
	rules = regexp.MustCompile(`for: \d+[mh]\n`).ReplaceAllString(rules, "for: 1s\n")
	return regexp.MustCompile(`_seconds > \d+\d+`).ReplaceAllString(rules, "_seconds > 3")
}

// strangers are targets that aren't to be scraped: one that has nothing to do with confit, and a pod that was evicted, whose address
// may be another's by now.
var strangers = []target{
	{[]string{"127.0.0.1:9090"}, map[string]string{"__meta_kubernetes_pod_container_port_name": "http"}},
	{[]string{"127.0.0.1:9091"}, map[string]string{
		"__meta_kubernetes_pod_container_port_name": "confit-metrics", "__meta_kubernetes_pod_phase": "Failed",
	}},
}

// publish tells Prometheus the targets.
func (m *monitor) publish() {
	m.t.Helper()
	text, err := json.Marshal(append(slices.Clone(strangers), m.targets...))
	must(m.t, err)
	file := filepath.Join(m.root, "etc/prometheus/targets.json")
	must(m.t, os.WriteFile(file+".new", text, 0o644))
	must(m.t, os.Rename(file+".new", file))
}

// exporter is a sidecar, as the manifest has it: another user, and the state directory mounted read-only.
type exporter struct {
	*container
	address string
}

func (m *monitor) sidecar(t *testing.T, pod, state string) exporter {
	t.Helper()
	e := exporter{emptyContainer(t), m.add(pod)}
	e.write("/confitctl", readFile(t, confitctl(t)))
	must(t, os.Mkdir(filepath.Join(e.root, "proc"), 0o755))
	e.mount(state, "confit-state", "", unix.MS_BIND, "")
	must(t, unix.Mount("", filepath.Join(e.root, "confit-state"), "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	e.netOf = m.PID
	e.Run = e.command(65534, nil, append(append([]string{"/confitctl"}, sidecarArgs(t)...), "--listen", e.address)...)
	return e
}

// sidecarArgs are those of the manifest.
func sidecarArgs(t *testing.T) []string {
	t.Helper()
	match := regexp.MustCompile(`args: \[(.*)\]`).FindStringSubmatch(readExample(t, "sidecar.yaml"))
	if match == nil {
		t.Fatal("sidecar.yaml has no args")
	}
	return strings.Split(match[1], ", ")
}

// add has Prometheus scrape one more pod, at an address that is returned.
func (m *monitor) add(pod string) (address string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	address = fmt.Sprintf("127.0.0.%d:9533", len(m.targets)+2)
	app, _, _ := strings.Cut(pod, "-")
	m.targets = append(m.targets, target{[]string{address}, map[string]string{
		"__meta_kubernetes_namespace": "shop", "__meta_kubernetes_pod_name": pod, "__meta_kubernetes_pod_label_app": app,
		"__meta_kubernetes_pod_container_port_name": "confit-metrics", "__meta_kubernetes_pod_phase": "Running",
	}})
	m.publish()
	return address
}

// series is one of an answer, with its last value.
type series struct {
	Metric map[string]string
	Value  [2]any
	Values [][2]any
}

// ask puts a query to Prometheus, as it is now or as it was in the last minutes.
func (m *monitor) ask(query string, over time.Duration) ([]series, error) {
	form := url.Values{"query": {query}}
	page := "query"
	if now := time.Now(); over > 0 {
		page = "query_range"
		form.Set("start", fmt.Sprint(now.Add(-over).Unix()))
		form.Set("end", fmt.Sprint(now.Unix()))
		form.Set("step", "1s")
	}
	text, err := get("http://127.0.0.1:9090/api/v1/" + page + "?" + form.Encode())(m.container)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Status, Error string
		Data          struct{ Result []series }
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil || answer.Status != "success" {
		return nil, fmt.Errorf("cannot answer %q: %s (%v)", query, answer.Error, err)
	}
	return answer.Data.Result, nil
}

// has waits until a query has an answer, or has none any more. Nothing changes between two scrapes, so it seldom asks.
func (m *monitor) has(t *testing.T, want bool, query string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), harness.Patience)
	defer cancel()
	var found []series
	var err error
	if !harness.PollEvery(ctx, 200*time.Millisecond, func() bool {
		found, err = m.ask(query, 0)
		return err == nil && len(found) > 0 == want
	}) {
		t.Fatalf("answers to %s: want %v, got %v (%v)", query, want, found, err)
	}
}
