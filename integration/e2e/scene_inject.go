package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Automatic injection: the policy of examples/inject rewrites pods when they are made. guidePath says what there is to do.
const guidePath = "docs/inject.md"

// injected is the pods of the page's first section, before anybody thought of confit.
type injected struct {
	*stage
	guide page
	image string // confit's, by its digest
	web   []pod
}

// confitByLabel is the program in such a pod.
const confitByLabel = "/.confit/confit"

func showInject(sc *stage) error {
	s := &injected{stage: sc}
	return s.steps(
		step{"The label alone: the image's ENTRYPOINT isn't in the pod, so it runs as it did, and kubectl warns", s.label},
		step{"The guide's patch, with the command as an annotation: new pods, once; then an edit, a bad one, and back", s.goLive},
		step{"A target right in /etc, in two containers: their hosts and resolv.conf are the runtime's", s.showEtc},
		step{"What the label costs the start of a pod", s.showCost},
		step{"One key of a Secret: the other is nowhere in the container", s.showTLS},
		step{"A key that PostgreSQL takes from the mount, as it is root's: it takes confit's copy, too", s.showOwnKey},
		step{"A target in an emptyDir of the pod: the link is made there, and nothing is copied", s.showScratch},
		step{"Pod Security restricted, another user than root, a read-only root", s.showRestricted},
		step{"The same without the label, rewritten by kubectl confit inject", s.showPlugin},
		step{"An image volume instead of the init container that installs: the first and the last of these again", s.showImageVolume},
		step{"The label is taken away: the new pods have plain subPath mounts", s.takeAway},
	)
}

// turnTo turns to a section of the guide.
func (s *injected) turnTo(heading string) error {
	err := s.section.done()
	s.section = s.guide.section(heading)
	return err
}

// withLabel is what kubectl patch is told of the Deployment.
const withLabel = `{"spec": {"template": {"metadata": {"labels": {"confit": "inject"}}}}}`

func (s *injected) label() (err error) {
	if s.image, err = s.byDigest("localhost/confit:devel", "example.com/confit"); err != nil {
		return err
	}
	if s.guide, err = readPage(filepath.Join(s.Source, guidePath)); err != nil {
		return err
	}
	if err := errors.Join(s.turnTo("From nothing to live"), s.commands("kubectl apply -k examples/inject", "kubectl apply -f examples/inject/params.yaml")); err != nil {
		return err
	}
	if err := s.policy("examples/inject", `"name":"confit-install","image":"`+s.image+`"`); err != nil {
		return err
	}
	if err := s.apply(s.page.section(moveSection).first("yaml")); err != nil {
		return err
	}
	if err := s.warned("kubectl patch deployment web --patch '" + withLabel + "'"); err != nil {
		return err
	}
	if s.web, err = s.rolledOut("web"); err != nil {
		return err
	}
	return errors.Join(s.plain(), s.staysOld(s.web, onPage(firstPage), secondPage))
}

// warned runs a command once the policy is in force that warns of what it will do, and shows the warnings.
func (s *injected) warned(command string) error {
	var said string
	err := until(s.ctx, "kubectl warns", func() (err error) {
		said, err = s.shell(command + " --dry-run=server 2>&1")
		if err == nil && !strings.Contains(said, "Warning: ") {
			err = errors.New(said)
		}
		return err
	})
	for line := range strings.Lines(said) {
		s.show("%s", strings.TrimSpace(line))
	}
	if err == nil {
		_, err = s.shell(command)
	}
	return err
}

// byDigest gives an image of this node a name by its digest, as if it came from a repository.
func (n *node) byDigest(image, repository string) (string, error) {
	list, err := n.ctr(n.api.ctx, "images", "list", "name=="+image)
	if err != nil {
		return "", err
	}
	for field := range strings.FieldsSeq(list) {
		if strings.HasPrefix(field, "sha256:") {
			name := repository + "@" + field
			_, err := n.ctr(n.api.ctx, "images", "tag", "--force", image, name)
			return name, err
		}
	}
	return "", fmt.Errorf("image %s isn't on the node: %s", image, list)
}

// policy applies the policy of a directory, and waits until pods are rewritten by it.
func (s *injected) policy(dir, mark string) error {
	if _, err := s.kubectl("apply", "-k", dir); err != nil {
		return err
	}
	params, err := os.ReadFile(filepath.Join(s.Source, "examples/inject/params.yaml"))
	if err != nil {
		return err
	}
	if err := s.apply(strings.ReplaceAll(string(params), `image: ""`, "image: "+s.image)); err != nil {
		return err
	}
	probe, err := json.Marshal(object{
		"metadata": object{"name": "probe", "labels": object{"confit": "inject"}},
		"spec": object{
			"volumes": []object{{"name": "v", "configMap": object{"name": "v"}}},
			"containers": []object{{"name": "c", "image": "c", "command": []string{"c"},
				"volumeMounts": []object{{"name": "v", "mountPath": "/d/k", "subPath": "k"}}}},
		}})
	if err != nil {
		return err
	}
	return until(s.ctx, "the policy of "+dir+" is in force", func() error {
		made, err := s.create(s.path(pods), typeJSON, probe, "dryRun=All")
		if err == nil && !strings.Contains(string(made), mark) {
			err = fmt.Errorf("no %s in %s", mark, made)
		}
		return err
	})
}

