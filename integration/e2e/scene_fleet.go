package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The example of a fleet: three replicas, a service account that may change one Lease, and edits that one replica tries first.

// rollout is the example's pods, and the configuration that its manifest has.
type rollout struct {
	*stage
	pods  []pod
	nginx string
}

func showFleet(s *stage) error {
	r := &rollout{stage: s}
	return r.steps(
		step{"The example as it stands, but for a shorter probation and soak", r.start},
		step{"A good edit: one replica has accepted it before another publishes it", r.good},
		step{"A bad edit that only the app shows: one replica tries it and goes back, the others refuse it", r.bad},
		step{"A pod that is new while the bad edit is mounted starts on what the fleet accepted", r.grow},
		step{"Fixed: all have it", r.fixed},
	)
}

func (r *rollout) start() (err error) {
	if _, err := r.kubectl("apply", "-f", "examples/fleet/kubernetes.yaml"); err != nil {
		return err
	}
	if _, err := r.kubectl("set", "env", "deploy/fleet", "CONFIT_PROBATION=4s", "CONFIT_SOAK=20s"); err != nil {
		return err
	}
	if r.pods, err = r.rolledOut("fleet"); err != nil {
		return err
	}
	if r.nginx, err = r.kubectl("get", "configmap", "fleet-web", "-o", `jsonpath={.data.nginx\.conf}`); err != nil {
		return err
	}
	if len(r.pods) != 3 {
		return fmt.Errorf("there are %d replicas", len(r.pods))
	}
	return errors.Join(r.edition("first"), r.quiet())
}

// quiet waits until each replica has accepted what it published.
func (r *rollout) quiet() error {
	return until(r.ctx, "all replicas have accepted what is live", func() error {
		for _, p := range r.pods {
			published, err1 := r.times(p.Metadata.Name, `msg="generation published"`)
			accepted, err2 := r.times(p.Metadata.Name, `msg="generation accepted"`)
			if err := errors.Join(err1, err2); err != nil || len(published) != len(accepted) {
				return errors.Join(fmt.Errorf("pod %s hasn't", p.Metadata.Name), err)
			}
		}
		return nil
	})
}

func (r *rollout) edition(edition string) error {
	return r.served(want{port: "8080", path: "healthz", page: edition + " edition"}, r.pods...)
}

func (r *rollout) change(old, text string) error {
	changed := strings.Replace(r.nginx, old, text, 1)
	if changed == r.nginx {
		return fmt.Errorf("the example's nginx.conf doesn't hold %q", old)
	}
	return r.edit("fleet-web", object{"nginx.conf": changed})
}

func (r *rollout) good() error {
	before := time.Now()
	if err := errors.Join(r.change("first edition", "second edition"), r.edition("second"), r.quiet()); err != nil {
		return err
	}
	type turn struct {
		pod                 string
		published, accepted time.Time
	}
	var turns []turn
	for _, p := range r.pods {
		published, err1 := r.times(p.Metadata.Name, `msg="generation published"`)
		accepted, err2 := r.times(p.Metadata.Name, `msg="generation accepted"`)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		turns = append(turns, turn{p.Metadata.Name, published[len(published)-1], accepted[len(accepted)-1]})
	}
	slices.SortFunc(turns, func(a, b turn) int { return cmp.Compare(a.published.UnixNano(), b.published.UnixNano()) })
	for _, t := range turns {
		r.show("%s published it after %.1f s and accepted it after %.1f s",
			t.pod, t.published.Sub(before).Seconds(), t.accepted.Sub(before).Seconds())
	}
	if turns[1].published.Before(turns[0].accepted) {
		return errors.New("a second replica didn't wait for the canary")
	}
	return nil
}

// bad is the README's bad edit. The probe of the verify hook fails, which nginx -t can't see.
func (r *rollout) bad() error {
	before, err := r.publications()
	if err != nil {
		return err
	}
	if err := r.change("/healthz", "/health"); err != nil {
		return err
	}
	canary, canaries := "", 0
	for _, p := range r.pods {
		if err := r.logged(p.Metadata.Name, `msg="candidate rejected"`); err != nil {
			return err
		}
		found, err := r.status(p.Metadata.Name, "confit", 3)
		if err != nil || found.Rejection == nil {
			return errors.Join(errors.New("a replica's status has no rejection"), err)
		}
		r.show("%s: rejected at step %s", p.Metadata.Name, found.Rejection.Step)
		if found.Rejection.Step == "verify" {
			canary, canaries = p.Metadata.Name, canaries+1
		} else if found.Rejection.Step != "gate" {
			return fmt.Errorf("it isn't a gate that keeps a bad edit from a replica, but step %s", found.Rejection.Step)
		}
	}
	table, err := answer(r.program(nil, r.run("contexts/fleet/confitctl"), "gate", "--lease", "fleet", "--status"), "")
	if err != nil || !strings.Contains(table, "rejected") {
		return errors.Join(fmt.Errorf("confitctl gate --status doesn't say that it was rejected: %s", table), err)
	}
	r.show("confitctl gate --lease fleet --status:\n%s", table)
	said, err := r.says("", "kubectl confit rollout status fleet")
	if err := errors.Join(err, said.is(0, "by "+canary+" at step verify", `  verify "confitctl post`)); err != nil {
		return err
	}
	after, err := r.publications()
	if err == nil && (canaries != 1 || after != before+1) {
		err = fmt.Errorf("%d replicas tried the bad edit, and it was published %d times", canaries, after-before)
	}
	return errors.Join(err, r.edition("second"))
}

// publications is how often all replicas have published a change, and not gone back.
func (r *rollout) publications() (n int, err error) {
	for _, p := range r.pods {
		times, err := r.times(p.Metadata.Name, `msg="generation published"`)
		if err != nil {
			return 0, err
		}
		n += len(times)
	}
	return n, nil
}

// grow adds a replica, which has accepted nothing of its own.
func (r *rollout) grow() (err error) {
	if _, err := r.kubectl("scale", "deploy/fleet", "--replicas=4"); err != nil {
		return err
	}
	if r.pods, err = r.rolledOut("fleet"); err != nil {
		return err
	}
	return r.edition("second")
}

func (r *rollout) fixed() error {
	return errors.Join(r.change("first edition", "third edition"), r.edition("third"))
}
