package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Pods of which one doesn't take what the others take.

// refuses is what a pod's validator says once it is told to refuse.
const refuses = "this pod refuses"

// names are those of the pods of an app, sorted: the order in which they are synced.
func (s *verdicts) names(app string) (names []string, err error) {
	all, err := s.podsOf(app)
	for _, p := range all {
		names = append(names, p.Metadata.Name)
	}
	slices.Sort(names)
	return names, err
}

// scale gives the Deployment so many pods, which all have accepted a text, and then has one of them refuse whatever comes.
func (s *verdicts) scale(n, refusing int, text string) ([]string, error) {
	if _, err := s.kubectl("scale", "deploy/page", fmt.Sprint("--replicas=", n)); err != nil {
		return nil, err
	}
	if _, err := s.rolledOut("page"); err != nil {
		return nil, err
	}
	names, err := s.names("page")
	if err == nil && len(names) != n {
		err = fmt.Errorf("there are %d pods, not %d", len(names), n)
	}
	for _, name := range names {
		_, told := s.kubectl("exec", name, "--", "rm", "-f", "/tmp/refuses")
		err = errors.Join(err, told)
	}
	if err := errors.Join(err, s.applyText(text)); err != nil {
		return nil, err
	}
	if _, err := s.ends(0, "kubectl confit sync configmap/page --all"); err != nil {
		return nil, err
	}
	_, err = s.kubectl("exec", names[refusing], "--", "touch", "/tmp/refuses")
	return names, err
}

func (s *verdicts) applyText(text string) error {
	if err := s.write("page.yaml", configMaps, "page", map[string]string{"text": text}); err != nil {
		return err
	}
	_, err := s.kubectl("apply", "-f", s.dir+"/page.yaml")
	return err
}

// oneRejects hurries all pods at once, as somebody does who has no plugin.
func (s *verdicts) oneRejects() error {
	names, err := s.scale(3, 1, "one of three")
	if err := errors.Join(err, s.applyText("two")); err != nil {
		return err
	}
	if err := s.marks("edited=now"); err != nil {
		return err
	}
	if _, err := s.ends(3, "kubectl confit wait configmap/page", names[1], refuses); err != nil {
		return err
	}
	if _, err := s.ends(3, "kubectl confit status deployment/page", "rejected", refuses); err != nil {
		return err
	}
	return s.states("deployment/page", map[string]int{"accepted": 2, "rejected": 1})
}

// states holds how many pods are in which state.
func (s *verdicts) states(of string, want map[string]int) error {
	a, err := s.says("", "kubectl confit status "+of+" -o json")
	var found struct{ Pods []struct{ State string } }
	if err := errors.Join(err, json.Unmarshal([]byte(a.out), &found)); err != nil {
		return err
	}
	got := map[string]int{}
	for _, p := range found.Pods {
		got[p.State]++
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("the states of %s are %v, not %v", of, got, want)
	}
	return nil
}

// marks sets an annotation of each pod, or takes it away.
func (s *verdicts) marks(annotation string) error {
	_, err := s.kubectl("annotate", "pod", "-l", "app=page", "--overwrite", annotation)
	return err
}

func (s *verdicts) waves() error {
	names, err := s.scale(5, 2, "one of five")
	if err != nil {
		return err
	}
	for _, text := range []string{"three", "four", "five"} {
		asked, err := s.wave(names[2], text)
		s.show("asked were %q of %q", asked, names)
		switch {
		case err != nil || slices.Equal(asked, names[:3]):
			return err
		case len(asked) > 0: // else the kubelet has looked by itself, and nobody had to be asked
			return fmt.Errorf("asked were %q, not the first three of %q", asked, names)
		}
	}
	return errors.New("the kubelet looked by itself each time")
}

// wave syncs an edit that a pod rejects, and returns the pods that were asked to look.
func (s *verdicts) wave(rejects, text string) (asked []string, err error) {
	// An annotation that goes has the kubelet look, too.
	if err := errors.Join(s.marks("confit/sync-"), s.applyText(text)); err != nil {
		return nil, err
	}
	if _, err := s.ends(3, "kubectl confit sync configmap/page", rejects, refuses); err != nil {
		return nil, err
	}
	const list = `jsonpath={range .items[*]}{.metadata.name} {.metadata.annotations.confit/sync}{"\n"}{end}`
	table, err := s.kubectl("get", "pods", "-l", "app=page", "-o", list)
	for line := range strings.Lines(table) {
		if name, mark, _ := strings.Cut(strings.TrimSpace(line), " "); mark != "" {
			asked = append(asked, name)
		}
	}
	slices.Sort(asked)
	return asked, err
}

// undo applies what passes the check in a copy, and is rejected by one of the pods.
func (s *verdicts) undo() error {
	if _, err := s.scale(3, 2, "before"); err != nil {
		return err
	}
	if err := s.write("page.yaml", configMaps, "page", map[string]string{"text": "four"}); err != nil {
		return err
	}
	if _, err := s.ends(3, "kubectl confit apply -f page.yaml --undo", refuses); err != nil {
		return err
	}
	text, err := s.kubectl("get", "configmap", "page", "-o", "jsonpath={.data.text}")
	if err == nil && text != "before" {
		err = fmt.Errorf("the ConfigMap has %q, and had %q", text, "before")
	}
	return err
}

// complete asks as kubectl's completion does: it runs the program kubectl_complete-confit that is on the PATH.
func (s *verdicts) complete() error {
	const link = "ln -s kubectl-confit /usr/local/bin/kubectl_complete-confit     # beside kubectl-confit"
	if err := errors.Join(s.turnTo("Completion"), s.commands(link)); err != nil { // prepare.go does that beside kubectl
		return err
	}
	for line, words := range map[string][]string{
		"kubectl __complete confit ''":                 {"status", "wait", "sync", "check", "apply", "inject"},
		"kubectl __complete confit wait configmap/p":   {"configmap/page", "configmap/prometheus"},
		"kubectl __complete confit status deployment/": {"deployment/locked", "deployment/page", "deployment/web"},
	} {
		if _, err := s.ends(0, line, words...); err != nil {
			return err
		}
	}
	return nil
}
