package inject

import (
	"maps"
	"reflect"
	"strings"
)

type (
	object = map[string]any
	list   = []any
)

// plain takes out of a pod's spec just what the API server puts in where nothing was said: the values of defaulting, and the tolerations,
// the priority and the name of the service account that its admission adds; and what the server leaves out because it is empty. The
// golden files were made with the same.
func plain(spec object) object {
	for key, value := range map[string]any{
		"dnsPolicy": "ClusterFirst", "hostPID": false, "enableServiceLinks": true, "preemptionPolicy": "PreemptLowerPriority", "priority": 0.0,
		"restartPolicy": "Always", "schedulerName": "default-scheduler", "securityContext": object{}, "terminationGracePeriodSeconds": 30.0,
	} {
		drop(spec, key, value)
	}
	spec["tolerations"] = tolerations(spec)
	drop(spec, "tolerations", list{})
	if name, ok := spec["serviceAccountName"]; ok {
		drop(spec, "serviceAccount", name)
	}
	for _, key := range []string{"containers", "initContainers"} {
		for _, c := range objects(spec[key]) {
			plainContainer(c)
		}
	}
	for _, v := range objects(spec["volumes"]) {
		plainVolume(v)
	}
	return spec
}

// drop takes a key out that has this value.
func drop(o object, key string, value any) {
	if reflect.DeepEqual(o[key], value) {
		delete(o, key)
	}
}

// tolerations are those that the pod had itself.
func tolerations(spec object) list {
	own := list{}
	for _, t := range objects(spec["tolerations"]) {
		added := object{"key": t["key"], "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300.0}
		if key, _ := t["key"].(string); !strings.HasPrefix(key, "node.kubernetes.io/") || !reflect.DeepEqual(t, added) {
			own = append(own, t)
		}
	}
	return own
}

func plainContainer(c object) {
	drop(c, "imagePullPolicy", pullPolicy(c["image"].(string)))
	drop(c, "terminationMessagePath", "/dev/termination-log")
	drop(c, "terminationMessagePolicy", "File")
	for _, p := range objects(c["ports"]) {
		drop(p, "protocol", "TCP")
	}
	for _, e := range objects(c["env"]) {
		plainField(e["valueFrom"])
		drop(e, "value", "")
	}
	for _, probe := range []string{"livenessProbe", "readinessProbe", "startupProbe"} {
		if p, ok := c[probe].(object); ok {
			plainProbe(p)
		}
	}
	plainResources(c)
}

// pullPolicy is the one of an image that names none.
func pullPolicy(image string) string {
	name, digest, _ := strings.Cut(image, "@")
	_, tag, _ := strings.Cut(name[strings.LastIndex(name, "/")+1:], ":")
	if tag == "latest" || tag == "" && digest == "" {
		return "Always"
	}
	return "IfNotPresent"
}

// plainField is a reference to a field of the pod, as env and downwardAPI have it.
func plainField(holder any) {
	if h, ok := holder.(object); ok {
		if f, ok := h["fieldRef"].(object); ok {
			drop(f, "apiVersion", "v1")
		}
	}
}

func plainProbe(p object) {
	for key, value := range map[string]any{"failureThreshold": 3.0, "periodSeconds": 10.0, "successThreshold": 1.0, "timeoutSeconds": 1.0} {
		drop(p, key, value)
	}
	if get, ok := p["httpGet"].(object); ok {
		drop(get, "scheme", "HTTP")
		drop(get, "path", "/")
	}
}

// plainResources: a limit is also a request where there is none.
func plainResources(c object) {
	r, _ := c["resources"].(object)
	limits, _ := r["limits"].(object)
	requests, _ := r["requests"].(object)
	for resource := range maps.Keys(limits) {
		drop(requests, resource, limits[resource])
	}
	drop(r, "requests", object{})
	drop(c, "resources", object{})
}

func plainVolume(v object) {
	if len(v) == 1 {
		v["emptyDir"] = object{}
	}
	for _, kind := range []string{"configMap", "secret", "projected", "downwardAPI"} {
		if s, ok := v[kind].(object); ok {
			drop(s, "defaultMode", 420.0)
			for _, item := range objects(s["items"]) {
				plainField(item)
			}
			plainSources(s)
		}
	}
	if h, ok := v["hostPath"].(object); ok {
		drop(h, "type", "")
	}
}

// plainSources are those of a projected volume.
func plainSources(projected object) {
	for _, s := range objects(projected["sources"]) {
		if token, ok := s["serviceAccountToken"].(object); ok {
			drop(token, "expirationSeconds", 3600.0)
		}
		if d, ok := s["downwardAPI"].(object); ok {
			for _, item := range objects(d["items"]) {
				plainField(item)
			}
		}
	}
}

// objects are the items of a list that are objects.
func objects(value any) (all []object) {
	items, _ := value.(list)
	for _, item := range items {
		if o, ok := item.(object); ok {
			all = append(all, o)
		}
	}
	return all
}
