package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// What is asked before anything is applied.

// badSite lacks a semicolon.
const badSite = "server {\n    listen 8080;\n    root /srv/www\n}\n"

func (s *verdicts) refuseBad() error {
	if err := s.write("web.yaml", configMaps, "web", map[string]string{"site.conf": badSite}); err != nil {
		return err
	}
	before, err := s.keys("web")
	if err != nil {
		return err
	}
	if _, err := s.ends(3, "kubectl confit check -f web.yaml", "[emerg]", `unexpected "}" in `); err != nil {
		return err
	}
	if _, err := s.ends(3, "kubectl confit apply -f web.yaml", "[emerg]", `unexpected "}" in `); err != nil {
		return err
	}
	if after, err := s.keys("web"); err != nil || after != before {
		return errors.Join(fmt.Errorf("the ConfigMap has changed from %s to %s", before, after), err)
	}
	err = s.write("prometheus.yaml", configMaps, "prometheus",
		map[string]string{"self.rules.yml": "groups: [{name: self, rules: [{alert: Down, expr: up ==}]}]\n"})
	if err != nil {
		return err
	}
	_, err = s.ends(3, "kubectl confit check -f prometheus.yaml", "self.rules.yml", "parse error")
	return errors.Join(err, s.noCopies())
}

// keys are those of a ConfigMap with their values. Whose they are apply may write down before it has asked anybody.
func (s *verdicts) keys(configMap string) (string, error) {
	return s.kubectl("get", "configmap", configMap, "-o", "jsonpath={.data}")
}

// copies are those of pods that aren't being deleted, and how many there are besides.
func (s *verdicts) copies() (left []string, deleted int, err error) {
	text, err := s.get(s.path(pods) + "?labelSelector=confit/check")
	var list struct{ Items []pod }
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	for _, p := range list.Items {
		if p.Metadata.DeletionTimestamp == nil {
			left = append(left, p.Metadata.Name)
		} else {
			deleted++
		}
	}
	return left, deleted, err
}

// noCopies holds that each copy was deleted, and waits until the kubelet has ended the last one.
func (s *verdicts) noCopies() error {
	left, _, err := s.copies()
	if err != nil || len(left) > 0 {
		return errors.Join(fmt.Errorf("copies are left: %q", left), err)
	}
	return until(s.ctx, "the copies are gone", func() error {
		_, deleted, err := s.copies()
		if err == nil && deleted > 0 {
			err = fmt.Errorf("%d are being deleted", deleted)
		}
		return err
	})
}

func (s *verdicts) inPlace() error {
	created, err := s.audited(`"verb":"create"`, `"resource":"pods"`, `"resourceVersion"`)
	if err != nil {
		return err
	}
	_, err = s.ends(3, "kubectl confit check -f web.yaml --in-place deployment/web", `unexpected "}" in `)
	if err := errors.Join(err, s.write("web.yaml", configMaps, "web", webPage(firstPage))); err != nil {
		return err
	}
	if _, err := s.ends(0, "kubectl confit check -f web.yaml --in-place"); err != nil {
		return err
	}
	after, err := s.audited(`"verb":"create"`, `"resource":"pods"`, `"resourceVersion"`)
	if err == nil && len(after) != len(created) {
		err = fmt.Errorf("a pod was made: %s", after[len(created):])
	}
	if err := errors.Join(err, s.allServe(secondPage)); err != nil {
		return err
	}
	// The state of this one lies on a disk, so it is tried in another directory.
	_, err = s.ends(3, "kubectl confit check -f prometheus.yaml --in-place", "/dev/shm/", "parse error")
	return err
}

// audited are the lines of the audit log that have all these words.
func (s *verdicts) audited(words ...string) (found []string, err error) {
	text, err := os.ReadFile(s.run("audit.log"))
line:
	for line := range strings.Lines(string(text)) {
		for _, w := range words {
			if !strings.Contains(line, w) {
				continue line
			}
		}
		found = append(found, line)
	}
	return found, err
}

// unschedulable closes the node for new pods, so a copy waits.
func (s *verdicts) unschedulable() (err error) {
	if _, err := s.kubectl("cordon", nodeName); err != nil {
		return err
	}
	defer func() {
		_, open := s.kubectl("uncordon", nodeName)
		err = errors.Join(err, open)
	}()
	if _, err := s.ends(1, "kubectl confit check -f web.yaml deployment/web --timeout 5s", "unschedulable"); err != nil {
		return err
	}
	return errors.Join(s.noCopies(), s.interrupt())
}

// interrupt ends a check as ^C does: by a signal for all that the terminal runs.
func (s *verdicts) interrupt() error {
	cmd := s.program(nil, s.bin("kubectl"), "confit", "check", "-f", filepath.Join(s.dir, "web.yaml"), "deployment/web")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	err := until(s.ctx, "there is a copy", func() error {
		left, _, err := s.copies()
		if err == nil && len(left) == 0 {
			err = errors.New("there is none")
		}
		return err
	})
	err = errors.Join(err, syscall.Kill(-cmd.Process.Pid, syscall.SIGINT))
	ended := cmd.Wait()
	s.show("^C: kubectl confit check ended: %v", ended)
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		err = errors.Join(err, fmt.Errorf("it ended with %d, not with 130", code))
	}
	return errors.Join(err, s.noCopies())
}
