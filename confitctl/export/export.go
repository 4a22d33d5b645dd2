// Package export turns confit's status.json into metrics for Prometheus.
//
// It guarantees that each scrape shows the status as it is then, and that a
// status which can't be read, or be made metrics of, is one, too:
// confit_status_readable. Names follow those of Prometheus for its own configuration; no metric has a value
// of a key, or what a hook printed.
package export

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"

	"confit/linker"
	"confit/status"
)

// Collector reads the status of a state directory at each scrape.
type Collector struct {
	State string           // directory
	Now   func() time.Time // for ages
}

// Handler serves /metrics, and /healthz, which tells only that the exporter is
// well: whoever restarted it for confit's sake would gain nothing.
func Handler(c Collector) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(either{registered(c), registered(unreadable{})}, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("ok\n"))
	})
	return mux
}

func registered(c prometheus.Collector) prometheus.Gatherer {
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(c)
	return registry
}

// either gathers what the second has when the first fails: one volume that is
// there twice would take all metrics away.
type either struct{ first, second prometheus.Gatherer }

// Gather implements [prometheus.Gatherer].
func (e either) Gather() ([]*dto.MetricFamily, error) {
	families, err := e.first.Gather()
	if err != nil {
		return e.second.Gather()
	}
	return families, nil
}

// unreadable collects what there is when there is no status.
type unreadable struct{}

// Describe sends the one metric.
func (unreadable) Describe(to chan<- *prometheus.Desc) { to <- readable }

// Collect says that it can't be read.
func (unreadable) Collect(to chan<- prometheus.Metric) {
	to <- prometheus.MustNewConstMetric(readable, prometheus.GaugeValue, 0)
}

// Describe sends every metric there may be.
func (Collector) Describe(to chan<- *prometheus.Desc) {
	to <- readable
	for _, m := range metrics {
		to <- m.desc
	}
}

// Collect sends those that the status has.
func (c Collector) Collect(to chan<- prometheus.Metric) {
	s, err := read(c.State)
	if err != nil {
		unreadable{}.Collect(to)
		return
	}
	to <- prometheus.MustNewConstMetric(readable, prometheus.GaugeValue, 1)
	for _, m := range metrics {
		m.send(to, reading{&s, c.Now()})
	}
}

func read(dir string) (status.Status, error) {
	data, err := linker.ReadStatus(dir)
	if err != nil {
		return status.Status{}, err
	}
	return status.Decode(data)
}
