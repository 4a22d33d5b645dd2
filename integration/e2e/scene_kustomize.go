package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const kustomizeExample = "examples/kustomize/web"

// showKustomize applies the example as its README says, and a copy of it in which more and more is edited.
func showKustomize(s *stage) error {
	var all []pod
	copied := s.run("kustomize")
	return s.steps(
		step{"kubectl renders what rendered.yaml holds", s.rendered},
		step{"An edited key: the same pods serve it", func() (err error) {
			all, err = s.editRendered()
			return err
		}},
		step{"Edited links: a ConfigMap of another name, so new pods", func() (err error) {
			err = errors.Join(s.takeBack(all), os.CopyFS(copied, os.DirFS(filepath.Join(s.Source, "examples/kustomize"))))
			err = errors.Join(err, change(copied+"/web/links", "stop-signal", "stop-timeout 20s\nstop-signal"))
			all, err = s.renewed(copied, all, "", err)
			return err
		}},
		step{"A key in a ConfigMap whose name has a hash, too: new pods, and back by kubectl rollout undo", func() error {
			return s.hashed(copied, all)
		}},
	)
}

func (s *stage) rendered() error {
	got, err := s.kubectl("kustomize", kustomizeExample)
	want, err2 := os.ReadFile(filepath.Join(s.Source, "examples/kustomize/rendered.yaml"))
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	if got != string(want) {
		return errors.New("rendered.yaml isn't what kubectl kustomize makes")
	}
	return nil
}

func (s *stage) editRendered() ([]pod, error) {
	if _, err := s.kubectl("apply", "-k", kustomizeExample); err != nil {
		return nil, err
	}
	all, err := s.rolledOut("web")
	if err != nil {
		return nil, err
	}
	const edited = "server { listen 80; root /usr/share/nginx/html; add_header Edition second; }"
	if err := errors.Join(s.edition("", all), s.edit("web", object{"default.conf": edited}), s.edition("second", all)); err != nil {
		return nil, err
	}
	for _, p := range all {
		err = errors.Join(err, s.untouched(p))
	}
	_, err2 := s.status("deploy/web", "/confit-bin/confit", 0)
	return all, errors.Join(err, err2)
}

// takeBack makes the keys what they were, so that new pods don't come in the midst of a swap.
func (s *stage) takeBack(all []pod) error {
	text, err := os.ReadFile(filepath.Join(s.Source, kustomizeExample, "default.conf"))
	return errors.Join(err, s.edit("web", object{"default.conf": string(text)}), s.edition("", all))
}

// edition waits until nginx's own page is served with an edition of the server file.
func (s *stage) edition(edition string, all []pod) error {
	return s.served(want{port: "80", page: "Welcome to nginx!", edition: edition}, all...)
}

// renewed applies a directory after an edit, and waits for pods that are all new and serve an edition.
func (s *stage) renewed(dir string, old []pod, edition string, err error) ([]pod, error) {
	if err != nil {
		return nil, err
	}
	if _, err := s.kubectl("apply", "-k", dir+"/web"); err != nil {
		return nil, err
	}
	return s.replaced(old, edition)
}

func (s *stage) replaced(old []pod, edition string) ([]pod, error) {
	all, err := s.rolledOut("web")
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if slices.ContainsFunc(old, func(o pod) bool { return o.Metadata.UID == p.Metadata.UID }) {
			return nil, fmt.Errorf("pod %s isn't a new one", p.Metadata.Name)
		}
		// A new pod starts on what it finds. Nothing is reloaded.
		lines, err := s.log(p.Metadata.Name)
		if err != nil || strings.Contains(strings.Join(lines, "\n"), `msg="app reloaded"`) {
			return nil, errors.Join(fmt.Errorf("nginx was reloaded in the new pod %s", p.Metadata.Name), err)
		}
	}
	return all, s.edition(edition, all)
}

func (s *stage) hashed(dir string, old []pod) error {
	err := errors.Join(
		change(dir+"/web/kustomization.yaml", "    options:\n      disableNameSuffixHash: true\n", ""),
		change(dir+"/web/default.conf", "listen 80;", "listen 80; add_header Edition third;"))
	all, err := s.renewed(dir, old, "third", err)
	if err != nil {
		return err
	}
	if _, err := s.kubectl("rollout", "undo", "deploy/web"); err != nil {
		return err
	}
	_, err = s.replaced(all, "")
	return err
}

// change replaces a text that must be in a file.
func change(file, old, text string) error {
	content, err := os.ReadFile(file)
	if err == nil && !strings.Contains(string(content), old) {
		err = fmt.Errorf("%s doesn't hold %q", file, old)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(strings.Replace(string(content), old, text, 1)), 0o644)
}
