package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Each verb does its work with the rights that examples/kubectl has for it, and with one of them missing it says which.

// rule is one of a role's.
type rule struct {
	APIGroups []string `json:"apiGroups"`
	Resources []string `json:"resources"`
	Verbs     []string `json:"verbs"`
}

// duty is what somebody with a role does. Some rights only help: without them it is done all the same.
type duty struct {
	role, command string
	helps         []string
}

var duties = []duty{
	{"confit-status", "kubectl confit status deployment/web", []string{"get pods/exec", "watch pods", "get configmaps", "watch configmaps"}}, // to watch is for wait
	{"confit-status", "kubectl confit wait configmap/web", []string{"get pods/exec", "get deployments"}},
	{"confit-sync", "kubectl confit sync configmap/web", []string{"get pods/exec", "get deployments"}},
	{"confit-check", "kubectl confit check -f web.yaml deployment/web", []string{"get pods/attach", "list events", "get configmaps"}},
	{"confit-check-in-place", "kubectl confit check -f web.yaml deployment/web --in-place", []string{"get pods/exec", "get configmaps"}},
	{"confit-apply", "kubectl confit apply -f web.yaml", []string{"get pods/exec", "get pods/attach", "get pods/log", "list events", "update configmaps"}},
}

// stands are rights whose absence is said, and the verdict stands all the same.
var stands = []string{"delete pods", "get pods/log"}

// right is one of a role, as people say it, and the rules without it.
type right struct {
	name  string
	rules []rule
}

// rightsOf are those of a role. confit's own verbs allow nothing.
func rightsOf(rules []rule) (all []right) {
	for i, r := range rules {
		for _, verb := range r.Verbs {
			if strings.HasPrefix(verb, "confit-") {
				continue
			}
			left := slices.Clone(rules)
			left[i].Verbs = slices.DeleteFunc(slices.Clone(r.Verbs), func(v string) bool { return v == verb })
			if len(left[i].Verbs) == 0 {
				left = slices.Delete(left, i, i+1)
			}
			all = append(all, right{verb + " " + r.Resources[0], left})
		}
	}
	return all
}

// rights have both policies in force, too, so each verb does only what they allow.
func (s *verdicts) rights() error {
	const apply, bind = "kubectl apply -f examples/kubectl", "kubectl create rolebinding developers-see --clusterrole=confit-status --group=developers"
	if err := errors.Join(s.turnTo("Rights"), s.commands(apply, bind)); err != nil {
		return err
	}
	if _, err := s.shell(apply + " && " + bind); err != nil {
		return err
	}
	var wrong []error
	for _, d := range duties {
		var role struct{ Rules []rule }
		text, err := s.get("/apis/rbac.authorization.k8s.io/v1/clusterroles/" + d.role)
		if err = errors.Join(err, json.Unmarshal(text, &role)); err != nil {
			return err
		}
		if err := errors.Join(s.without(d, rightsOf(role.Rules)), s.performed(d, role.Rules)); err != nil {
			wrong = append(wrong, fmt.Errorf("%s with %s: %w", d.command, d.role, err))
		}
	}
	return errors.Join(wrong...)
}

// without takes each right away in turn.
func (s *verdicts) without(d duty, all []right) error {
	var wrong []error
	for _, missing := range all {
		if slices.Contains(d.helps, missing.name) {
			continue
		}
		a, err := s.attempt(d, missing.rules)
		if err != nil {
			return err
		}
		done := a.code == 0 && !slices.Contains(stands, missing.name)
		if said := a.out + a.errors; done || !strings.Contains(said, "the right to "+missing.name+" is missing") {
			wrong = append(wrong, fmt.Errorf("without the right to %s: exit code %d: %s", missing.name, a.code, said))
		}
		if _, err := s.kubectl("delete", "pod", "-l", "confit/check", "--now"); err != nil { // without the right to delete one is left
			return err
		}
	}
	return errors.Join(wrong...)
}

// performed does it with all of them.
func (s *verdicts) performed(d duty, rules []rule) error {
	a, err := s.attempt(d, rules)
	return errors.Join(err, a.is(0))
}

// attempt has somebody with these rights do it. Each time there is another edition, so that there is something to do.
func (s *verdicts) attempt(d duty, rules []rule) (said, error) {
	config, err := s.somebody(rules)
	if err := errors.Join(err, s.write("web.yaml", configMaps, "web", webPage(fmt.Sprintf("Edition %d.", s.people)))); err != nil {
		return said{}, err
	}
	if d.role == "confit-sync" {
		if _, err := s.kubectl("apply", "-f", s.dir+"/web.yaml"); err != nil {
			return said{}, err
		}
	}
	return s.says(config, "cd "+s.dir+"; "+d.command)
}

// somebody is the kubeconfig of somebody who has these rights in the namespace, and no others.
func (s *verdicts) somebody(rules []rule) (config string, err error) {
	s.people++
	name := fmt.Sprintf("somebody-%d", s.people)
	const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/"
	for kind, body := range map[string]object{
		"roles": {"rules": rules},
		"rolebindings": {
			"roleRef":  object{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
			"subjects": []object{{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name}},
		},
	} {
		body["metadata"] = object{"name": name}
		text, wrong := json.Marshal(body)
		if wrong == nil {
			_, wrong = s.create(rbac+s.namespace+"/"+kind, typeJSON, text)
		}
		err = errors.Join(err, wrong)
	}
	config = s.run(name + ".kubeconfig")
	as := strings.Replace(kubeconfig(adminToken, s.namespace), "token: "+adminToken, "token: "+adminToken+", as: "+name, 1)
	if err := errors.Join(err, os.WriteFile(config, []byte(as), 0o600)); err != nil {
		return "", err
	}
	return config, s.counts(name, rules)
}

// counts waits until the server knows the last of the rights: it reads roles and bindings in the background.
func (s *verdicts) counts(name string, rules []rule) error {
	last := rules[len(rules)-1]
	review, err := json.Marshal(object{"spec": object{"user": name, "resourceAttributes": object{
		"namespace": s.namespace, "verb": last.Verbs[0], "group": last.APIGroups[0], "resource": strings.Split(last.Resources[0], "/")[0],
		"subresource": strings.Join(strings.Split(last.Resources[0], "/")[1:], ""),
	}}})
	if err != nil {
		return err
	}
	return until(s.ctx, name+" has the rights", func() error {
		text, err := s.create("/apis/authorization.k8s.io/v1/subjectaccessreviews", typeJSON, review)
		if err == nil && !strings.Contains(string(text), `"allowed":true`) {
			err = errors.New(string(text))
		}
		return err
	})
}
