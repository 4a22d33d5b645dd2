package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// lockedPods is the page's Deployment with a Secret, under another name, and the Secret.
func (s *verdicts) lockedPods() (string, error) {
	data, err := certificate("one")
	if err != nil {
		return "", err
	}
	manifest, err := changed(s.page.section(lockedSection).first("yaml"), map[string]string{
		"metadata: {name: web}": "metadata: {name: locked}", "configMap: {name: web}": "configMap: {name: locked}", "app: web": "app: locked",
		"replicas: 2": "replicas: 1",
	})
	if err != nil {
		return "", err
	}
	secret := "\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: web-tls}\ntype: kubernetes.io/tls\ndata:\n"
	for key, text := range data {
		secret += "  " + key + ": " + base64.StdEncoding.EncodeToString([]byte(text)) + "\n"
	}
	return manifest + secret, nil
}

// checkSecret checks a good Secret and a bad one, and looks for their values in all that there is to read afterwards.
func (s *verdicts) checkSecret() error {
	good, err := certificate("two")
	if err != nil {
		return err
	}
	bad := map[string]string{"tls.crt": good["tls.crt"], "tls.key": strings.Replace(good["tls.key"], "\n", "\nThisIsTheValueOfAKey", 1)}
	printed := map[string]string{}
	for file, each := range map[string]struct {
		code int
		data map[string]string
	}{"good.yaml": {0, good}, "bad.yaml": {3, bad}} {
		if err := s.write(file, secrets, "web-tls", each.data); err != nil {
			return err
		}
		for _, way := range []string{"", " --in-place"} {
			a, err := s.ends(each.code, "kubectl confit check -f "+file+way)
			if err != nil {
				return err
			}
			printed[a.command] = a.out + a.errors
		}
	}
	return errors.Join(s.nowhere(printed, good), s.nowhere(printed, bad), s.noCopies())
}

// nowhere holds that no line of a Secret's values is in what was printed, in the logs of the node and of the pods, in the audit log, or
// in pods and events.
func (s *verdicts) nowhere(printed map[string]string, data map[string]string) error {
	texts, wrong := printed, []error{}
	logs, _ := filepath.Glob(s.run("log/*"))
	for _, file := range append(logs, s.run("audit.log")) {
		text, err := os.ReadFile(file)
		texts[file], wrong = string(text), append(wrong, err)
	}
	for _, kind := range []string{pods, "events"} {
		text, err := s.get(s.path(kind))
		texts[kind], wrong = string(text), append(wrong, err)
	}
	all, err := s.podsOf("locked")
	wrong = append(wrong, err)
	for _, p := range all {
		lines, err := s.log(p.Metadata.Name)
		texts["log of "+p.Metadata.Name], wrong = strings.Join(lines, "\n"), append(wrong, err)
	}
	for where, text := range texts {
		for key, value := range data {
			if line, has := holds(text, value); has {
				wrong = append(wrong, fmt.Errorf("%s holds a line of %s: %s", where, key, line))
			}
		}
	}
	s.show("no line of %d values is in %d texts", len(data), len(texts))
	return errors.Join(wrong...)
}

// holds reports a line of a value that a text has, as it is or in base64.
func holds(text, value string) (string, bool) {
	lines := strings.Split(value, "\n")
	for piece := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString([]byte(value))), 60) {
		lines = append(lines, string(piece))
	}
	for _, line := range lines {
		if len(line) > 8 && !strings.HasPrefix(line, "-----") && strings.Contains(text, line) {
			return line, true
		}
	}
	return "", false
}
