// Package export turns confit's status.json into metrics for Prometheus.
//
// It guarantees that each scrape shows the status as it is then, and that a
// status which can't be read is a metric, too: confit_status_readable. Names
// follow those of Prometheus for its own configuration; no metric has a value
// of a key, or what a hook printed.
package export

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

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
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(c)
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("ok\n"))
	})
	return mux
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
	to <- prometheus.MustNewConstMetric(readable, prometheus.GaugeValue, number(err == nil))
	if err != nil {
		return
	}
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
