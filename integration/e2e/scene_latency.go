package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// showLatency shows how long an edit takes.
func showLatency(sc *stage) (err error) {
	s := &story{stage: sc}
	if s.example, err = s.readExample(s.Source); err != nil {
		return err
	}
	err = s.startPod(s.example, "web", func(_, container object) { // the next edit isn't looked at before the last one is accepted
		container["env"] = []object{{"name": "CONFIT_PROBATION", "value": "1s"}}
	})
	if err != nil {
		return err
	}
	if s.web, err = s.awaitReady("web"); err != nil {
		return err
	}
	if s.nginx, err = processOf(s.web, nginxMaster); err != nil {
		return err
	}
	return s.measure()
}

// measure edits the ConfigMap again and again, and takes three times: when the API server has answered, when the kubelet has
// swapped the volume, when confit has reloaded nginx. The last one is when containerd got the log line.
func (s *story) measure() error {
	for _, way := range []struct {
		name   string
		nudged bool
	}{
		{"kubectl edit", false},
		{"kubectl edit, then kubectl annotate pod", true},
	} {
		var whole, own []time.Duration
		for i := range s.Rounds {
			// The kubelet looks every second. An edit that comes right after it has looked would always wait the longest.
			time.Sleep(time.Second * time.Duration(i) / time.Duration(s.Rounds))
			kubelet, confit, err := s.timeEdit(fmt.Sprintf("%t-%d", way.nudged, i), way.nudged)
			if err != nil {
				return err
			}
			whole, own = append(whole, kubelet+confit), append(own, confit)
		}
		s.show("%s, %d times, from the answer to HUP: %s", way.name, s.Rounds, spread(whole))
		s.show("    of which from the swap to HUP, confit's part: %s", spread(own))
	}
	return s.sameNginx()
}

// timeEdit is how long the kubelet, and how long confit took for one edit.
func (s *story) timeEdit(edition string, nudge bool) (kubelet, confit time.Duration, err error) {
	if err := s.acceptedAll("web"); err != nil {
		return 0, 0, err
	}
	before, err := s.reloads()
	if err != nil {
		return 0, 0, err
	}
	if err := s.edit("web", s.site(edition)); err != nil {
		return 0, 0, err
	}
	answered := time.Now()
	if nudge {
		time.Sleep(50 * time.Millisecond) // for the kubelet's own watch of the ConfigMap to see it first
		if err := s.patch(s.path(pods, "web"), object{"metadata": object{"annotations": object{"edited": edition}}}); err != nil {
			return 0, 0, err
		}
	}
	var after []time.Time
	err = until(s.ctx, "nginx is reloaded", func() error {
		if after, err = s.reloads(); err == nil && len(after) == len(before) {
			err = errors.New("not yet")
		}
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	swapped, err := s.swapped(s.web, "web")
	if err != nil {
		return 0, 0, err
	}
	if n := len(after) - len(before); n != 1 {
		return 0, 0, fmt.Errorf("one edit, but nginx was reloaded %d times", n)
	}
	return swapped.Sub(answered), after[len(after)-1].Sub(swapped), s.servedQuietly(edition)
}

func (s *story) servedQuietly(edition string) error {
	return until(s.ctx, "the edit is served", func() error { return s.servesNow(s.web, at(firstPage, edition)) })
}

// reloads are the times at which the log says that nginx was reloaded.
func (s *story) reloads() ([]time.Time, error) {
	return s.times("web", `msg="app reloaded" signal=HUP`)
}

// swapped is when the kubelet renamed the ..data of a pod's volume into place.
func (s *stage) swapped(p pod, volume string) (time.Time, error) {
	dir := filepath.Join(s.run("kubelet/pods"), p.Metadata.UID, "volumes/kubernetes.io~configmap", volume)
	info, err := os.Lstat(filepath.Join(dir, "..data"))
	if err != nil {
		return time.Time{}, err
	}
	changed := info.Sys().(*syscall.Stat_t).Ctim
	return time.Unix(changed.Unix()), nil
}

func spread(all []time.Duration) string {
	slices.Sort(all)
	at := func(i int) time.Duration { return all[i].Round(time.Millisecond) }
	return fmt.Sprintf("min %v, median %v, max %v", at(0), at(len(all)/2), at(len(all)-1))
}
