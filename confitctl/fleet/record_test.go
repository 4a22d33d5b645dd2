package fleet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"confit/confitctl/rollout"
)

// TestUnreadable: what a newer confitctl or somebody else wrote isn't touched. It
// is said where it is, and what helps.
func TestUnreadable(t *testing.T) {
	for record, want := range map[string]string{
		`{"version": 2, "revisions": {}}`: `lease "web" in namespace "prod": cannot read the rollout: it is of version 2, this confitctl knows version 1; update this one`,
		`garbage`: `lease "web" in namespace "prod": cannot read the rollout: invalid character 'g' looking for beginning of value; ` +
			`kubectl annotate lease web -n prod confit/rollout- removes it, and the rollout begins anew, with a canary`,
	} {
		s := newServer(t)
		s.write(record)
		if err := gate(t, s, "1", "B").Run(bounded(t)); err == nil || err.Error() != want {
			t.Errorf("gate: got %v", err)
		}
		_, err := Report(bounded(t), s.open(t), replica("1", "B"), rollout.Outcome{Kind: rollout.Accepted})
		if err == nil || err.Error() != want {
			t.Errorf("report: got %v", err)
		}
	}
}

// TestReasonIsText: whoever may update the Lease may write what a terminal takes
// for a command, or for another line of the log.
func TestReasonIsText(t *testing.T) {
	s := newServer(t)
	s.edit(t, func(r rollout.Record) rollout.Record {
		r.Revisions = []*rollout.Revision{
			{Name: "r1", Stable: "A", Rejected: []rollout.Rejection{{Hash: "B", Step: "verify\r", Pod: "web\nlevel=INFO\x1b[2J"}}},
			{Name: "r2", Stable: "A", Trial: &rollout.Trial{Hash: "C\x1b[2J", Canaries: 1, Holds: []rollout.Hold{{Pod: "2", Bound: 60, Serial: 1}}}},
		}
		return r
	})
	err := gate(t, s, "1", "B").Run(bounded(t))
	if want := "the gate is closed: B was rejected by web\ufffdlevel=INFO\ufffd[2J at step verify\ufffd"; err == nil || err.Error() != want {
		t.Errorf("got %q", err)
	}
	g := gate(t, s, "1", "B")
	g.Me.Revision = "r2"
	ctx, cancel := context.WithCancel(bounded(t))
	said := &listener{heard: cancel}
	g.Out = said
	if err := g.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if said := said.String(); said != "waiting: C\ufffd[2J is tried first\n" {
		t.Errorf("said %q", said)
	}
}

// listener is told when something is written.
type listener struct {
	bytes.Buffer
	heard func()
}

func (l *listener) Write(data []byte) (int, error) {
	defer l.heard()
	return l.Buffer.Write(data)
}

// TestTooLarge: a record that somebody made too large to store stops the
// rollout, with the reason; not the replicas that have nothing to store.
func TestTooLarge(t *testing.T) {
	s := newServer(t)
	s.write(`{"snapshot": "` + strings.Repeat("a", rollout.MaxSize) + `"}`)
	if err := gate(t, s, "1", "A").Run(bounded(t)); err != nil {
		t.Errorf("back to what is accepted: got %v", err)
	}
	g := gate(t, s, "1", "B")
	g.Me.Starting = true
	if err := g.Run(bounded(t)); err != nil {
		t.Errorf("a start of the first hash: got %v", err)
	}
	g.Me.Starting = false
	ctx, cancel := context.WithCancel(bounded(t))
	defer cancel()
	var out bytes.Buffer
	g.Out = io.MultiWriter(&out, hearer(cancel))
	if err := g.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if said := out.String(); !strings.Contains(said, "waiting: cannot store the rollout: it has ") {
		t.Errorf("said %q", said)
	}
}
