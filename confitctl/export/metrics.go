package export

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"confit/status"
)

// metric is one name.
type metric struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

// metrics are all of them, in the order of their definition.
var metrics []metric

func gauge(name, help string, labels ...string) metric {
	return define(prometheus.GaugeValue, name, help, labels)
}

func counter(name, help string) metric {
	return define(prometheus.CounterValue, name, help+" Begins at 0 when confit starts.", nil)
}

func define(kind prometheus.ValueType, name, help string, labels []string) metric {
	m := metric{prometheus.NewDesc("confit_"+name, help, labels, nil), kind}
	metrics = append(metrics, m)
	return m
}

func (m metric) send(to chan<- prometheus.Metric, value float64, labels ...string) {
	to <- prometheus.MustNewConstMetric(m.desc, m.kind, value, labels...)
}

// sendTime sends a moment, if there is one.
func (m metric) sendTime(to chan<- prometheus.Metric, t status.Time) {
	if at, err := time.Parse(time.RFC3339, string(t)); err == nil {
		m.send(to, float64(at.Unix()))
	}
}

// sendAge sends how long ago a moment was; 0 if there is none.
func (m metric) sendAge(to chan<- prometheus.Metric, t status.Time, now time.Time) {
	age := 0.0
	if at, err := time.Parse(time.RFC3339, string(t)); err == nil {
		age = max(0, now.Sub(at).Seconds())
	}
	m.send(to, age)
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

var (
	readable = gauge("status_readable", "Whether confit's status could be read at this scrape.")
	updated  = gauge("status_updated_timestamp_seconds", "When confit last wrote its status, which it does at transitions only.")
	build    = gauge("build_info", "The version of confit.", "version")
	phase    = gauge("phase_info", "What confit is doing; running is quiet, done has left.", "phase")

	successful = gauge("config_last_reload_successful", "Whether what is mounted is live or on its way; 0: it was rejected.")
	succeeded  = gauge("config_last_reload_success_timestamp_seconds", "When a configuration was last accepted.")
	pending    = gauge("config_change_pending_seconds", "For how long a change has been on its way; 0: there is none.")
	rejected   = gauge("config_rejected", "1 at the step that rejected what is mounted.", "step")
	attempts   = gauge("config_rejection_attempts", "How often the candidate that was rejected last was rejected.")

	mounted   = gauge("config_mounted_info", "The hash of what the volumes hold; empty while a key is missing.", "hash")
	live      = gauge("config_live_info", "The generation that the targets resolve to.", "generation", "hash")
	accepted  = gauge("config_accepted_info", "The generation to go back to, and what proved it.", "generation", "hash", "proof")
	candidate = gauge("config_candidate_info", "The generation on its way.", "generation", "hash")

	appUp      = gauge("app_up", "Whether the app runs.")
	appStarted = gauge("app_start_time_seconds", "When the app was started.")
	appRead    = gauge("app_read_config", "Whether a changed file was opened within 30 s of the last reload; absent: not known.")
	appExit    = gauge("app_last_exit_code", "Exit code of the app that ended last.")
	appOOM     = gauge("app_last_exit_oom_killed", "Whether the app that ended last was killed for want of memory.")

	degraded = gauge("degraded", "Whether the configuration side broke down: no change is applied.")
	trouble  = gauge("trouble", "Whether the system refuses something, such as room on the disk.")
	stalled  = gauge("volumes_stalled_seconds", "For how long a volume or the state directory has not answered; 0: they do.")
	volume   = gauge("volume_info", "A mounted directory, its kind, and how it is watched.", "path", "kind", "watched")

	swaps      = counter("swaps_total", "Changes of the volumes.")
	reloads    = counter("reloads_total", "Reloads of the app, restarts included.")
	restarts   = counter("app_restarts_total", "Starts of the app after the first.")
	rejections = counter("rejections_total", "Candidates rejected, retries included.")
	rollBacks  = counter("roll_backs_total", "Generations taken back after the app was reloaded.")
	orphans    = counter("orphans_total", "Orphans reaped.")
)

func collectChange(to chan<- prometheus.Metric, s *status.Status, now time.Time) {
	well := s.Verdict() == status.Well
	updated.sendTime(to, s.Updated)
	build.send(to, 1, s.Confit)
	phase.send(to, 1, s.Phase)
	successful.send(to, truth(well))
	if s.Accepted != nil {
		succeeded.sendTime(to, s.Accepted.Since)
	}
	pending.sendAge(to, s.PendingSince, now)
	if s.Rejection == nil {
		return
	}
	attempts.send(to, float64(s.Rejection.Attempts))
	if !well && s.Mounted != nil && s.Mounted.Hash == s.Rejection.Hash {
		rejected.send(to, 1, s.Rejection.Step)
	}
}

func collectGenerations(to chan<- prometheus.Metric, s *status.Status) {
	number := func(g *status.Generation) string { return fmt.Sprint(g.Number) }
	if s.Mounted != nil {
		mounted.send(to, 1, s.Mounted.Hash)
	}
	if s.Live != nil {
		live.send(to, 1, number(s.Live), s.Live.Hash)
	}
	if s.Accepted != nil {
		accepted.send(to, 1, number(&s.Accepted.Generation), s.Accepted.Hash, s.Accepted.Proof)
	}
	if s.Candidate != nil {
		candidate.send(to, 1, number(s.Candidate), s.Candidate.Hash)
	}
}

func collectApp(to chan<- prometheus.Metric, s *status.Status) {
	appUp.send(to, truth(s.App.PID > 0))
	appStarted.sendTime(to, s.App.Started)
	restarts.send(to, float64(s.App.Restarts))
	if s.App.Read != nil {
		appRead.send(to, truth(*s.App.Read))
	}
	if s.App.LastExit != nil {
		appExit.send(to, float64(s.App.LastExit.Code))
		appOOM.send(to, truth(s.App.LastExit.OOMKilled))
	}
}

func collectTrouble(to chan<- prometheus.Metric, s *status.Status, now time.Time) {
	degraded.send(to, truth(s.Degraded != ""))
	trouble.send(to, truth(s.Trouble != ""))
	stalled.sendAge(to, s.Stalled, now)
	for _, v := range s.Volumes {
		volume.send(to, 1, v.Path, v.Kind, v.Watched)
	}
}

func collectCounters(to chan<- prometheus.Metric, s *status.Status) {
	swaps.send(to, float64(s.Counters.Swaps))
	reloads.send(to, float64(s.Counters.Reloads))
	rejections.send(to, float64(s.Counters.Rejections))
	rollBacks.send(to, float64(s.Counters.RollBacks))
	orphans.send(to, float64(s.Counters.Orphans))
}
