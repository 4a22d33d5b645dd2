package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"confit/integration/markdown"
)

// A verdict in seconds: kubectl confit, with a kubelet that looks at its pods as seldom as one does by itself. pluginPath says what there
// is to do.
const pluginPath = "docs/kubectl.md"

// verdicts are the pods that are asked for one.
type verdicts struct {
	*stage
	guide  page
	dir    string // where the page's commands are run
	people int    // who have had rights
}

func showVerdict(sc *stage) (err error) {
	s := &verdicts{stage: sc, dir: sc.run("verdict")}
	if err := s.readGuide(); err != nil {
		return err
	}
	defer func() {
		_, again := s.lookEvery("1s")
		err = errors.Join(err, again)
	}()
	return s.steps(
		step{"The examples of nginx and prometheus, and other pods; the kubelet has its own period", s.start},
		step{"apply: a good edit is checked, applied, synced and told", s.applyGood},
		step{"sync: the same in two lines, after kubectl apply", s.syncGood},
		step{"A bad edit is refused before it is applied, by nginx's own words and by promtool's", s.refuseBad},
		step{"check --in-place: beside the app, without a pod", s.inPlace},
		step{"A copy that can't be scheduled is said, and is gone after ^C", s.unschedulable},
		step{"A Secret is checked: its values are nowhere", s.checkSecret},
		step{"status and wait: one of three pods rejects the edit", s.oneRejects},
		step{"sync: the third of five pods rejects the edit, so the others aren't asked", s.waves},
		step{"apply --undo: what one pod rejects is put back in the same run", s.undo},
		step{"Two lines of a pipeline: kubectl apply, kubectl confit wait; nobody hurries the kubelet", s.pipeline},
		step{"Completion, by kubectl", s.complete},
		step{"Each verb with the rights of examples/kubectl, and without each of them; both policies are in force", s.rights},
		step{"The Job of " + operationsPath + " waits for the verdict from inside the cluster", s.waitingJob},
	)
}

// sections are those of the page that have commands, in the order in which they are run.
var sections = []string{"sync", "In a pipeline", "Completion", "Rights"}

// readGuide keeps the page's commands. What they print stands there, too.
func (s *verdicts) readGuide() (err error) {
	if s.guide, err = readPage(filepath.Join(s.Source, pluginPath)); err != nil {
		return err
	}
	for _, section := range s.guide {
		section.blocks = slices.DeleteFunc(section.blocks, func(b markdown.Block) bool { return b.Language != "sh" })
		if len(section.blocks) > 0 && !slices.Contains(sections, section.heading) {
			return fmt.Errorf("nobody runs the commands of section %q of %s", section.heading, pluginPath)
		}
	}
	return nil
}

// start waits for all pods, and then for a kubelet that has just looked.
func (s *verdicts) start() error {
	locked, err1 := s.lockedPods()
	web, err2 := s.webPods()
	if err := errors.Join(err1, err2, os.MkdirAll(s.dir, 0o755), s.apply(locked), s.apply(web), s.applyFile("verdict.yaml")); err != nil {
		return err
	}
	if _, err := s.kubectl("apply", "-f", "examples/prometheus/kubernetes.yaml"); err != nil {
		return err
	}
	for _, name := range []string{"web", "prometheus", "page", "locked"} {
		if _, err := s.rolledOut(name); err != nil {
			return err
		}
	}
	period, err := s.lookEvery("0s")
	s.show("syncFrequency: %s", period)
	if err == nil && period != "1m0s" {
		err = fmt.Errorf("the kubelet looks every %s, and not as it does by itself", period)
	}
	return err
}

// webPods is the example of nginx with three replicas, and with its state in memory, where a running pod tries something.
func (s *verdicts) webPods() (string, error) {
	manifest, err := os.ReadFile(filepath.Join(s.Source, "examples/nginx/kubernetes.yaml"))
	if err != nil {
		return "", err
	}
	return changed(string(manifest), map[string]string{"replicas: 2": "replicas: 3", "{name: state, emptyDir: {}}": "{name: state, emptyDir: {medium: Memory}}"})
}

// changed is a manifest with other texts in the place of some that it must have.
func changed(manifest string, texts map[string]string) (string, error) {
	for old, other := range texts {
		if !strings.Contains(manifest, old) {
			return "", fmt.Errorf("the manifest has no %q", old)
		}
		manifest = strings.ReplaceAll(manifest, old, other)
	}
	return manifest, nil
}

