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

// Audit lists the requests so far.
func (c *Cluster) Audit() (all []Asked) {
	c.t.Helper()
	log, err := os.Open(c.file("audit.log"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close()
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e struct {
			Verb           string
			User           struct{ Extra map[string][]string }
			ResponseStatus struct{ Code int }
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			continue // the last line may not be whole yet
		}
		a := Asked{Verb: e.Verb, Code: e.ResponseStatus.Code}
		if pods := e.User.Extra["authentication.kubernetes.io/pod-name"]; len(pods) > 0 {
			a.Pod = pods[0]
		}
		all = append(all, a)
	}
	if err := lines.Err(); err != nil {
		c.t.Fatal(err)
	}
	return all
}
