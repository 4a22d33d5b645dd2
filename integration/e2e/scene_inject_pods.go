package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Other pods that get confit by their label.

// deploy makes a Deployment, again if there is one, and returns its one pod.
func (s *injected) deploy(name string) (pod, error) {
	_, err := s.kubectl("delete", "deployment", name, "--ignore-not-found")
	if err == nil {
		err = s.applyFile("inject-" + name + ".yaml")
	}
	if err != nil {
		return pod{}, err
	}
	return s.only(name)
}

// only is the one pod of a Deployment.
func (s *injected) only(name string) (pod, error) {
	all, err := s.rolledOut(name)
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("there are %d pods of %s", len(all), name)
	}
	if err != nil {
		return pod{}, err
	}
	return all[0], nil
}

func (s *injected) showEtc() error {
	p, err := s.deploy("etc")
	if err != nil {
		return err
	}
	if err := s.edit("page", object{"text": "two"}); err != nil {
		return err
	}
	for _, c := range []string{"root", "user"} {
		if err := s.tells(p.Metadata.Name+"/"+c, "two"); err != nil {
			return err
		}
		const ask = `getent hosts "$(hostname)"; cat /etc/resolv.conf`
		told, err := s.kubectl("exec", p.Metadata.Name, "-c", c, "--", "sh", "-c", ask)
		if err != nil || !strings.Contains(told, p.Status.PodIP+" ") || !strings.Contains(told, "nameserver 192.0.2.1") {
			return errors.Join(fmt.Errorf("container %s doesn't know its address or its name server: %s", c, told), err)
		}
		s.show("%s: %s", c, strings.Join(strings.Fields(told), " "))
	}
	return errors.Join(s.untouched(p), s.writes(p, "root", "/etc/passwd", "/etc/page.txt"), s.writes(p, "user", "", "/etc/passwd", "/etc/ld.so.preload", "/etc/new", "/etc/page.txt"), s.restartRoot(p))
}

// writes appends to files as a container's user, and holds that it may to those that are named first, and to no others.
func (s *injected) writes(p pod, container, to string, paths ...string) error {
	const try = `for path; do if (: >>"$path") 2>/dev/null; then echo "$path"; fi; done`
	paths = append(strings.Fields(to), paths...)
	told, err := s.kubectl(append([]string{"exec", p.Metadata.Name, "-c", container, "--", "sh", "-c", try, "try"}, paths...)...)
	if got := strings.Join(strings.Fields(told), " "); err == nil && got != to {
		err = fmt.Errorf("container %s may write to %q, and should to %q", container, got, to)
	}
	s.show("%s of %q may write to: %q", container, paths, to)
	return err
}

// restartRoot ends a container, whose next one finds the directory as the first one left it.
func (s *injected) restartRoot(p pod) error {
	if _, err := s.kubectl("exec", p.Metadata.Name, "-c", "root", "--", "sh", "-c", "kill -TERM 1"); err != nil {
		return err
	}
	p, err := s.await(p.Metadata.Name, "has a new container", func(p pod) bool {
		c := p.container("root")
		return c.RestartCount == 1 && c.Ready
	})
	if err != nil {
		return err
	}
	s.show("root was restarted")
	return errors.Join(s.tells(p.Metadata.Name+"/root", "two"), s.edit("page", object{"text": "three"}), s.tells(p.Metadata.Name+"/root", "three"))
}

// showScratch edits a key that is mounted in the pod's own emptyDir.
func (s *injected) showScratch() error {
	p, err := s.deploy("scratch")
	if err != nil {
		return err
	}
	spec, err := s.get(s.path(pods, p.Metadata.Name))
	if err == nil && strings.Contains(string(spec), "confit-seed-") {
		err = fmt.Errorf("a directory is copied: %s", spec)
	}
	return errors.Join(err, s.tells(p.Metadata.Name, "one log"), s.edit("scratch", object{"app.conf": "two"}), s.tells(p.Metadata.Name, "two log"),
		s.writes(p, "app", "/opt/app/conf/new", "/opt/app/conf/app.conf", "/opt/app/new"), s.untouched(p))
}

// showTLS rotates a Secret of which the container has the certificate alone.
func (s *injected) showTLS() error {
	p, err := s.deploy("tls")
	if err != nil {
		return err
	}
	secret, err := certificate("one")
	if err != nil {
		return err
	}
	if err := s.patch(s.path(secrets, "tls"), object{"stringData": secret}); err != nil {
		return err
	}
	if err := s.tells(p.Metadata.Name, fmt.Sprintf("%x  -", sha256.Sum256([]byte(secret["tls.crt"])))); err != nil {
		return err
	}
	public, err1 := s.holding(p, secret["tls.crt"])
	private, err2 := s.holding(p, secret["tls.key"])
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	s.show("tls.crt is in %q, tls.key in %q", public, private)
	if len(public) == 0 || len(private) > 0 {
		return errors.New("the container can read more than it could, or less")
	}
	return s.untouched(p)
}

