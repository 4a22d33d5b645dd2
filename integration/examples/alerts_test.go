//go:build check

package examples

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
	"confit/integration/volume"
)

// TestMonitoring_rules holds what promtool says of the rules and their unit tests, and that each alert has a test in which it fires and
// one in which it doesn't.
func TestMonitoring_rules(t *testing.T) {
	top, err := harness.Root()
	must(t, err)
	for _, args := range [][]string{{"check", "rules", "rules.yml"}, {"test", "rules", "rules_test.yml"}} {
		cmd := exec.Command("promtool", args...)
		cmd.Dir = filepath.Join(top, monitoring)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	tests := readExample(t, "rules_test.yml")
	for _, alert := range alerts(t) {
		if !strings.Contains(tests, "- {alertname: "+alert+", eval_time: 2h, exp_alerts: []}") {
			t.Errorf("rules_test.yml doesn't say that %s is silent when all is well", alert)
		}
		if !regexp.MustCompile(`- alertname: ` + alert + `\n +eval_time: \w+\n +exp_alerts:\n +- exp_labels`).MatchString(tests) {
			t.Errorf("rules_test.yml doesn't say when %s fires", alert)
		}
	}
}

// alerts are those of the rules.
func alerts(t *testing.T) (names []string) {
	for _, match := range regexp.MustCompile(`(?m)^ +- alert: (\w+)$`).FindAllStringSubmatch(readExample(t, "rules.yml"), -1) {
		names = append(names, match[1])
	}
	if len(names) == 0 {
		t.Fatal("rules.yml has no alert")
	}
	return names
}

// unprovoked are alerts that only promtool tests: a bug of confit's.
var unprovoked = []string{"ConfitDegraded"}

// TestMonitoring: a real Prometheus scrapes real exporters beside real confits, to which all happens that the rules are about. Each alert
// fires, and each query of the dashboard has an answer.
func TestMonitoring(t *testing.T) {
	t.Parallel()
	m := newMonitor(t)
	t.Run("pods", func(t *testing.T) {
		for name, live := range lives {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				live(t, m)
			})
		}
	})
	for _, alert := range alerts(t) {
		found, err := m.ask(fmt.Sprintf(`max_over_time(ALERTS{alertname=%q, alertstate="firing"}[1h])`, alert), 0)
		if fired := len(found) > 0; err != nil || fired == slices.Contains(unprovoked, alert) {
			t.Errorf("%s fired: %v (%v)", alert, fired, err)
		}
	}
	if found, err := m.ask(`max_over_time(up{pod=""}[1h])`, 0); err != nil || len(found) > 0 {
		t.Errorf("scraped, though nobody asked for that: %v (%v)", found, err)
	}
	m.checkDashboard(t)
}

// lives are what happens to pods, by their name.
var lives = map[string]func(*testing.T, *monitor){
	"web":    web,
	"held-1": edited([]string{"ConfitGateWaits", "ConfitReportUndelivered"}, "gate sleep 1000", "report false"),
	"slow-1": edited([]string{"ConfitChangeHangs"}, "validate sh -c '! grep second {candidate}/app/text || sleep 1000'", "hook-timeout 1h"),
	"deaf-1": edited([]string{"ConfitReloadUnread"}),
	"works-1": func(t *testing.T, m *monitor) {
		c := newPod(t, "link app/text /etc/app/text\n", map[string]volume.Payload{"app": volume.Strings("text", first+"\n")},
			"sh", "-c", "sleep 1000; exec sleep 1000")
		c.mountVolumes()
		c.start()
		c.logs(1, `msg="app started"`)
		m.sidecar(t, "works-1", filepath.Join(c.root, "run/confit"))
		m.fires(t, "ConfitEntrypointWorks", `pod="works-1"`)
	},
	"keeps-1": func(t *testing.T, m *monitor) {
		c := m.quiet(t, withLines("validate sh -c '! grep second {candidate}/app/text'"))
		c.edit("text", first, second)
		c.logs(1, `msg="candidate rejected"`)
		c.edit("certificate", first, second)
		m.fires(t, "ConfitHeldUp", `pod="keeps-1"`)
	},
	"polled-1": func(t *testing.T, m *monitor) {
		m.quiet(t, func(c *container) { c.refused = harness.Refuse(unix.EMFILE, unix.SYS_INOTIFY_INIT1) })
		m.fires(t, "ConfitVolumePolled", `pod="polled-1"`)
	},
	"full-1": func(t *testing.T, m *monitor) {
		c := m.quiet(t, func(c *container) { c.mount("tmpfs", "run/confit", "tmpfs", 0, "size=128k") })
		c.edit("text", first, strings.Repeat(".", 150<<10))
		m.fires(t, "ConfitTrouble", `pod="full-1"`)
	},
	"mute-1": func(t *testing.T, m *monitor) {
		c := m.quiet(t)
		c.Silence(selfPath, filepath.Join(c.root, "confit/app"))
		m.fires(t, "ConfitVolumeStalled", `pod="mute-1"`)
	},
	"lost-1": func(t *testing.T, m *monitor) {
		m.sidecar(t, "lost-1", t.TempDir())
		m.fires(t, "ConfitStatusUnreadable", `pod="lost-1"`)
	},
}

// edited is a quiet pod whose one edit has these fire.
func edited(alerts []string, lines ...string) func(*testing.T, *monitor) {
	return func(t *testing.T, m *monitor) {
		c := m.quiet(t, withLines(lines...))
		c.edit("text", first, second)
		for _, alert := range alerts {
			m.fires(t, alert, fmt.Sprintf("pod=%q", filepath.Base(t.Name())))
		}
	}
}

