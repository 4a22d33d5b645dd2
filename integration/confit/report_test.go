package confit

import (
	"encoding/json"
	"os/exec"
	"time"
)

// report is what a test reads of a status.
type report struct {
	Phase string
	App   struct {
		PID, Restarts int
		Reload, Text  string
		Read          *bool
		LastExit      *struct {
			Status    string
			Code      int
			OOMKilled bool
		}
		Entrypoint *struct {
			Program string
			Until   time.Time
		}
		Started time.Time
	}
	Mounted struct {
		Hash  string
		Since time.Time
		Keys  map[string]string
	}
	Live, Accepted, Candidate struct {
		Generation int
		Hash       string
		Since      time.Time
		Proof      string
		Source     string
	}
	PendingSince *time.Time
	Stalled      *time.Time
	Damaged      bool
	LinksChanged *time.Time
	Trouble      string
	Rejection    struct {
		At                         time.Time
		Hash, Step, Reason, Output string
		Attempts                   int
		NextTry                    *time.Time
		Keys                       map[string]string
	}
	GoneDown struct { // the app is on a lower rung
		From    struct{ Hash string }
		Reason  string
		SoaksAt *time.Time
	}
	Gate   struct{ Hash, Since, Waits string }
	Report struct {
		Outcome, Error string
		Delivered      bool
	}
	Volumes  []toldVolume
	Keys     map[string]string
	Counters struct{ Swaps, Reloads, Rejections, RollBacks, Orphans int }

	code int    // of --status
	text string // what it printed
}

// toldVolume is what a test reads of a volume.
type toldVolume struct {
	Path, Kind, Watched, Mounted, Prefix string
	Patterns                             []string
}

// report asks for the status, from outside the container. Before the first there is none.
func (s *setup) report() (r report) {
	s.t.Helper()
	cmd := exec.Command(programs.confit, "--status=json", "--state", s.state)
	text, _ := cmd.Output()
	r.code, r.text = cmd.ProcessState.ExitCode(), string(text)
	if r.code == 1 {
		return r
	}
	if err := json.Unmarshal(text, &r); err != nil {
		s.t.Fatalf("not a status (%v):\n%s", err, text)
	}
	return r
}

// reports waits for a status.
func (c *confit) reports(what string, ok func(report) bool) (r report) {
	c.t.Helper()
	c.t.Cleanup(func() {
		if c.t.Failed() {
			c.t.Logf("the last status, read for %q:\n%s", what, r.text)
		}
	})
	c.Eventually("a status that tells: "+what, func() bool {
		r = c.setup.report()
		return r.code != 1 && ok(r)
	})
	return r
}

// tells is reports for a status with which --status ends with a code.
func (c *confit) tells(code int, what string, ok func(report) bool) {
	c.t.Helper()
	c.reports(what, func(r report) bool { return r.code == code && ok(r) })
}

// quiet tells whether all three hashes are the same, and nothing is under way.
func (r report) quiet() bool {
	return r.code == 0 && r.Phase == "running" && r.Live.Hash != "" && r.PendingSince == nil && r.Candidate.Hash == "" &&
		r.Mounted.Hash == r.Live.Hash && r.Accepted.Hash == r.Live.Hash
}

// refused tells whether what is mounted was rejected, and something else is live and accepted.
func (r report) refused() bool {
	return r.code == 3 && r.Rejection.Hash == r.Mounted.Hash && r.Live.Hash != r.Mounted.Hash && r.Accepted.Hash == r.Live.Hash
}
