package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// How pods end, and how they refuse to start.

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
	reloads := 0
	for _, line := range lines {
		if strings.Contains(line, "msg=") {
			show("%s", line)
		}
		if strings.Contains(line, `msg="app reloaded" signal=HUP`) {
			reloads++
		}
	}
	if reloads != 1 {
		return fmt.Errorf("one rotation of two keys, but nginx was reloaded %d times", reloads)
	}
	for _, key := range []string{"BEGIN", "PRIVATE"} {
		if strings.Contains(strings.Join(lines, "\n"), key) {
			return errors.New("the log holds what was in the Secret")
		}
	}
	return errors.Join(nginx.same(), s.remove("memory", 0))
}
