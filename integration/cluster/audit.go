package cluster

import (
	"bufio"
	"encoding/json"
	"os"
)

// Asked is a request for a Lease, as the API server's audit log has it.
type Asked struct {
	Verb string
	Code int
	Pod  string // that the token belongs to; "" for another
}

// event is one of the audit log.
type event struct {
	Verb           string
	User           struct{ Extra map[string][]string }
	ObjectRef      struct{ Resource, Namespace, Name string }
	ResponseStatus struct{ Code int }
	Annotations    map[string]string
}

// Audit lists the requests for Leases so far.
func (c *Cluster) Audit() (all []Asked) {
	c.t.Helper()
	for _, e := range c.events("leases") {
		a := Asked{Verb: e.Verb, Code: e.ResponseStatus.Code}
		if pods := e.User.Extra["authentication.kubernetes.io/pod-name"]; len(pods) > 0 {
			a.Pod = pods[0]
		}
		all = append(all, a)
	}
	return all
}

// PodNotes are the annotations that the audit log has for the creation of a namespace's pods, by their names.
func (c *Cluster) PodNotes(namespace string) map[string]map[string]string {
	c.t.Helper()
	notes := map[string]map[string]string{}
	for _, e := range c.events("pods") {
		if e.ObjectRef.Namespace == namespace {
			notes[e.ObjectRef.Name] = e.Annotations
		}
	}
	return notes
}

// events are those so far for a resource.
func (c *Cluster) events(resource string) (all []event) {
	c.t.Helper()
	log, err := os.Open(c.file("audit.log"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close()
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			continue // the last line may not be whole yet
		}
		if e.ObjectRef.Resource == resource {
			all = append(all, e)
		}
	}
	if err := lines.Err(); err != nil {
		c.t.Fatal(err)
	}
	return all
}