// withLines adds lines to the links file.
func withLines(lines ...string) func(*container) {
	return func(c *container) {
		file := "/etc/confit/links"
		c.write(file, readFile(c.t, filepath.Join(c.root, file))+strings.Join(lines, "\n")+"\n")
	}
}

// quiet starts a pod whose app takes HUP and reads nothing, with an exporter that Prometheus has scraped.
func (m *monitor) quiet(t *testing.T, prepare ...func(*container)) *container {
	t.Helper()
	keys := volume.Strings("text", first+"\n", "certificate", first+"\n")
	c := newPod(t, "link app/ /etc/app/\nprobation 1s\n"+forLife, map[string]volume.Payload{"app": keys},
		"sh", "-c", `trap : HUP; trap "exit 0" TERM; while :; do sleep 0.2; done`)
	c.mountVolumes()
	for _, f := range prepare {
		f(c)
	}
	c.start()
	c.logs(1, `msg="generation accepted"`)
	pod := filepath.Base(t.Name())
	m.sidecar(t, pod, filepath.Join(c.root, "run/confit"))
	m.has(t, true, fmt.Sprintf("confit_config_accepted_info{pod=%q}", pod))
	return c
}

// fires waits for an alert.
func (m *monitor) fires(t *testing.T, alert, labels string) {
	t.Helper()
	m.has(t, true, fmt.Sprintf(`ALERTS{alertname=%q, alertstate="firing", %s}`, alert, labels))
}

// falls waits until an alert is over.
func (m *monitor) falls(t *testing.T, alert, labels string) {
	t.Helper()
	m.has(t, false, fmt.Sprintf(`ALERTS{alertname=%q, alertstate="firing", %s}`, alert, labels))
}

// web is the life of two Apaches: a good edit, which comes to one of them later; a bad edit, which is fixed; one that only Apache
// finds bad, and dies of; an edit of the links file; a stop; and the end of the exporter.
func web(t *testing.T, m *monitor) {
	const pod, app = `pod="web-1"`, `app="web"`
	apache := exampleNamed(t, "apache")
	c, other := apache.start(t), apache.start(t)
	exporter := m.sidecar(t, "web-1", filepath.Join(c.root, "run/confit"))
	m.sidecar(t, "web-2", filepath.Join(other.root, "run/confit"))
	m.has(t, true, `count(confit_config_accepted_info{app="web"}) == 2`)
	m.checkExporter(t, exporter.address)

	c.edit(apache.key, first, second)
	m.fires(t, "ConfitReplicasDiffer", app)
	other.edit(apache.key, first, second)
	// Both were scraped since: a scrape that is late on a busy machine ends the alert, too, for a moment.
	m.has(t, true, `count(confit_config_accepted_info{app="web"}) == 2 and count(count by (hash) (confit_config_accepted_info{app="web"})) == 1`)
	m.falls(t, "ConfitReplicasDiffer", app)
	m.calm(t, app)

	revert := c.edit(apache.key, apache.before, apache.after)
	m.fires(t, "ConfitChangeRejected", pod+`, step="validate"`)
	revert()
	m.falls(t, "ConfitChangeRejected", pod)
	m.calm(t, app)

	revert = c.edit(apache.key, "Listen 8080", "Listen 8080\nListen 192.0.2.1:8081") // an address of nobody's: apache2 -t doesn't try it
	m.fires(t, "ConfitRolledBack", pod)
	m.fires(t, "ConfitChangeRejected", pod)
	revert()
	c.serves(apache, second)

	const links = "/etc/confit/links"
	c.write(links, readFile(t, filepath.Join(c.root, links))+"# edited\n")
	m.fires(t, "ConfitLinksChanged", pod)
	c.Signal(c.stopSignal)
	c.Ends(0)
	m.fires(t, "ConfitStopped", pod)
	exporter.Signal(unix.SIGTERM)
	exporter.Ends(0)
	m.fires(t, "ConfitExporterDown", pod)
}

// calm holds that no alert fires for as long as each would need. A scrape may be late on a busy machine.
func (m *monitor) calm(t *testing.T, labels string) {
	t.Helper()
	query := fmt.Sprintf(`ALERTS{alertstate="firing", alertname!="ConfitExporterDown", %s}`, labels)
	m.has(t, false, query)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	harness.PollEvery(ctx, 200*time.Millisecond, func() bool {
		if found, err := m.ask(query, 0); err != nil || len(found) > 0 {
			t.Fatalf("alerts while all is well: %v (%v)", found, err)
		}
		return false
	})
}

// checkExporter holds that the metrics are as Prometheus wants them, and that the probe of the manifest finds the exporter well.
func (m *monitor) checkExporter(t *testing.T, address string) {
	t.Helper()
	metrics, err := get("http://" + address + "/metrics")(m.container)
	must(t, err)
	cmd := exec.Command("promtool", "check", "metrics")
	cmd.Stdin = strings.NewReader(metrics)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool says %s (%v) of\n%s", out, err, metrics)
	}
	probe := regexp.MustCompile(`httpGet: \{path: (\S+),`).FindStringSubmatch(readExample(t, "sidecar.yaml"))[1]
	if answer, err := get("http://" + address + probe)(m.container); err != nil || answer != "ok\n" {
		t.Errorf("the probe is answered with %q (%v)", answer, err)
	}
}
