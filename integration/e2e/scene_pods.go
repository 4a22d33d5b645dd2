package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// What pods are, how they end, and how they refuse to start.

func showShared(s *stage) error {
	if err := errors.Join(s.applyFile("shared.yaml"), s.tells("shared/app", "one")); err != nil {
		return err
	}
	if _, err := s.awaitReady("shared"); err != nil {
		return err
	}
	if err := errors.Join(s.edit("page", object{"text": "two"}), s.tells("shared/app", "two"), s.family()); err != nil {
		return err
	}
	if _, err := s.kubectl("exec", "shared", "-c", "app", "--", "sh", "-c", "kill -TERM $(pidof confit)"); err != nil {
		return err
	}
	p, err := s.await("shared", "was restarted", func(p pod) bool { return p.container("app").RestartCount == 1 })
	if err != nil {
		return err
	}
	if last := p.container("app").LastState.Terminated; last == nil || last.ExitCode != 7 {
		return fmt.Errorf("the container didn't end with the app's exit code, 7: %+v", last)
	}
	if p.container("beside").RestartCount != 0 {
		return errors.New("confit ended the other container's process, too")
	}
	s.show("asked to stop, confit ends with the app's exit code, 7; the container beside it lives on")
	return s.tells("shared/app", "two")
}

// family holds that PID 1 is the sandbox, confit adopts the app's orphans all the same, and no zombie is left.
func (s *stage) family() error {
	const list = `for p in /proc/[0-9]*; do echo "$(cut -d' ' -f1-4 $p/stat) $(tr '\0' ' ' <$p/cmdline)"; done 2>/dev/null`
	return until(s.ctx, "the processes are in order", func() error {
		text, err := s.kubectl("exec", "shared", "-c", "app", "--", "sh", "-c", list)
		if err != nil {
			return err
		}
		parent := map[string]string{} // of a command line, and "pid" of confit
		for line := range strings.Lines(text) {
			if f := strings.Fields(line); len(f) > 4 {
				parent[strings.Join(f[4:], " ")] = f[3]
				if strings.HasPrefix(f[1], "(confit") {
					parent["confit's pid"] = f[0]
				}
			} else if len(f) == 4 && f[2] == "Z" {
				return fmt.Errorf("there is a zombie: %s", line)
			}
		}
		if _, ok := parent["/pause"]; !ok || parent["confit's pid"] == "1" || parent["confit's pid"] != parent["sleep 4321"] {
			return fmt.Errorf("PID 1 isn't the sandbox, or confit isn't the parent of the orphan:\n%s", text)
		}
		s.show("PID 1 is /pause; confit, process %s, is the parent of the app's orphan; no zombie", parent["confit's pid"])
		return nil
	})
}

func showStop(s *stage) error {
	if err := s.applyFile("stop.yaml"); err != nil {
		return err
	}
	for _, name := range []string{"slow", "stuck"} {
		if err := s.tells(name, "started"); err != nil {
			return err
		}
	}
	code, took, err := s.stopped("slow")
	if err != nil {
		return err
	}
	if code != 7 || took < 3*time.Second {
		return fmt.Errorf("an app that takes 3 s to end with 7 ended with %d after %v", code, took)
	}
	if code, took, err = s.stopped("stuck"); err != nil {
		return err
	}
	if code != 137 || took < 3*time.Second {
		return fmt.Errorf("an app that doesn't stop within 3 s ended with %d after %v", code, took)
	}
	return nil
}

// stopped is kubectl delete pod: the container's exit code, and how long it took.
func (s *stage) stopped(name string) (code int, took time.Duration, err error) {
	watch, err := s.watch(name)
	if err != nil {
		return 0, 0, err
	}
	defer watch.Close()
	begin := time.Now()
	if _, err := s.do(http.MethodDelete, s.path(pods, name), typeJSON, nil); err != nil {
		return 0, 0, err
	}
	code, err = lastExit(watch)
	took = time.Since(begin)
	s.show("pod %s: deleted; exit code %d, gone after %.1f s", name, code, took.Seconds())
	return code, took, err
}

// watch is what happens to a pod from now on.
func (s *stage) watch(pod string) (io.ReadCloser, error) {
	now, err := s.pod(pod)
	if err != nil {
		return nil, err
	}
	query := "?watch=true&fieldSelector=metadata.name=" + pod + "&resourceVersion=" + now.Metadata.ResourceVersion
	return s.open(http.MethodGet, s.path(pods)+query, typeJSON, nil)
}

// lastExit reads a watch of a pod until it is deleted.
func lastExit(watch io.Reader) (int, error) {
	code := -1
	for decoder := json.NewDecoder(watch); ; {
		var event struct {
			Type   string
			Object pod
		}
		if err := decoder.Decode(&event); err != nil {
			return 0, err
		}
		for _, c := range event.Object.Status.ContainerStatuses {
			if c.State.Terminated != nil {
				code = c.State.Terminated.ExitCode
			}
		}
		if event.Type == "DELETED" {
			return code, nil
		}
	}
}

// showRefusals holds what the page says of pods that can't start.
func showRefusals(s *stage) error {
	if err := s.applyFile("refusals.yaml"); err != nil {
		return err
	}
	for _, pod := range []struct {
		name  string
		code  int
		words []string
	}{
		{"forgotten", 78, []string{"subPath", "link web/default.conf"}},
		{"readonly", 71, []string{"--bake", "emptyDir"}},
		{"unreadable", 78, []string{`cannot read key "tls.key" in volume "/confit/tls": permission denied`}},
		{"disk", 71, []string{"{medium: Memory}", "--allow-disk"}},
	} {
		if err := s.ended(pod.name, pod.code, pod.words...); err != nil {
			return err
		}
	}
	return nil
}
