package main

import (
	"context"
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

// story is what the steps share. The first of them start the pods that the others look at.
type story struct {
	api
	settings
	example
	web, subPath pod
	nginx        process // of pod web
	seen         int     // log lines of pod web that were looked at
}

// takeSteps shows and checks one thing after the other.
func takeSteps(ctx context.Context, s settings, cluster api) (err error) {
	example, err := cluster.applyExample(s.Source)
	if err != nil {
		return err
	}
	st := &story{api: cluster, settings: s, example: example}
	for i, step := range []struct {
		heading string
		take    func() error
	}{
		{"The example's pod serves the page, and so does one without confit", st.start},
		{"An edit of the page: served, nginx isn't reloaded", st.editPage},
		{"An edit of the server file: checked, served after HUP, by the same nginx", st.editSite},
		{"A bad edit: rejected, the pod serves what it served and stays ready", st.breakIt},
		{"The bad edit taken back: nothing to do", st.revert},
		{"The bad edit mended: served", st.mend},
		{"subPath beside it: still the first edition", st.compare},
		{"How long an edit takes", st.measure},
		{"kubectl delete: the open request is answered, exit code 0", st.end},
		{"A pod that starts on a bad ConfigMap: exit code 78, and why; started again once it is mended", st.startBad},
		{"A Secret, with the state directory on disk: refused with exit code 71 and a hint", st.refuseDisk},
		{"A Secret, with the state directory in memory: served, and rotated", st.rotate},
	} {
		fmt.Printf("\n== %d. %s\n", i+1, step.heading)
		begin := time.Now()
		if err := step.take(); err != nil {
			st.explain()
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		fmt.Printf("   ok, %.1f s\n", time.Since(begin).Seconds())
	}
	fmt.Println()
	return nil
}

// edit is kubectl edit configmap web: the keys are replaced; those not named stay.
func (s *story) edit(keys map[string]string) error {
	return s.patch(configMaps+"/web", object{"data": keys})
}

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
	if !strings.Contains(s.data["index.html"], firstPage) {
		return fmt.Errorf("index.html doesn't hold %q", firstPage)
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
	if err := errors.Join(s.served(s.web, firstPage, ""), s.served(s.subPath, firstPage, "")); err != nil {
		return err
	}
	if s.nginx, err = nginxOf(s.web); err != nil {
		return err
	}
	return s.logged(`msg="confit started"`, `msg="generation published" generation=1`, `msg="app started"`)
}

func (s *story) editPage() error {
	if err := errors.Join(s.edit(s.page(secondPage)), s.served(s.web, secondPage, "")); err != nil {
		return err
	}
	if err := s.logged(`msg="generation published" generation=2`); err != nil {
		return err
	}
	if lines, err := s.log("web"); err != nil || strings.Contains(strings.Join(lines, "\n"), `msg="app reloaded"`) {
		return errors.Join(errors.New("nginx was reloaded although the link says reload=none"), err)
	}
	return s.sameNginx()
}

func (s *story) editSite() error {
	if err := errors.Join(s.edit(s.site("second")), s.served(s.web, secondPage, "second")); err != nil {
		return err
	}
	if err := s.logged(`msg="generation published" generation=3`, `msg="app reloaded" signal=HUP`); err != nil {
		return err
	}
	return s.sameNginx()
}

func (s *story) breakIt() error {
	before := ready(s.web)
	if err := s.edit(s.badSite()); err != nil {
		return err
	}
	if err := s.logged(`[emerg]`, `msg="candidate rejected" step=validate`); err != nil {
		return err
	}
	// Two periods of the readiness probe, which three failures would make unready.
	for end := time.Now().Add(2 * 5 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if err := s.servesNow(s.web, secondPage, "second"); err != nil {
			return err
		}
		p, err := s.pod("web")
		if err != nil {
			return err
		}
		if now := ready(p); now != before || now.Status != "True" {
			return fmt.Errorf("the pod's readiness was %v and is %v", before, now)
		}
	}
	return s.sameNginx()
}

// ready is the condition, with the time since when it is as it is.
func ready(p pod) condition {
	for _, c := range p.Status.Conditions {
		if c.Type == "Ready" {
			return c
		}
	}
	return condition{}
}

func (s *story) revert() error {
	if err := s.edit(s.site("second")); err != nil {
		return err
	}
	if err := s.logged(`msg="mounted configuration is live again" generation=3`); err != nil {
		return err
	}
	return errors.Join(s.servesNow(s.web, secondPage, "second"), s.sameNginx())
}

func (s *story) mend() error {
	if err := s.edit(s.badSite()); err != nil {
		return err
	}
	if err := s.logged(`msg="candidate rejected" step=validate`); err != nil {
		return err
	}
	keys := s.site("third")
	keys["index.html"] = s.page(thirdPage)["index.html"]
	if err := errors.Join(s.edit(keys), s.served(s.web, thirdPage, "third")); err != nil {
		return err
	}
	if err := s.logged(`msg="generation published"`, `msg="app reloaded" signal=HUP`); err != nil {
		return err
	}
	return s.sameNginx()
}

func (s *story) compare() error {
	if err := errors.Join(s.servesNow(s.subPath, firstPage, ""), s.servesNow(s.web, thirdPage, "third")); err != nil {
		return err
	}
	// It isn't nginx that keeps it: a reload changes nothing either.
	nginx, err := nginxOf(s.subPath)
	if err == nil {
		err = nginx.reload()
	}
	if err == nil {
		err = s.servesNow(s.subPath, firstPage, "")
	}
	if err != nil {
		return err
	}
	show("pod subpath: %s; pod web: %s", firstPage, thirdPage)
	return s.remove("subpath", 0)
}
