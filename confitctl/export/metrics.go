package export

import (
	"maps"
	"slices"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"confit/status"
)

// readable is there at each scrape, and the only one where there is no status.
var readable = prometheus.NewDesc("confit_status_readable", "Whether confit's status could be read at this scrape.", nil, nil)

// metrics are all others.
var metrics = []metric{
	gauge("status_updated_timestamp_seconds", "When confit last wrote its status, which it does at transitions only.",
		func(r reading) []sample { return moment(r.Updated) }),
	gauge("build_info", "The version of confit.",
		func(r reading) []sample { return one(1, r.Confit) }, "version"),
	gauge("phase_info", "What confit is doing; running is quiet, done has left.",
		func(r reading) []sample { return one(1, r.Phase) }, "phase"),

	gauge("config_last_reload_successful", "Whether what is mounted is live or on its way; 0: it was rejected, or the system refuses it.", truth(well)),
	gauge("config_last_reload_success_timestamp_seconds", "When a configuration was last accepted.",
		part(accepted, func(a *status.Accepted) []sample { return moment(a.Since) })),
	gauge("config_change_pending_seconds", "For how long a change has been on its way; 0: there is none.",
		age(func(r reading) status.Time { return r.PendingSince })),
	gauge("config_rejected", "1 at the step that rejected what is mounted.", rejected, "step"),
	gauge("config_rejection_attempts", "How often the candidate that was rejected last was rejected.",
		part(rejection, func(was *status.Rejection) []sample { return one(float64(was.Attempts)) })),
	gauge("config_held_up_seconds", "For how long another key has waited for what is rejected; 0: none does.", age(heldUp)),

	gauge("config_mounted_info", "The hash of what the volumes hold; empty while a key is missing.",
		part(func(r reading) *status.Mounted { return r.Mounted }, func(m *status.Mounted) []sample { return one(1, m.Hash) }), "hash"),
	gauge("config_live_info", "The generation that the targets resolve to.",
		part(func(r reading) *status.Generation { return r.Live }, generation), "generation", "hash", "source"),
	gauge("config_accepted_info", "The generation to go back to, and what proved it.",
		part(accepted, func(a *status.Accepted) []sample { return one(1, strconv.Itoa(a.Number), a.Hash, a.Source, a.Proof) }),
		"generation", "hash", "source", "proof"),
	gauge("config_candidate_info", "The generation on its way.",
		part(func(r reading) *status.Generation { return r.Candidate }, generation), "generation", "hash", "source"),

	gauge("gate_waiting_seconds", "For how long a change has waited for the gate; 0: none waits.",
		age(func(r reading) status.Time {
			if r.Gate == nil {
				return ""
			}
			return r.Gate.Since
		})),
	gauge("report_delivered", "Whether the report hook took the last outcome; absent: there was none.",
		part(func(r reading) *status.Report { return r.Report },
			func(told *status.Report) []sample { return one(number(told.Delivered)) })),

	gauge("app_up", "Whether the app runs.", truth(func(r reading) bool { return r.App.PID > 0 })),
	gauge("app_start_time_seconds", "When the app was started.",
		func(r reading) []sample { return moment(r.App.Started) }),
	gauge("app_entrypoint_seconds", "For how long the app has been at its entrypoint, for which edits wait; 0: it isn't, or its time is over.",
		age(entrypoint)),
	gauge("app_read_config", "Whether a changed file was opened within 30 s of the last reload; absent: not known.",
		part(func(r reading) *bool { return r.App.Read }, func(did *bool) []sample { return one(number(*did)) })),
	gauge("app_last_exit_code", "Exit code of the app that ended last.",
		part(lastExit, func(e *status.Exit) []sample { return one(float64(e.Code)) })),
	gauge("app_last_exit_oom_killed", "Whether the app was killed last time, and the kernel had killed a process of its container for want of memory shortly before.",
		part(lastExit, func(e *status.Exit) []sample { return one(number(e.OOMKilled)) })),

	gauge("degraded", "Whether the configuration side broke down: no change is applied.",
		truth(func(r reading) bool { return r.Degraded != "" })),
	gauge("trouble", "Whether the system refuses something, such as room on the disk.",
		truth(func(r reading) bool { return r.Trouble != "" })),
	gauge("links_changed", "Whether the links file isn't what confit was started with: a restart of the container applies it.",
		truth(func(r reading) bool { return r.LinksChanged != "" })),
	gauge("volumes_stalled_seconds", "For how long a volume or the state directory has not answered; 0: they do.",
		age(func(r reading) status.Time { return r.Stalled })),
	gauge("volume_info", "A mounted directory, its kind, and how it is watched.", volumes, "path", "kind", "watched"),

	counter("swaps_total", "Changes of the volumes.", func(r reading) int { return r.Counters.Swaps }),
	counter("reloads_total", "Reloads of the app, restarts included.", func(r reading) int { return r.Counters.Reloads }),
	counter("app_restarts_total", "Starts of the app after the first.", func(r reading) int { return r.App.Restarts }),
	counter("rejections_total", "Candidates rejected, retries included.", func(r reading) int { return r.Counters.Rejections }),
	counter("roll_backs_total", "Generations taken back after the app was reloaded.", func(r reading) int { return r.Counters.RollBacks }),
	counter("orphans_total", "Orphans reaped.", func(r reading) int { return r.Counters.Orphans }),
}

func well(r reading) bool { return r.Verdict() == status.Well }

func accepted(r reading) *status.Accepted { return r.Accepted }

func rejection(r reading) *status.Rejection { return r.Rejection }

func lastExit(r reading) *status.Exit { return r.App.LastExit }

// entrypoint is since when the app is there. One whose time is over isn't waited for, whether or not confit has noted that.
func entrypoint(r reading) status.Time {
	e := r.App.Entrypoint
	if e == nil || e.Until <= status.At(r.now) { // times of one format are in the order of their texts
		return ""
	}
	return e.Since
}

// rejected has no sample when what is mounted isn't what was rejected last.
func rejected(r reading) []sample {
	if well(r) || r.Rejection == nil || r.Mounted == nil || r.Mounted.Hash != r.Rejection.Hash {
		return nil
	}
	return one(1, r.Rejection.Step)
}

// heldUp is since when the first key waits for what is rejected.
func heldUp(r reading) status.Time {
	if rejected(r) == nil || len(r.Rejection.HeldUp) == 0 {
		return ""
	}
	return slices.Min(slices.Collect(maps.Values(r.Rejection.HeldUp))) // times of one format are in the order of their texts
}

func generation(g *status.Generation) []sample {
	return one(1, strconv.Itoa(g.Number), g.Hash, g.Source)
}

func volumes(r reading) (list []sample) {
	for _, v := range r.Volumes {
		list = append(list, sample{1, []string{v.Path, v.Kind, v.Watched}})
	}
	return list
}
