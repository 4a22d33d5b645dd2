package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
)

// An entrypoint script that works until there is /tmp/go in its container, and then executes nginx.

// waitsForScript is the reason that kubectl confit gives.
const waitsForScript = "waits for the app's entrypoint /bin/sh /docker-entrypoint.sh, until "

func showScript(sc *stage) error {
	s := &verdicts{stage: sc, dir: sc.run("")}
	if _, err := s.section.next("dockerfile"); err != nil {
		return err
	}
	return s.steps(
		step{"A first start: an edit is on its way while the script works, and in force afterwards", s.editAtFirstStart},
		step{"A second container: an edit is on its way while the script works, and wait says why", s.editAtRestart},
	)
}

func (s *verdicts) editAtFirstStart() error {
	if err := errors.Join(s.applyWeb(), s.applyFile("script.yaml"), s.logged("script", "told: not yet")); err != nil {
		return err
	}
	p, err := s.awaitReady("script")
	if err != nil {
		return err
	}
	return errors.Join(s.editMeanwhile(p, "second"), s.untouched(p), s.logged("script", `msg="generation accepted" generation=2`))
}

// editMeanwhile edits while the script works: that is said, and the edit is in force afterwards.
func (s *verdicts) editMeanwhile(p pod, text string) error {
	if err := s.editSite(p, text); err != nil {
		return err
	}
	wait, err := s.begin("kubectl confit wait configmap/web")
	if err := errors.Join(err, s.sees(wait, 1, ": on its way: confit "+waitsForScript)); err != nil {
		return err
	}
	if _, err := s.ends(0, "kubectl confit status configmap/web", " on its way ", "confit "+waitsForScript); err != nil {
		return err
	}
	return errors.Join(s.letGo(p, text), s.endsSo(wait, 0, "accepted by 1 container"))
}

// editAtRestart edits what comes to a container that starts again.
func (s *verdicts) editAtRestart() error {
	p, err := s.secondContainer()
	if err != nil {
		return err
	}
	if err := s.logged("script", "told: not yet"); err != nil {
		return err
	}
	return errors.Join(s.editMeanwhile(p, "third"), s.restartedOnce())
}

// secondContainer makes the pod anew, and ends its container once the app has been started on what is accepted. Only a kill of confit ends
// one at once.
func (s *verdicts) secondContainer() (pod, error) {
	delete(s.seen, "script")
	if err := errors.Join(s.remove("script", 0), s.applyFile("script.yaml"), s.logged("script", "told: not yet")); err != nil {
		return pod{}, err
	}
	p, err := s.awaitReady("script")
	if err != nil {
		return pod{}, err
	}
	confit, err := processOf(p, "confit")
	if err == nil {
		err = errors.Join(s.letGo(p, "second"), s.logged("script", `msg="generation accepted" generation=1`), s.tookLong())
	}
	if err == nil {
		err = syscall.Kill(confit.pid, syscall.SIGKILL)
	}
	if err != nil {
		return pod{}, err
	}
	delete(s.seen, "script")
	return s.await("script", "was restarted", func(p pod) bool {
		c := p.container("nginx")
		return c.RestartCount == 1 && c.Ready
	})
}

// editSite has the page's server name an edition, and waits until the kubelet has brought that.
func (s *verdicts) editSite(p pod, edition string) error {
	site := "server { listen 80; add_header Edition " + edition + "; root /usr/share/nginx/html; }"
	return errors.Join(s.edit("web", object{"default.conf": site}), s.mounted(p, "web/default.conf", edition))
}

// letGo ends the script's work. The edition is served then, and the script has worked once in this container.
func (s *verdicts) letGo(p pod, edition string) error {
	if _, err := s.kubectl("exec", "script", "--", "touch", "/tmp/go"); err != nil {
		return err
	}
	if err := s.served(want{port: "80", page: firstPage, edition: edition}, p); err != nil {
		return err
	}
	told, err := s.told("script")
	if err == nil && !slices.Equal(told, []string{"not yet"}) {
		err = fmt.Errorf("the script didn't work once: it told %q", told)
	}
	return err
}

// tookLong has the note say that the script worked for ten minutes. The next one has twice that time, on a slow machine, too.
func (s *verdicts) tookLong() error {
	const change = `sed -i 's/"entrypoint": *[0-9]*/"entrypoint": 600/' /run/confit/note.json; cat /run/confit/note.json`
	note, err := s.kubectl("exec", "script", "--", "sh", "-c", change)
	if err == nil && !strings.Contains(note, `"entrypoint": 600`) {
		err = fmt.Errorf("the note doesn't say how long the script worked: %s", note)
	}
	return err
}

// restartedOnce holds that an edit has ended no container.
func (s *verdicts) restartedOnce() error {
	p, err := s.pod("script")
	if n := p.container("nginx").RestartCount; err == nil && n != 1 {
		err = fmt.Errorf("the container was restarted %d times, and once by this scene", n)
	}
	return err
}