// turnTo turns to the section of a verb.
func (s *verdicts) turnTo(verb string) error {
	err := s.section.done()
	s.section = s.guide.section(verb)
	return err
}

// follow runs the section's next commands, which must be these, and end so.
func (s *verdicts) follow(code int, command string, words ...string) (said, error) {
	if err := s.commands(strings.Split(command, "\n")...); err != nil {
		return said{}, err
	}
	return s.ends(code, command, words...)
}

// ends runs commands where the files are, which must end with an exit code and print all these words.
func (s *verdicts) ends(code int, command string, words ...string) (said, error) {
	a, err := s.says("", "cd "+s.dir+"\n"+command)
	if err == nil {
		err = a.is(code, words...)
	}
	return a, err
}

// write writes the manifest of an object as it would be: as it is, with some keys changed.
func (s *verdicts) write(file, kind, name string, keys map[string]string) error {
	text, err := s.get(s.path(kind, name))
	var found struct{ Data map[string]string }
	if err = errors.Join(err, json.Unmarshal(text, &found)); err != nil {
		return err
	}
	manifest := object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": name}, "data": found.Data}
	if kind == secrets {
		manifest["kind"], manifest["type"], manifest["stringData"] = "Secret", "kubernetes.io/tls", keys
	} else {
		for key, value := range keys {
			found.Data[key] = value
		}
	}
	if text, err = json.Marshal(manifest); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, file), text, 0o600)
}

// page is what the example serves, in another edition.
func webPage(text string) map[string]string {
	return map[string]string{"index.html": "<p>" + text + "\n"}
}

func (s *verdicts) pipeline() error {
	const two = "kubectl apply -f web.yaml\nkubectl confit wait configmap/web"
	err := errors.Join(s.turnTo("In a pipeline"), s.write("web.yaml", configMaps, "web", webPage(thirdPage)))
	if err != nil {
		return err
	}
	if _, err := s.follow(0, "kubectl confit apply -f web.yaml --undo --timeout 3m -o json > verdict.json"); err != nil {
		return err
	}
	said, err := os.ReadFile(filepath.Join(s.dir, "verdict.json"))
	if err != nil || !strings.Contains(string(said), `"accepted"`) {
		return errors.Join(fmt.Errorf("verdict.json is %s", said), err)
	}
	if err := errors.Join(s.allServe(thirdPage), s.write("web.yaml", configMaps, "web", webPage(firstPage))); err != nil {
		return err
	}
	_, err = s.follow(0, two, "accepted by 3 containers")
	_, gated := s.section.next("sh") // no gate is here: a test of kubectl-confit runs that block
	return errors.Join(err, gated, s.allServe(firstPage))
}

// allServe holds that each pod of web serves a page now.
func (s *verdicts) allServe(page string) error {
	all, err := s.podsOf("web")
	for _, p := range all {
		err = errors.Join(err, s.servesNow(p, at(page, "")))
	}
	return err
}

// syncGood takes three waves of a pod each.
func (s *verdicts) syncGood() error {
	if err := errors.Join(s.turnTo("sync"), s.write("web.yaml", configMaps, "web", webPage(secondPage))); err != nil {
		return err
	}
	_, err := s.follow(0, "kubectl apply -f web.yaml\nkubectl confit sync configmap/web", "accepted by 3 containers")
	return errors.Join(err, s.allServe(secondPage))
}

func (s *verdicts) applyGood() error {
	if err := s.write("web.yaml", configMaps, "web", webPage(thirdPage)); err != nil {
		return err
	}
	if _, err := s.ends(0, "kubectl confit apply -f web.yaml"); err != nil {
		return err
	}
	rule := map[string]string{"self.rules.yml": "groups: [{name: self, rules: [{alert: Down, expr: up == 0}]}]\n"}
	if err := errors.Join(s.allServe(thirdPage), s.write("prometheus.yaml", configMaps, "prometheus", rule)); err != nil {
		return err
	}
	begin := time.Now()
	_, err := s.ends(0, "kubectl confit apply -f prometheus.yaml")
	s.show("one pod: told after %.1f s, of which 5 s are the probation", time.Since(begin).Seconds())
	return err
}