func (s *injected) goLive() error {
	const patch = "kubectl patch deployment web --patch-file live.yaml"
	live, err := s.section.next("yaml")
	if err := errors.Join(err, s.commands(patch), os.WriteFile(s.run("live.yaml"), []byte(live), 0o644)); err != nil {
		return err
	}
	return errors.Join(s.inject("cd "+s.run("")+" && "+patch), s.missKey())
}

// missKey takes a key away, which the kubelet brings and confit refuses, and puts it back.
func (s *injected) missKey() error {
	if err := s.edit("web", object{"index.html": nil}); err != nil {
		return err
	}
	for _, p := range s.web {
		name := p.Metadata.Name
		if err := errors.Join(s.logged(name, `msg="candidate rejected" step=stage`), s.rejected(name, confitByLabel, "stage"), s.servesNow(p, onPage(secondPage))); err != nil {
			return err
		}
	}
	if err := s.edit("web", object{"index.html": secondPage}); err != nil {
		return err
	}
	for _, p := range s.web {
		if err := errors.Join(s.logged(p.Metadata.Name, `msg="mounted configuration is live again"`), s.untouched(p)); err != nil {
			return err
		}
	}
	return nil
}

// inject makes new pods by a command, which have confit and follow edits.
func (s *injected) inject(command string) (err error) {
	if _, err := s.shell(command); err != nil {
		return err
	}
	if s.web, err = s.rolledOut("web"); err != nil {
		return err
	}
	if err := s.served(onPage(secondPage), s.web...); err != nil {
		return err
	}
	const site = "server { listen 80; root /usr/share/nginx/html; add_header Edition third; }"
	good := object{"default.conf": site, "index.html": thirdPage}
	if err := s.follows(s.web, "web", good, "default.conf", want{port: "80", page: thirdPage, edition: "third"}); err != nil {
		return err
	}
	const before = "server { listen 80; root /usr/share/nginx/html; }"
	return errors.Join(s.edit("web", object{"default.conf": before, "index.html": secondPage}), s.served(onPage(secondPage), s.web...))
}

// follows edits a ConfigMap, then breaks a key of it, and takes that back: the first is served, the second isn't, and the containers
// are those that there were.
func (s *injected) follows(all []pod, configMap string, good object, key string, now want) error {
	if err := errors.Join(s.edit(configMap, good), s.served(now, all...), s.edit(configMap, object{key: "server {"})); err != nil {
		return err
	}
	for _, p := range all {
		name := p.Metadata.Name
		if err := s.logged(name, "[emerg]", `msg="candidate rejected" step=validate`); err != nil {
			return err
		}
		if err := errors.Join(s.rejected(name, confitByLabel, "validate"), s.servesNow(p, now)); err != nil {
			return err
		}
	}
	if err := s.edit(configMap, good); err != nil {
		return err
	}
	for _, p := range all {
		if err := errors.Join(s.logged(p.Metadata.Name, `msg="mounted configuration is live again"`), s.servesNow(p, now), s.untouched(p)); err != nil {
			return err
		}
	}
	return nil
}

func (s *injected) takeAway() (err error) {
	const patch = `kubectl patch deployment web -p '{"spec":{"template":{"metadata":{"labels":{"confit":null}}}}}'`
	if err := errors.Join(s.turnTo("Going back"), s.commands(patch)); err != nil {
		return err
	}
	if _, err := s.shell(patch); err != nil {
		return err
	}
	if s.web, err = s.rolledOut("web"); err != nil {
		return err
	}
	return errors.Join(s.plain(), s.staysOld(s.web, onPage(secondPage), firstPage))
}

// plain holds that nothing of confit is in the pods, and that the key is mounted by itself.
func (s *injected) plain() error {
	for _, p := range s.web {
		spec, err1 := s.get(s.path(pods, p.Metadata.Name))
		nginx, err2 := processOf(p, nginxMaster)
		mounts, err3 := os.ReadFile(fmt.Sprintf("/proc/%d/mountinfo", nginx.pid))
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		if strings.Contains(string(spec), `"confit-bin"`) || !strings.Contains(string(mounts), " /etc/nginx/conf.d/default.conf ") {
			return fmt.Errorf("pod %s doesn't have the key mounted by itself: %s\n%s", p.Metadata.Name, spec, mounts)
		}
	}
	return nil
}
