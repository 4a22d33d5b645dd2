package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"
)

// stage is a namespace, in which one thing after the other is shown.
type stage struct {
	*node
	api      // in the namespace
	page     page
	section  *section       // of the page, which the scene is about
	evidence *bytes.Buffer  // what was shown
	seen     map[string]int // how many log lines of each pod were looked at
}

// enter makes the namespace and waits until pods can be made in it.
func (n *node) enter(namespace string) (*stage, error) {
	s := &stage{node: n, api: n.api, evidence: new(bytes.Buffer), seen: map[string]int{}}
	s.namespace = namespace
	if err := os.WriteFile(s.kubeconfig(), []byte(kubeconfig(adminToken, namespace)), 0o600); err != nil {
		return nil, err
	}
	manifest, err := json.Marshal(object{"metadata": object{"name": namespace}})
	if err == nil {
		_, err = s.create("/api/v1/namespaces", typeJSON, manifest)
	}
	if err != nil {
		return nil, err
	}
	return s, until(s.ctx, "namespace "+namespace+" has what pods get", func() error {
		_, account := s.get(s.path("serviceaccounts", "default"))
		_, root := s.get(s.path(configMaps, "kube-root-ca.crt"))
		return errors.Join(account, root)
	})
}

// leave removes the namespace; it doesn't wait.
func (s *stage) leave() error {
	_, err := s.do(http.MethodDelete, "/api/v1/namespaces/"+s.namespace, typeJSON, nil)
	return err
}

// show notes evidence.
func (s *stage) show(format string, args ...any) { fmt.Fprintf(s.evidence, "   "+format+"\n", args...) }

// step is one of the things that a scene shows.
type step struct {
	heading string
	take    func() error
}

// steps shows one after the other, and how long each took.
func (s *stage) steps(all ...step) error {
	for _, each := range all {
		begin := time.Now()
		s.show("- %s", each.heading)
		if err := each.take(); err != nil {
			return fmt.Errorf("%s: %w", each.heading, err)
		}
		s.show("  ok, %.1f s", time.Since(begin).Seconds())
	}
	return nil
}

func (s *stage) kubeconfig() string { return s.run(s.namespace + ".kubeconfig") }

// rolledOut waits until a Deployment has the pods that it wants, and returns them.
func (s *stage) rolledOut(name string) ([]pod, error) {
	if _, err := s.kubectl("rollout", "status", "deploy/"+name, "--timeout=120s"); err != nil {
		return nil, err
	}
	var all []pod
	err := until(s.ctx, "the old pods of "+name+" are gone", func() (err error) {
		if all, err = s.podsOf(name); err != nil {
			return err
		}
		for _, p := range all {
			if p.Metadata.DeletionTimestamp != nil || p.ready().Status != "True" {
				return fmt.Errorf("pod %s is not the last one", p.Metadata.Name)
			}
		}
		return nil
	})
	return all, err
}

// edit is kubectl edit of a ConfigMap: the keys are replaced; those not named stay, and nil removes one.
func (s *stage) edit(name string, keys any) error {
	return s.patch(s.path(configMaps, name), object{"data": keys})
}
