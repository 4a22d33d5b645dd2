package main

import (
	"fmt"
	"strconv"
)

// pairPod is a pod as its levels make it. Its one followed key that is always there lies in a directory that no image
// has.
type pairPod struct {
	name                   string
	annotations            object
	spec, pod, app         object // pod and app are the security contexts' holders: the spec's and the container's
	mounts, volumes, inits []object
	env                    []object
}

// axes are those of the scene "pairs".
var axes = []axis{
	{"read-only root", []level{nil, func(p *pairPod) { p.app["readOnlyRootFilesystem"] = true }}},
	{"subPath", []level{nil,
		func(p *pairPod) { p.mount("conf", "/etc/nginx/b.conf", "subPath", "b.conf") },
		func(p *pairPod) {
			p.mount("scratch", "/scratch")
			p.mount("conf", "/scratch/b.conf", "subPath", "b.conf")
		},
	}},
	{"subPathExpr", []level{nil,
		func(p *pairPod) { p.mount("own", "/etc/app/own.conf", "subPathExpr", "$(POD).conf") },
		func(p *pairPod) { p.mount("scratch", "/etc/app/logs", "subPathExpr", "$(POD)") },
		func(p *pairPod) {
			p.spec["containers"].([]object)[0]["envFrom"] = []object{{"configMapRef": object{"name": "names"}}}
			p.mount("conf", "/etc/app/named.conf", "subPathExpr", "$(NAMED)")
		},
	}},
	{"directory", []level{nil,
		func(p *pairPod) { p.mount("conf", "/etc/app/conf.d") },
		func(p *pairPod) { p.mount("conf", "/srv/conf") },
	}},
	{"projected", []level{nil,
		func(p *pairPod) { p.mount("both", "/etc/app/both") },
		func(p *pairPod) { p.mount("both", "/etc/app/b.conf", "subPath", "b.conf") },
	}},
	{"nested", []level{nil, func(p *pairPod) {
		p.mount("data", "/etc/app/data")
		p.mount("conf", "/etc/app/data/conf.d")
		p.mount("conf", "/etc/app/data/deep.conf", "subPath", "b.conf")
	}}},
	{"fsGroup", []level{nil, func(p *pairPod) { p.pod["fsGroup"] = 2000 }}},
	{"non-root", []level{nil, func(p *pairPod) { p.pod["runAsUser"], p.pod["runAsNonRoot"] = 1000, true }}},
	{"restricted", []level{nil, func(p *pairPod) {
		p.pod["seccompProfile"] = object{"type": "RuntimeDefault"}
		p.app["allowPrivilegeEscalation"], p.app["capabilities"] = false, object{"drop": []string{"ALL"}}
	}}},
	{"init container", []level{nil, func(p *pairPod) { p.init("first", "test -s /etc/app/a.conf") }}},
	{"native sidecar", []level{nil, func(p *pairPod) { p.init("beside", "exec sleep 1d")["restartPolicy"] = "Always" }}},
	{"command of the image", []level{nil, func(p *pairPod) {
		app := p.spec["containers"].([]object)[0]
		app["args"] = app["command"]
		delete(app, "command")
		p.annotations["app.confit/command"] = "/docker-entrypoint.sh"
	}}},
	{"message's path", []level{nil, func(p *pairPod) { p.spec["containers"].([]object)[0]["terminationMessagePath"] = "/etc/app/last/words" }}},
}

// newPairPod is a pod of a row. Both pods of a row have the same number, and names of their own.
func newPairPod(kind string, number int, r row) object {
	app := object{"name": "app", "image": nginxImage, "command": []string{"sleep", "1d"}, "securityContext": object{}}
	p := &pairPod{name: kind + "-" + strconv.Itoa(number), annotations: object{"confit/probation": "0"}, pod: object{}, app: app["securityContext"].(object)}
	p.spec = object{"containers": []object{app}, "securityContext": p.pod, "automountServiceAccountToken": false, "terminationGracePeriodSeconds": 0}
	p.env = []object{{"name": "POD", "valueFrom": object{"fieldRef": object{"fieldPath": "metadata.name"}}}}
	p.mount("conf", "/etc/app/a.conf", "subPath", "a.conf")
	for i, l := range r {
		if change := axes[i].levels[l]; change != nil {
			change(p)
		}
	}
	for _, name := range []string{"conf", "own"} {
		p.volumes = append(p.volumes, object{"name": name, "configMap": object{"name": name}})
	}
	for _, name := range []string{"scratch", "data"} {
		p.volumes = append(p.volumes, object{"name": name, "emptyDir": object{}})
	}
	p.volumes = append(p.volumes, object{"name": "both", "projected": object{"sources": []object{{"configMap": object{"name": "conf"}}, {"configMap": object{"name": "names"}}}}})
	app["volumeMounts"], app["env"], p.spec["volumes"] = p.mounts, p.env, p.volumes
	if len(p.inits) > 0 {
		p.spec["initContainers"] = p.inits
	}
	return object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": p.name, "annotations": p.annotations}, "spec": p.spec}
}

// mount adds one to the app's container, with more fields.
func (p *pairPod) mount(volume, path string, more ...string) {
	m := object{"name": volume, "mountPath": path}
	for i := 0; i+1 < len(more); i += 2 {
		m[more[i]] = more[i+1]
	}
	p.mounts = append(p.mounts, m)
}

// init adds an init container that has the followed key, too.
func (p *pairPod) init(name, script string) object {
	c := object{"name": name, "image": nginxImage, "command": []string{"sh", "-c", script}, "securityContext": p.app,
		"volumeMounts": []object{{"name": "conf", "mountPath": "/etc/app/a.conf", "subPath": "a.conf"}}}
	p.inits = append(p.inits, c)
	return c
}

// String names the levels of a row that aren't 0.
func (r row) String() (text string) {
	for i, l := range r {
		if l > 0 {
			text += fmt.Sprintf(", %s", axes[i].name)
			if len(axes[i].levels) > 2 {
				text += fmt.Sprintf(" %d", l)
			}
		}
	}
	return text
}
