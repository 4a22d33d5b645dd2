package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The page's other pods.

// showInstall edits the keys, which are served, and the links file, which needs new pods.
func showInstall(s *stage) error {
	if err := s.applyWeb(); err != nil {
		return err
	}
	all, err := s.deployNext()
	if err != nil {
		return err
	}
	if err := errors.Join(s.edit("web", object{"index.html": secondPage}), s.served(onPage(secondPage), all...)); err != nil {
		return err
	}
	if err := s.edit("web-links", object{"links": "link  web/index.html  /usr/share/nginx/html/index.html"}); err != nil {
		return err
	}
	for _, p := range all {
		if err := s.logged(p.Metadata.Name, "links file changed: restart the container to apply it"); err != nil {
			return err
		}
		if found, err := s.status(p.Metadata.Name, "/tools/confit", 0); err != nil || found.LinksChanged == nil {
			return errors.Join(errors.New("the status doesn't say that the links file changed"), err)
		}
	}
	if _, err := s.kubectl("rollout", "restart", "deploy/web"); err != nil {
		return err
	}
	if all, err = s.rolledOut("web"); err != nil {
		return err
	}
	found, err := s.status("deploy/web", "/tools/confit", 0)
	if err == nil && found.LinksChanged != nil {
		err = errors.New("new pods still say that the links file changed")
	}
	return errors.Join(err, s.served(onPage(secondPage), all...))
}

// showLocked makes a certificate, rotates it, and looks at what can be read by whom.
func showLocked(s *stage) error {
	if _, err := s.section.next("links"); err != nil { // of the image
		return err
	}
	const make = "kubectl create secret tls web-tls --cert=tls.crt --key=tls.key"
	if err := errors.Join(s.commands(make), s.writeCertificate()); err != nil {
		return err
	}
	if _, err := s.shell("cd " + s.run("contexts") + " && " + make); err != nil {
		return err
	}
	all, err := s.deployNext()
	if err != nil {
		return err
	}
	for _, p := range all {
		confit, err1 := processOf(p, "confit")
		nginx, err2 := processOf(p, nginxMaster)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		if err := errors.Join(s.presents(p, "8443", "one"), s.locked(confit, "101"), s.locked(nginx, "101"), s.modes(p)); err != nil {
			return err
		}
	}
	return s.rotate(all)
}

func (s *stage) writeCertificate() error {
	data, err := certificate("one")
	for name, text := range data {
		err = errors.Join(err, os.WriteFile(filepath.Join(s.run("contexts"), name), []byte(text), 0o600))
	}
	return err
}

// modes holds that fsGroup lets the app's group read the Secret, and that confit's copy is for nobody else.
func (s *stage) modes(p pod) error {
	for file, want := range map[string]string{"/confit/tls/tls.key": "0 101 440", "/etc/tls/tls.key": "101 101 400"} {
		got, err := s.kubectl("exec", p.Metadata.Name, "--", "stat", "-Lc", "%u %g %a", file)
		if got = strings.TrimSpace(got); err != nil || got != want {
			return errors.Join(fmt.Errorf("%s has user, group and mode %q, not %q", file, got, want), err)
		}
		s.show("%s: %s", file, got)
	}
	return nil
}

// rotate changes both keys of the Secret: one reload, by the same nginx, and nothing of them in the log.
func (s *stage) rotate(all []pod) error {
	secret, err := certificate("two")
	if err != nil {
		return err
	}
	if err := s.patch(s.path(secrets, "web-tls"), object{"stringData": secret}); err != nil {
		return err
	}
	for _, p := range all {
		if err := s.presents(p, "8443", "two"); err != nil {
			return err
		}
		lines, err := s.log(p.Metadata.Name)
		if err != nil {
			return err
		}
		text := strings.Join(lines, "\n")
		if n := strings.Count(text, `msg="app reloaded" signal=HUP`); n != 1 {
			return fmt.Errorf("one rotation of two keys, but nginx was reloaded %d times", n)
		}
		if strings.Contains(text, "BEGIN") || strings.Contains(text, "PRIVATE") {
			return errors.New("the log holds what was in the Secret")
		}
		if err := s.untouched(p); err != nil {
			return err
		}
	}
	return nil
}

// showMonitoring does as the README of examples/monitoring says, and holds that the exporter tells what happens.
func showMonitoring(s *stage) error {
	if _, err := s.kubectl("apply", "-f", "examples/nginx/kubernetes.yaml"); err != nil {
		return err
	}
	if _, err := s.shell("kubectl patch deployment web --patch-file examples/monitoring/sidecar.yaml"); err != nil {
		return err
	}
	all, err := s.rolledOut("web")
	if err != nil {
		return err
	}
	successful := func(n string) error {
		return s.served(want{port: "9533", path: "metrics", page: "\nconfit_config_last_reload_successful " + n}, all...)
	}
	return errors.Join(successful("1"), s.edit("web", object{"site.conf": "no"}), successful("0"), s.served(at(firstPage, ""), all...))
}
