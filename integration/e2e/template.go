package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
)

// example is examples/nginx/kubernetes.yaml, as the API server understands it.
type example struct {
	data     map[string]string // of the ConfigMap, as it was made first
	template []byte            // of the Deployment, with Kubernetes' defaults
}

// readExample makes the ConfigMap. The Deployment is only tried: single pods of it have names, and nobody replaces them.
func (a api) readExample(source string) (e example, err error) {
	text, err := os.ReadFile(filepath.Join(source, "examples/nginx/kubernetes.yaml"))
	if err != nil {
		return e, err
	}
	documents := bytes.Split(text, []byte("\n---\n"))
	if len(documents) != 2 {
		return e, errors.New("kubernetes.yaml isn't a ConfigMap and a Deployment any more")
	}
	configMap, err := a.create(a.path(configMaps), typeYAML, documents[0])
	if err != nil {
		return e, err
	}
	deployment, err := a.create("/apis/apps/v1/namespaces/"+a.namespace+"/deployments", typeYAML, documents[1], "dryRun=All")
	if err != nil {
		return e, err
	}
	var made struct {
		Data map[string]string
		Spec struct{ Template json.RawMessage }
	}
	if err := errors.Join(json.Unmarshal(configMap, &made), json.Unmarshal(deployment, &made)); err != nil {
		return e, err
	}
	return example{made.Data, made.Spec.Template}, nil
}

// object is a piece of a manifest.
type object = map[string]any

// manifest makes a pod of the Deployment's template. What else a step needs, it changes itself.
func (e example) manifest(name string, change func(spec, container object)) ([]byte, error) {
	var pod object
	if err := json.Unmarshal(e.template, &pod); err != nil {
		return nil, err
	}
	pod["apiVersion"], pod["kind"] = "v1", "Pod"
	pod["metadata"].(object)["name"] = name
	spec := pod["spec"].(object)
	container := spec["containers"].([]any)[0].(object)
	if change != nil {
		change(spec, container)
	}
	return json.Marshal(pod)
}

func (a api) startPod(e example, name string, change func(spec, container object)) error {
	manifest, err := e.manifest(name, change)
	if err == nil {
		_, err = a.create(a.path(pods), typeJSON, manifest)
	}
	return err
}

// withoutConfit is how the same pod looks with nginx alone and each key mounted by subPath.
func withoutConfit(_, container object) {
	container["image"] = nginxImage
	container["volumeMounts"] = []object{
		{"name": "web", "mountPath": "/etc/nginx/nginx.conf", "subPath": "nginx.conf"},
		{"name": "web", "mountPath": "/etc/nginx/conf.d/default.conf", "subPath": "conf.d/site.conf"}, // over the image's own
		{"name": "web", "mountPath": "/srv/www/index.html", "subPath": "html/index.html"},
		{"name": "tmp", "mountPath": "/tmp"},
	}
}
