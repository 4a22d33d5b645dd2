package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
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
		{"An edit of the page: served, nginx isn't told", st.editPage},
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
	if lines, err := s.log("web"); err != nil || strings.Contains(strings.Join(lines, "\n"), `msg="app told"`) {
		return errors.Join(errors.New("nginx was told although the link says reload=none"), err)
	}
	return s.sameNginx()
}

func (s *story) editSite() error {
	if err := errors.Join(s.edit(s.site("second")), s.served(s.web, secondPage, "second")); err != nil {
		return err
	}
	if err := s.logged(`msg="generation published" generation=3`, `msg="app told" signal=HUP`); err != nil {
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
	if err := s.logged(`msg="generation published"`, `msg="app told" signal=HUP`); err != nil {
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

// end deletes the pod while a request is under way, and sees that nginx answers it before it goes.
func (s *story) end() error {
	request, err := s.beginRequest(s.web)
	if err != nil {
		return err
	}
	defer func() { _ = request.Close() }()
	log, err := s.open(http.MethodGet, pods+"/web/log?follow=true", typeJSON, nil)
	if err != nil {
		return err
	}
	defer log.Close()
	now, err := s.pod("web")
	if err != nil {
		return err
	}
	since := "&resourceVersion=" + now.Metadata.ResourceVersion
	watch, err := s.open(http.MethodGet, pods+"?watch=true&fieldSelector=metadata.name=web"+since, typeJSON, nil)
	if err != nil {
		return err
	}
	defer watch.Close()
	begin := time.Now()
	if _, err := s.do(http.MethodDelete, pods+"/web", typeJSON, nil); err != nil {
		return err
	}
	if err := s.logged(`msg="stop requested"`); err != nil {
		return err
	}
	if err := s.refused(s.web); err != nil {
		return err
	}
	if err := request.finish(thirdPage); err != nil {
		return fmt.Errorf("the request that was under way: %w", err)
	}
	show("a request that was half sent before the delete is answered with 200")
	showLast(log, `msg="stop requested"`, `msg="app exited"`)
	code, err := lastExit(watch)
	if err != nil {
		return err
	}
	took := time.Since(begin)
	show("container ended with exit code %d; the pod was gone after %.1f s (grace period: 30 s)", code, took.Seconds())
	if code != 0 || took > 30*time.Second {
		return errors.New("that isn't a graceful end")
	}
	return s.nginx.gone()
}

// lastExit reads a watch of a pod until it is deleted.
func lastExit(watch interface{ Read([]byte) (int, error) }) (int, error) {
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

func (s *story) startBad() error {
	if err := errors.Join(s.edit(s.badSite()), s.startPod(s.example, "late", nil)); err != nil {
		return err
	}
	if err := s.ended("late", 78, "cannot start: the first configuration was rejected", "[emerg]"); err != nil {
		return err
	}
	if err := s.edit(s.data); err != nil {
		return err
	}
	late, err := s.awaitReady("late")
	if err != nil {
		return err
	}
	show("ready after the ConfigMap was mended, restarts: %d", late.Status.ContainerStatuses[0].RestartCount)
	return errors.Join(s.served(late, firstPage, ""), s.remove("late", 0))
}

// ended waits until a pod's container ended so that Kubernetes backs off, and checks its code and last words.
func (s *story) ended(name string, code int, words ...string) error {
	p, err := s.await(name, "is in CrashLoopBackOff", func(p pod) bool {
		w := p.Status.ContainerStatuses[0].State.Waiting
		return w != nil && w.Reason == "CrashLoopBackOff"
	})
	if err != nil {
		return err
	}
	last := p.Status.ContainerStatuses[0].LastState.Terminated
	if last == nil {
		return errors.New("there is no lastState")
	}
	show("state: CrashLoopBackOff, lastState: exit code %d, message:", last.ExitCode)
	for line := range strings.Lines(last.Message) {
		show("  %s", strings.TrimRight(line, "\n"))
	}
	if last.ExitCode != code {
		return fmt.Errorf("the exit code isn't %d", code)
	}
	for _, w := range words {
		if !strings.Contains(last.Message, w) {
			return fmt.Errorf("the termination message doesn't hold %q", w)
		}
	}
	return nil
}

// tlsSite has a port with TLS. "../tls" leads to the candidate's when it is checked, and from /etc/nginx to /etc/tls.
func (s *story) tlsSite() map[string]string {
	tls := "listen 8443 ssl;\n    ssl_certificate ../tls/tls.crt;\n    ssl_certificate_key ../tls/tls.key;"
	return map[string]string{"site.conf": strings.Replace(s.data["site.conf"], "listen 8080;", "listen 8080;\n    "+tls, 1)}
}

func (s *story) refuseDisk() error {
	secret, err := certificate("one")
	if err != nil {
		return err
	}
	manifest, err := json.Marshal(object{"metadata": object{"name": "tls"}, "type": "kubernetes.io/tls", "stringData": secret})
	if err != nil {
		return err
	}
	if _, err := s.create(secrets, typeJSON, manifest); err != nil {
		return err
	}
	err = errors.Join(s.edit(s.tlsSite()), s.startPod(s.example, "disk", withSecret(object{})))
	if err != nil {
		return err
	}
	return errors.Join(s.ended("disk", 71, "{medium: Memory}", "--allow-disk"), s.remove("disk", 0))
}

func (s *story) rotate() error {
	if err := s.startPod(s.example, "memory", withSecret(object{"medium": "Memory"})); err != nil {
		return err
	}
	p, err := s.awaitReady("memory")
	if err != nil {
		return err
	}
	nginx, err := nginxOf(p)
	if err != nil {
		return err
	}
	if err := s.presents(p, "one"); err != nil {
		return err
	}
	secret, err := certificate("two")
	if err != nil {
		return err
	}
	if err := errors.Join(s.patch(secrets+"/tls", object{"stringData": secret}), s.presents(p, "two")); err != nil {
		return err
	}
	lines, err := s.log("memory")
	if err != nil {
		return err
	}
	told := 0
	for _, line := range lines {
		if strings.Contains(line, "msg=") {
			show("%s", line)
		}
		if strings.Contains(line, `msg="app told" signal=HUP`) {
			told++
		}
	}
	if told != 1 {
		return fmt.Errorf("one rotation of two keys, but nginx was told %d times", told)
	}
	for _, key := range []string{"BEGIN", "PRIVATE"} {
		if strings.Contains(strings.Join(lines, "\n"), key) {
			return errors.New("the log holds what was in the Secret")
		}
	}
	return errors.Join(nginx.same(), s.remove("memory", 0))
}

// logged waits until lines that hold these words are in the log of pod web, one after the other, and shows them. Lines that
// were looked at once aren't looked at again.
func (s *story) logged(words ...string) error {
	for _, w := range words {
		err := until(s.ctx, "the log says "+w, func() error {
			lines, err := s.log("web")
			if err != nil {
				return err
			}
			for i := s.seen; i < len(lines); i++ {
				if strings.Contains(lines[i], w) {
					s.seen = i + 1
					show("%s", lines[i])
					return nil
				}
			}
			return errors.New("it does not")
		})
		if err != nil {
			return err
		}
	}
	return nil
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
	return s.nginx.same()
}

// show prints evidence.
func show(format string, args ...any) { fmt.Printf("   "+format+"\n", args...) }

// explain prints the logs and states of the pods that there are, for a run that failed.
func (s *story) explain() {
	text, err := s.get(pods)
	var list struct {
		Items []struct {
			Metadata struct{ Name string }
			Status   json.RawMessage
		}
	}
	if err = errors.Join(err, json.Unmarshal(text, &list)); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	for _, p := range list.Items {
		path := pods + "/" + p.Metadata.Name + "/log?tailLines=50"
		log, _ := s.get(path)
		previous, _ := s.get(path + "&previous=true")
		fmt.Fprintf(os.Stderr, "\n-- pod %s\n%s\n-- previous log\n%s\n-- log\n%s\n", p.Metadata.Name, p.Status, previous, log)
	}
}