// showOwnKey has a PostgreSQL start with a copy of a key that its group may read, which it would refuse of its own user's.
func (s *injected) showOwnKey() error {
	secret, err := certificate("one")
	if err != nil {
		return err
	}
	made, err := json.Marshal(object{"metadata": object{"name": "ownkey"}, "stringData": secret})
	if err == nil {
		_, err = s.create(s.path(secrets), typeJSON, made)
	}
	if err != nil {
		return err
	}
	p, err := s.deploy("ownkey")
	if err != nil {
		return err
	}
	got, err := s.kubectl("exec", p.Metadata.Name, "--", "stat", "-Lc", "%u %g %a", "/etc/tls/tls.key")
	if got = strings.TrimSpace(got); err == nil && got != "999 20001 400" {
		err = fmt.Errorf("the copy is %s", got)
	}
	s.show("user, group and mode of the copy: %s", got)
	return errors.Join(err, s.untouched(p))
}

// holding are the files of a container with the second line of a text, wherever they are.
func (s *injected) holding(p pod, text string) ([]string, error) {
	const find = "grep -rlF -f - --exclude-dir=proc --exclude-dir=sys / || [ $? = 1 ]"
	line := strings.Split(text, "\n")[1]
	found, err := answer(s.program(nil, s.bin("kubectl"), "exec", "--stdin", p.Metadata.Name, "--", "sh", "-c", find), line+"\n")
	return strings.Fields(found), err
}

func (s *injected) showRestricted() error {
	return s.restricted(func() (pod, error) { return s.deploy("locked") })
}

// showPlugin has the plugin in the place of the policy.
func (s *injected) showPlugin() error {
	return s.restricted(func() (pod, error) {
		const line = "sed 's/, confit: inject//' %s | kubectl confit inject -f - --image %s | kubectl apply -f -"
		if _, err := s.kubectl("delete", "deployment", "locked"); err != nil {
			return pod{}, err
		}
		if _, err := s.shell(fmt.Sprintf(line, filepath.Join(s.Source, "integration/e2e/manifests/inject-locked.yaml"), s.image)); err != nil {
			return pod{}, err
		}
		return s.only("locked")
	})
}

// restricted shows a pod that Pod Security's level lets in, made by deploy.
func (s *injected) restricted(deploy func() (pod, error)) error {
	if err := s.enforce("restricted"); err != nil {
		return err
	}
	err := until(s.ctx, "nothing else is let in", func() error {
		if _, err := s.kubectl("run", "root", "--image", nginxImage, "--dry-run=server"); err == nil || !strings.Contains(err.Error(), "violates PodSecurity") {
			return errors.Join(errors.New("a pod of root isn't refused"), err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	p, err := deploy()
	if err != nil {
		return err
	}
	confit, err1 := processOf(p, confitByLabel)
	nginx, err2 := processOf(p, nginxMaster)
	site, err3 := s.kubectl("get", "configmap", "locked", "-o", `jsonpath={.data.nginx\.conf}`)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	good := object{"nginx.conf": strings.Replace(site, "first", "second", 1), "index.html": secondPage}
	return errors.Join(s.locked(confit, "101"), s.locked(nginx, "101"),
		s.served(at(firstPage, "first"), p),
		s.follows([]pod{p}, "locked", good, "nginx.conf", at(secondPage, "second")),
		s.writes(p, "nginx", "/tmp/new", "/etc/nginx/nginx.conf", "/etc/nginx/mime.types", "/etc/nginx/new", "/srv/www/new", "/srv/www/more/new"),
		nginx.same(), s.enforce(nil))
}

// enforce has Pod Security hold a level in the namespace; nil is none.
func (s *injected) enforce(level any) error {
	return s.patch("/api/v1/namespaces/"+s.namespace, object{"metadata": object{
		"labels": object{"pod-security.kubernetes.io/enforce": level}}})
}

// showImageVolume makes pods anew, which have confit out of its image.
func (s *injected) showImageVolume() error {
	err := s.policy("integration/e2e/manifests/inject-image-volume", `"image":{"reference":"`+s.image+`"`)
	if err != nil {
		return err
	}
	return errors.Join(s.inject("kubectl rollout restart deployment web"), s.showRestricted())
}
