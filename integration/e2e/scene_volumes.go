package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// What happens to volumes.

// tells waits until the last thing that a pod's app told is this.
func (s *stage) tells(pod, want string) error {
	err := until(s.ctx, "pod "+pod+" tells "+want, func() error {
		told, err := s.told(pod)
		if err == nil && (len(told) == 0 || told[len(told)-1] != want) {
			err = fmt.Errorf("it told %q", told)
		}
		return err
	})
	if err == nil {
		s.show("pod %s tells: %s", pod, want)
	}
	return err
}

// told is all that it told since its container was started.
func (s *stage) told(pod string) (all []string, err error) {
	lines, err := s.log(pod)
	for _, line := range lines {
		if text, ok := strings.CutPrefix(line, "told: "); ok {
			all = append(all, text)
		}
	}
	return all, err
}

func showKeys(s *stage) error {
	if err := s.applyFile("keys.yaml"); err != nil {
		return err
	}
	p, err := s.awaitReady("keys")
	if err != nil {
		return err
	}
	one, two := want{port: "8001", page: "one"}, want{port: "8002", page: "two"}
	if err := s.served(one, p); err != nil {
		return err
	}
	const server = "server { listen 8002; location / { return 200 'two'; } }"
	if err := errors.Join(s.edit("web", object{"two.conf": server}), s.served(two, p), s.targets("one.conf two.conf")); err != nil {
		return err
	}
	if err := errors.Join(s.edit("web", object{"two.conf": nil}), s.refused(p, "8002"), s.targets("one.conf")); err != nil {
		return err
	}
	return errors.Join(s.servesNow(p, one), s.untouched(p))
}

// targets waits until these are in nginx's directory, and none else.
func (s *stage) targets(names string) error {
	return until(s.ctx, "the targets are "+names, func() error {
		list, err := s.kubectl("exec", "keys", "--", "ls", "/etc/nginx/conf.d")
		if got := strings.Join(strings.Fields(list), " "); err == nil && got != names {
			err = fmt.Errorf("they are %s", got)
		}
		return err
	})
}

func showVolumes(s *stage) error {
	if err := s.applyFile("volumes.yaml"); err != nil {
		return err
	}
	p, err := s.awaitReady("volumes")
	if err != nil {
		return err
	}
	if err := s.tells("volumes", "kept one, fixed one, late missing"); err != nil {
		return err
	}
	err = s.steps(
		step{"An optional ConfigMap that appears later, and goes again", s.comeAndGo},
		step{"An immutable ConfigMap: can't be edited, and isn't looked at when it is made anew", s.makeAnew},
		step{"A ConfigMap that is deleted: the kubelet leaves the volume, the app has what it had", s.leaveIt},
	)
	if err != nil {
		return err
	}
	return s.untouched(p)
}

func (s *stage) comeAndGo() error {
	return errors.Join(
		s.makeMap("late", "one"),
		s.tells("volumes", "kept one, fixed one, late one"),
		s.removeMap("late"),
		s.tells("volumes", "kept one, fixed one, late missing"))
}

func (s *stage) makeAnew() error {
	err := s.edit("fixed", object{"text": "two"})
	if err == nil || !strings.Contains(err.Error(), "field is immutable when `immutable` is set") {
		return fmt.Errorf("the edit isn't refused as one of an immutable ConfigMap: %w", err)
	}
	return errors.Join(
		s.removeMap("fixed"),
		s.makeMap("fixed", "two"),
		s.edit("kept", object{"text": "two"}), // when this has come, the kubelet has looked at all volumes of the pod
		s.tells("volumes", "kept two, fixed one, late missing"),
		s.copyPod("volumes", "fresh"),
		s.tells("fresh", "kept two, fixed one, late missing"))
}

// copyPod makes another pod like one.
func (s *stage) copyPod(name, copied string) error {
	text, err := s.get(s.path(pods, name))
	if err != nil {
		return err
	}
	var pod object
	if err := json.Unmarshal(text, &pod); err != nil {
		return err
	}
	pod["metadata"] = object{"name": copied}
	delete(pod, "status")
	manifest, err := json.Marshal(pod)
	if err == nil {
		_, err = s.create(s.path(pods), typeJSON, manifest)
	}
	return err
}

func (s *stage) leaveIt() error {
	return errors.Join(
		s.removeMap("kept"),
		s.makeMap("late", "two"), // the same
		s.tells("volumes", "kept two, fixed one, late two"),
		s.makeMap("kept", "three"),
		s.tells("volumes", "kept three, fixed one, late two"))
}

func (s *stage) makeMap(name, text string) error {
	manifest, err := json.Marshal(object{"metadata": object{"name": name}, "data": object{"text": text}})
	if err == nil {
		_, err = s.create(s.path(configMaps), typeJSON, manifest)
	}
	return err
}

func (s *stage) removeMap(name string) error {
	_, err := s.do(http.MethodDelete, s.path(configMaps, name), typeJSON, nil)
	return err
}

// showSubPath restarts the container while what is mounted is bad. A subPath mount is made anew then, and brings it in.
func showSubPath(s *stage) error {
	if err := errors.Join(s.applyFile("subpath.yaml"), s.tells("subpath", "linked one, mounted one")); err != nil {
		return err
	}
	if err := errors.Join(s.edit("page", object{"text": "two"}), s.tells("subpath", "linked two, mounted one"),
		s.logged("subpath", `msg="generation accepted" generation=2`)); err != nil {
		return err
	}
	if err := errors.Join(s.edit("page", object{"text": "bad"}), s.logged("subpath", `msg="candidate rejected"`)); err != nil {
		return err
	}
	if _, err := s.kubectl("exec", "subpath", "--", "sh", "-c", "kill -TERM 1"); err != nil {
		return err
	}
	p, err := s.await("subpath", "was restarted", func(p pod) bool {
		return p.Status.ContainerStatuses[0].RestartCount == 1 && p.Status.ContainerStatuses[0].Ready
	})
	if err != nil {
		return err
	}
	if last := p.Status.ContainerStatuses[0].LastState.Terminated; last == nil || last.ExitCode != 0 {
		return fmt.Errorf("the container didn't end with 0 when it was asked to: %+v", last)
	}
	s.seen["subpath"] = 0 // the log is that of the new container
	if err := errors.Join(s.logged("subpath", `msg="candidate rejected"`), s.tells("subpath", "linked two, mounted bad")); err != nil {
		return err
	}
	return errors.Join(s.rejected("subpath", "confit", "validate"),
		s.edit("page", object{"text": "three"}), s.tells("subpath", "linked three, mounted bad"))
}
