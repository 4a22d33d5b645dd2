package export

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"confit/status"
)

// metric is one name, and where a status has its samples.
type metric struct {
	desc    *prometheus.Desc
	kind    prometheus.ValueType
	samples samples
}

// samples are none, one, or one for each set of labels.
type samples func(reading) []sample

// reading is a status, and when it was read.
type reading struct {
	*status.Status
	now time.Time
}

type sample struct {
	value  float64
	labels []string
}

func gauge(name, help string, of samples, labels ...string) metric {
	return metric{prometheus.NewDesc("confit_"+name, help, labels, nil), prometheus.GaugeValue, of}
}

func counter(name, help string, of func(reading) int) metric {
	desc := prometheus.NewDesc("confit_"+name, help+" Begins at 0 when confit starts.", nil, nil)
	return metric{desc, prometheus.CounterValue, func(r reading) []sample { return one(float64(of(r))) }}
}

func (m metric) send(to chan<- prometheus.Metric, r reading) {
	for _, s := range m.samples(r) {
		made, err := prometheus.NewConstMetric(m.desc, m.kind, s.value, s.labels...)
		if err != nil {
			made = prometheus.NewInvalidMetric(m.desc, err) // which fails the scrape, not the program
		}
		to <- made
	}
}

func one(value float64, labels ...string) []sample { return []sample{{value, labels}} }

// part has no sample when the status doesn't have the part.
func part[T any](find func(reading) *T, of func(*T) []sample) samples {
	return func(r reading) []sample {
		if found := find(r); found != nil {
			return of(found)
		}
		return nil
	}
}

func truth(of func(reading) bool) samples {
	return func(r reading) []sample { return one(number(of(r))) }
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// moment has no sample when there was none.
func moment(at status.Time) []sample {
	t, err := time.Parse(time.RFC3339, string(at))
	if err != nil {
		return nil
	}
	return one(float64(t.Unix()))
}

// age is for how long something has lasted; 0 when it doesn't.
func age(since func(reading) status.Time) samples {
	return func(r reading) []sample {
		at, err := time.Parse(time.RFC3339, string(since(r)))
		if err != nil {
			return one(0)
		}
		return one(max(0, r.now.Sub(at).Seconds()))
	}
}
