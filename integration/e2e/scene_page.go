package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// What the page shows, and what it promises of that.

// applyNext is kubectl apply of the section's next manifest.
func (s *stage) applyNext() error {
	manifest, err := s.section.next("yaml")
	if err == nil {
		err = s.apply(manifest)
	}
	return err
}

// deployNext waits for the pods, too.
func (s *stage) deployNext() ([]pod, error) {
	if err := s.applyNext(); err != nil {
		return nil, err
	}
	return s.rolledOut("web")
}

// commands are the lines of the section's next shell block, which must be these.
func (s *stage) commands(known ...string) error {
	text, err := s.section.next("sh")
	if lines := strings.Split(strings.TrimSpace(text), "\n"); err == nil && !slices.Equal(lines, known) {
		err = fmt.Errorf("the commands of section %q are %q; shown are %q", s.section.heading, lines, known)
	}
	return err
}

// applyWeb makes the ConfigMap of the first section, which the others use, too.
func (s *stage) applyWeb() error {
	configMap, _, _ := strings.Cut(s.page.section(moveSection).first("yaml"), "\n---\n")
	return s.apply(configMap)
}

// deployWeb makes what the first section ends with.
func (s *stage) deployWeb() ([]pod, error) {
	if err := errors.Join(s.applyWeb(), s.apply(s.page.section(moveSection).last("yaml"))); err != nil {
		return nil, err
	}
	return s.rolledOut("web")
}

// onPage is what the page's server serves.
func onPage(page string) want { return want{port: "80", page: page} }

// secondEdition is the editor of the one who is asked to edit.
const secondEdition = "KUBE_EDITOR=sed -i s/first/second/"

func showMove(s *stage) error {
	var before, after []pod
	return s.steps(
		step{"Before: an edit arrives in the volume, and never in the container", func() (err error) {
			if before, err = s.deployNext(); err != nil {
				return err
			}
			return s.staysOld(before, onPage(firstPage), secondPage)
		}},
		step{"After: the links file and the Dockerfile are built, the Deployment rolls over", func() (err error) {
			_, err1 := s.section.next("links")
			_, err2 := s.section.next("dockerfile")
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			if after, err = s.deployNext(); err != nil {
				return err
			}
			return s.served(onPage(secondPage), after...)
		}},
		step{"The page's commands: an edit is served by both replicas, and logged", func() error { return s.tryIt(after) }},
		step{"A mistake: nothing happens but a line of the log", func() error { return s.tryMistake(after) }},
	)
}

// staysOld edits the page, which is mounted by subPath.
func (s *stage) staysOld(all []pod, old want, page string) error {
	if err := s.served(old, all...); err != nil {
		return err
	}
	if err := s.edit("web", object{"index.html": "<p>" + page}); err != nil {
		return err
	}
	for _, p := range all {
		if err := errors.Join(s.mounted(p, "web/index.html", page), s.servesNow(p, old)); err != nil {
			return err
		}
	}
	s.show("the volumes hold %q, the containers serve %q", page, old.page)
	return nil
}

// mounted waits until the kubelet has swapped a ConfigMap's volume, and a key holds a text.
func (s *stage) mounted(p pod, key, text string) error {
	file := filepath.Join(s.run("kubelet/pods"), p.Metadata.UID, "volumes/kubernetes.io~configmap", key)
	return until(s.ctx, "the kubelet swaps the volume", func() error {
		content, err := os.ReadFile(file)
		if err == nil && !strings.Contains(string(content), text) {
			err = fmt.Errorf("it holds %q", content)
		}
		return err
	})
}

// tryIt runs the commands of the page.
func (s *stage) tryIt(all []pod) error {
	const edit, follow = "kubectl edit configmap web", "kubectl logs deploy/web --follow"
	if err := s.commands(edit, follow, askStatus); err != nil {
		return err
	}
	if _, err := s.shell(edit, "KUBE_EDITOR=sed -i s/second/third/"); err != nil {
		return err
	}
	if err := s.served(onPage(thirdPage), all...); err != nil {
		return err
	}
	// The kubelet can't follow a log when all inotify instances are in use.
	err := until(s.ctx, "the log tells of the edit", func() error { return s.follows(follow, `msg="generation published" generation=2`) })
	if err != nil {
		return err
	}
	return s.atTerminal(askStatus, 0, "what is mounted is live")
}

// askStatus shows a text for people, as there is a terminal.
const askStatus = "kubectl exec deploy/web -- confit --status"

// atTerminal runs a command at a terminal, and holds its exit code and what it shows.
func (s *stage) atTerminal(command string, code int, words string) error {
	text, err := answer(s.program(nil, "script", "--quiet", "--return", "--command", command, "/dev/null"), "")
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	}
	if got != code || !strings.Contains(text, words) || strings.Contains(text, "{") {
		return errors.Join(fmt.Errorf("%s ended with %d, not %d, or shows no text for people with %q: %s", command, got, code, words, text), err)
	}
	s.show("%s, exit code %d:", command, code)
	for line := range strings.Lines(text) {
		s.show("  %s", strings.TrimSpace(line))
	}
	return nil
}

// follows runs a command that follows a log until it says these words.
func (s *stage) follows(command, words string) error {
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	log := s.program(nil, "sh", "-c", "exec "+command)
	lines, err := log.StdoutPipe()
	if err == nil {
		err = log.Start()
	}
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { _ = log.Process.Kill() })
	defer func() { cancel(); _ = log.Wait() }()
	for scanner := bufio.NewScanner(lines); scanner.Scan(); {
		if strings.Contains(scanner.Text(), words) {
			s.show("%s", scanner.Text())
			return nil
		}
	}
	return fmt.Errorf("it doesn't say %s", words)
}

func (s *stage) tryMistake(all []pod) error {
	if _, err := s.shell("kubectl edit configmap web", `KUBE_EDITOR=sed -i "s/listen 80;/listen 80/"`); err != nil {
		return err
	}
	for _, p := range all {
		name := p.Metadata.Name
		if err := s.logged(name, `msg="candidate rejected" step=validate`); err != nil {
			return err
		}
		if err := errors.Join(s.rejected(name, "confit", "validate"), s.servesNow(p, onPage(thirdPage)), s.untouched(p)); err != nil {
			return err
		}
	}
	return s.atTerminal(askStatus, 3, "REJECTED")
}

// untouched holds that a pod is ready, and that its containers have never been restarted.
func (s *stage) untouched(p pod) error {
	now, err := s.pod(p.Metadata.Name)
	if err != nil {
		return err
	}
	if now.ready().Status != "True" {
		return fmt.Errorf("pod %s isn't ready", p.Metadata.Name)
	}
	for _, c := range now.Status.ContainerStatuses {
		if c.RestartCount != 0 {
			return fmt.Errorf("a container of pod %s was restarted %d times", p.Metadata.Name, c.RestartCount)
		}
	}
	return nil
}

func showHurry(s *stage) error {
	all, err := s.deployWeb()
	if err != nil {
		return err
	}
	const annotate = `kubectl annotate pod -l app=web --overwrite edited="$(date +%s)"`
	if err := s.commands(annotate); err != nil {
		return err
	}
	if _, err := s.shell("kubectl edit configmap web", secondEdition); err != nil {
		return err
	}
	if _, err := s.shell(annotate); err != nil {
		return err
	}
	return s.served(onPage(secondPage), all...)
}
