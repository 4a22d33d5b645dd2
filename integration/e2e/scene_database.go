package main

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A StatefulSet of PostgreSQL, whose entrypoint makes a role, a database and a row in an empty volume. If that were cut
// off, the next start would find a volume that isn't empty, and make nothing: a pod that is ready, without its data.

func showDatabase(s *stage) error {
	return s.steps(
		step{"An edit while the entrypoint makes the database: it waits, and is in force afterwards", s.editWhileMade},
		step{"A roll-out while the entrypoint makes a second one: the new pod finds it whole", s.rollWhileMade},
	)
}

// atWork waits until the entrypoint of a pod makes the database, which has its role then, and no row.
func (s *stage) atWork(pod string) error {
	delete(s.seen, pod)
	return s.logged(pod, `msg="app started"`, "told: working")
}

// finish lets the entrypoint make the rest.
func (s *stage) finish(pod string) error {
	_, err := s.kubectl("exec", pod, "--", "touch", "/tmp/go")
	return err
}

func (s *stage) editWhileMade() error {
	const pod = "database-0"
	if err := errors.Join(s.applyFile("database.yaml"), s.atWork(pod)); err != nil {
		return err
	}
	p, err := s.pod(pod)
	if err != nil {
		return err
	}
	second := object{"postgresql.conf": "cluster_name = 'second'\n"}
	err = errors.Join(s.edit("database", second), s.mounted(p, "database/postgresql.conf", "second"))
	if err == nil {
		err = errors.Join(s.editWaits(pod), s.finish(pod))
	}
	if err == nil {
		err = s.logged(pod, `msg="app restarting"`, `msg="generation accepted" generation=2`)
	}
	if err == nil {
		err = s.hasAll(pod, "working", "made", "found")
	}
	return err
}

// editWaits waits until confit and kubectl confit say that an edit waits for the entrypoint, which works on.
func (s *stage) editWaits(pod string) error {
	const script = "/bin/sh /usr/local/bin/docker-entrypoint.sh"
	found, err := s.status(pod, "confit", 0)
	if err == nil && (found.App.Entrypoint == nil || !strings.Contains(found.App.Entrypoint.Program, script)) {
		err = fmt.Errorf("the status doesn't name the entrypoint: %+v", found)
	}
	if err != nil {
		return err
	}
	const ask = "kubectl confit status configmap/database"
	err = until(s.ctx, "the edit waits for the entrypoint", func() error {
		text, err := s.shell(ask)
		if err == nil && !strings.Contains(text, "waits for the app's entrypoint "+script+", until ") {
			err = errors.New(text)
		}
		return err
	})
	if err != nil {
		return err
	}
	said, err := s.says("", ask)
	return errors.Join(err, said.is(0, " on its way "), s.toldAll(pod, "working"))
}

// rollWhileMade scales the StatefulSet up, and rolls it out at once: the last pod is the first to go.
func (s *stage) rollWhileMade() error {
	const pod = "database-1"
	if _, err := s.kubectl("scale", "statefulset/database", "--replicas=2"); err != nil {
		return err
	}
	err := s.atWork(pod)
	if err == nil {
		err = s.replaceAtWork(pod)
	}
	if err == nil {
		_, err = s.kubectl("rollout", "status", "statefulset/database", "--timeout=120s")
	}
	if err != nil {
		return err
	}
	return errors.Join(s.hasAll(pod, "found"), s.hasAll("database-0", "found"))
}

// replaceAtWork has the roll-out stop a pod whose entrypoint works, and holds that the pod ends well.
func (s *stage) replaceAtWork(pod string) error {
	watch, err := s.watch(pod)
	if err != nil {
		return err
	}
	defer watch.Close()
	log, err := s.open(http.MethodGet, s.path(pods, pod, "log")+"?follow=true", typeJSON, nil)
	if err != nil {
		return err
	}
	defer log.Close()
	begin := time.Now()
	if _, err := s.kubectl("rollout", "restart", "statefulset/database"); err != nil {
		return err
	}
	if err := s.logged(pod, `msg="stop requested"`); err != nil {
		return err
	}
	if err := errors.Join(s.toldAll(pod, "working"), s.finish(pod)); err != nil {
		return err
	}
	s.showLast(log, "told: made", `msg="app exited"`)
	code, err := lastExit(watch)
	took := time.Since(begin)
	s.show("the old pod: exit code %d, gone after %.1f s (grace period: 90 s)", code, took.Seconds())
	if err == nil && code != 0 {
		err = errors.New("the old pod didn't end well")
	}
	return err
}

// toldAll holds what the entrypoint of a pod has told since the container was started.
func (s *stage) toldAll(pod string, want ...string) error {
	told, err := s.told(pod)
	if err == nil && !slices.Equal(told, want) {
		err = fmt.Errorf("the entrypoint of pod %s told %q, not %q", pod, told, want)
	}
	return err
}

// hasAll holds that a database is whole, as its role sees it, that PostgreSQL has the newest configuration, and that the
// pod's container is the first.
func (s *stage) hasAll(pod string, told ...string) error {
	p, err := s.awaitReady(pod)
	if err != nil {
		return err
	}
	for question, want := range map[string]string{"SHOW cluster_name": "second", "SELECT note FROM notes": "kept"} {
		text, err := s.kubectl("exec", pod, "--", "psql", "--host=127.0.0.1", "--username=app", "--no-align",
			"--tuples-only", "--command="+question)
		if err != nil {
			return err
		}
		got := strings.TrimSpace(text)
		s.show("%s: %s: %s", pod, question, got)
		if got != want {
			return fmt.Errorf("PostgreSQL in pod %s answers %s by %q, not %q", pod, question, got, want)
		}
	}
	return errors.Join(s.toldAll(pod, told...), s.untouched(p))
}
