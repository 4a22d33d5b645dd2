package main

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// How pods end, and how they refuse to start.

// end deletes the pod while a request is under way, and sees that nginx answers it before it goes.
func (s *story) end() error {
	request, err := s.beginRequest(s.web, "8080")
	if err != nil {
		return err
	}
	defer func() { _ = request.Close() }()
	log, err := s.open(http.MethodGet, s.path(pods, "web", "log")+"?follow=true", typeJSON, nil)
	if err != nil {
		return err
	}
	defer log.Close()
	watch, err := s.watch("web")
	if err != nil {
		return err
	}
	defer watch.Close()
	begin := time.Now()
	if _, err := s.do(http.MethodDelete, s.path(pods, "web"), typeJSON, nil); err != nil {
		return err
	}
	if err := s.logged("web", `msg="stop requested"`); err != nil {
		return err
	}
	if err := s.refused(s.web, "8080"); err != nil {
		return err
	}
	if err := request.finish(at(thirdPage, "third")); err != nil {
		return fmt.Errorf("the request that was under way: %w", err)
	}
	s.show("a request that was half sent before the delete is answered with 200")
	s.showLast(log, `msg="stop requested"`, `msg="app exited"`)
	code, err := lastExit(watch)
	if err != nil {
		return err
	}
	took := time.Since(begin)
	s.show("container ended with exit code %d; the pod was gone after %.1f s (grace period: 30 s)", code, took.Seconds())
	if code != 0 || took > 30*time.Second {
		return errors.New("that isn't a graceful end")
	}
	return s.nginx.gone()
}

func (s *story) startBad() error {
	if err := errors.Join(s.edit("web", s.badSite()), s.startPod(s.example, "late", nil)); err != nil {
		return err
	}
	if err := s.ended("late", 78, "cannot start: the first configuration was rejected", "[emerg]"); err != nil {
		return err
	}
	if err := s.edit("web", s.data); err != nil {
		return err
	}
	late, err := s.awaitReady("late")
	if err != nil {
		return err
	}
	s.show("ready after the ConfigMap was fixed, restarts: %d", late.Status.ContainerStatuses[0].RestartCount)
	return errors.Join(s.served(at(firstPage, ""), late), s.remove("late", 0))
}

// ended waits until a pod's container ended so that Kubernetes backs off, and checks its code and last words.
func (s *stage) ended(name string, code int, words ...string) error {
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
	s.show("state: CrashLoopBackOff, lastState: exit code %d, message:", last.ExitCode)
	for line := range strings.Lines(last.Message) {
		s.show("  %s", strings.TrimRight(line, "\n"))
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
