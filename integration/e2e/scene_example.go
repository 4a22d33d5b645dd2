package main

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// What a key of the ConfigMap is changed to.
const (
	firstPage  = "The first edition."
	secondPage = "The second edition."
	thirdPage  = "The third edition."
)

// story is the example's pods and what happened to them.
type story struct {
	*stage
	example
	web, subPath pod
	nginx        process // of pod web
}

// showExample edits what the example's pod has in every way, and ends it.
func showExample(sc *stage) error {
	s := &story{stage: sc}
	return s.steps(
		step{"The example's pod serves the page without a right to anything, and so does one without confit", s.start},
		step{"An edit of the page: served, nginx isn't reloaded", s.editPage},
		step{"An edit of the server file: checked, served after HUP, by the same nginx", s.editSite},
		step{"A bad edit: rejected, confit --status says so, the pod serves what it served and stays ready", s.breakIt},
		step{"The bad edit taken back: nothing to do", s.revert},
		step{"The bad edit fixed: served", s.fix},
		step{"subPath beside it: still the first edition", s.compare},
		step{"kubectl delete: the open request is answered, exit code 0", s.end},
		step{"A pod that starts on a bad ConfigMap: exit code 78, and why; started again once it is fixed", s.startBad},
	)
}

// at is what the example's port serves.
func at(page, edition string) want { return want{port: "8080", page: page, edition: edition} }

// page is index.html with another text.
func (s *story) page(text string) map[string]string {
	return map[string]string{"index.html": strings.Replace(s.data["index.html"], firstPage, text, 1)}
}

// site is site.conf with a header that tells which one it is.
func (s *story) site(edition string) map[string]string {
	const line = "root /srv/www;"
	return map[string]string{"site.conf": strings.Replace(s.data["site.conf"], line, line+" add_header Edition "+edition+";", 1)}
}

// badSite lacks a semicolon.
func (s *story) badSite() map[string]string {
	return map[string]string{"site.conf": strings.Replace(s.data["site.conf"], "root /srv/www;", "root /srv/www", 1)}
}

func (s *story) start() (err error) {
	if s.example, err = s.readExample(s.Source); err != nil {
		return err
	}
	if err := errors.Join(s.startPod(s.example, "web", nil), s.startPod(s.example, "subpath", withoutConfit)); err != nil {
		return err
	}
	if s.web, err = s.awaitReady("web"); err != nil {
		return err
	}
	if s.subPath, err = s.awaitReady("subpath"); err != nil {
		return err
	}
	if err := s.served(at(firstPage, ""), s.web, s.subPath); err != nil {
		return err
	}
	if s.nginx, err = processOf(s.web, nginxMaster); err != nil {
		return err
	}
	confit, err := processOf(s.web, "confit")
	if err != nil {
		return err
	}
	if err := errors.Join(s.locked(confit, "101"), s.locked(s.nginx, "101")); err != nil {
		return err
	}
	return s.logged("web", `msg="confit started"`, `msg="generation published" generation=1`, `msg="app started"`)
}

func (s *story) editPage() error {
	if err := errors.Join(s.edit("web", s.page(secondPage)), s.served(at(secondPage, ""), s.web)); err != nil {
		return err
	}
	if err := s.logged("web", `msg="generation published" generation=2`); err != nil {
		return err
	}
	if lines, err := s.log("web"); err != nil || strings.Contains(strings.Join(lines, "\n"), `msg="app reloaded"`) {
		return errors.Join(errors.New("nginx was reloaded although the link says reload=none"), err)
	}
	return s.sameNginx()
}

func (s *story) editSite() error {
	if err := errors.Join(s.edit("web", s.site("second")), s.served(at(secondPage, "second"), s.web)); err != nil {
		return err
	}
	if err := s.logged("web", `msg="generation published" generation=3`, `msg="app reloaded" signal=HUP`); err != nil {
		return err
	}
	return s.sameNginx()
}

func (s *story) breakIt() error {
	before := s.web.ready()
	if err := s.edit("web", s.badSite()); err != nil {
		return err
	}
	if err := s.logged("web", `[emerg]`, `msg="candidate rejected" step=validate`); err != nil {
		return err
	}
	if err := s.rejected("web", "confit", "validate"); err != nil {
		return err
	}
	// Two periods of the readiness probe, which three failures would make unready.
	for end := time.Now().Add(2 * 5 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if err := s.servesNow(s.web, at(secondPage, "second")); err != nil {
			return err
		}
		p, err := s.pod("web")
		if err != nil {
			return err
		}
		if now := p.ready(); now != before || now.Status != "True" {
			return fmt.Errorf("the pod's readiness was %v and is %v", before, now)
		}
	}
	return s.sameNginx()
}

// rejected holds that confit --status of a pod names the step that refused what is mounted, and that something else is live.
func (s *stage) rejected(pod, confit, step string) error {
	found, err := s.status(pod, confit, 3)
	if err != nil {
		return err
	}
	if found.Rejection == nil || found.Rejection.Step != step || found.Mounted.Hash == found.Live.Hash {
		return fmt.Errorf("the status isn't that of a rejection at step %s: %+v", step, found)
	}
	return nil
}

func (s *story) revert() error {
	if err := s.edit("web", s.site("second")); err != nil {
		return err
	}
	if err := s.logged("web", `msg="mounted configuration is live again" generation=3`); err != nil {
		return err
	}
	found, err := s.status("web", "confit", 0)
	if err == nil && (found.Live.Generation != 3 || found.Live.Hash != found.Mounted.Hash) {
		err = fmt.Errorf("the status isn't that of generation 3, mounted and live: %+v", found)
	}
	return errors.Join(err, s.servesNow(s.web, at(secondPage, "second")), s.sameNginx())
}

func (s *story) fix() error {
	if err := s.edit("web", s.badSite()); err != nil {
		return err
	}
	if err := s.logged("web", `msg="candidate rejected" step=validate`); err != nil {
		return err
	}
	keys := s.site("third")
	keys["index.html"] = s.page(thirdPage)["index.html"]
	if err := errors.Join(s.edit("web", keys), s.served(at(thirdPage, "third"), s.web)); err != nil {
		return err
	}
	if err := s.logged("web", `msg="generation published"`, `msg="app reloaded" signal=HUP`); err != nil {
		return err
	}
	return s.sameNginx()
}

func (s *story) compare() error {
	if err := errors.Join(s.servesNow(s.subPath, at(firstPage, "")), s.servesNow(s.web, at(thirdPage, "third"))); err != nil {
		return err
	}
	// It isn't nginx that keeps it: a reload changes nothing either.
	nginx, err := processOf(s.subPath, nginxMaster)
	if err == nil {
		err = nginx.reload()
	}
	if err == nil {
		err = s.servesNow(s.subPath, at(firstPage, ""))
	}
	if err != nil {
		return err
	}
	s.show("pod subpath: %s; pod web: %s", firstPage, thirdPage)
	return s.remove("subpath", 0)
}

// sameNginx checks that pod web's nginx was neither restarted nor replaced.
func (s *story) sameNginx() error {
	p, err := s.pod("web")
	if err != nil {
		return err
	}
	if n := p.Status.ContainerStatuses[0].RestartCount; n != 0 {
		return fmt.Errorf("the container was restarted %d times", n)
	}
	if err := s.nginx.same(); err != nil {
		return err
	}
	s.show("nginx is still process %d of the node", s.nginx.pid)
	return nil
}
