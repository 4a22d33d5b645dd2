package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
)

// Open sends a request of the administrator's, for as long as the context lasts. The caller closes the answer.
func (c *Cluster) Open(ctx context.Context, method, path, body string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, "https://127.0.0.1:"+c.Port+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+adminToken)
	request.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		request.Header.Set("Content-Type", "application/merge-patch+json")
	}
	authority, err := os.ReadFile(c.CA()) // there is none before the server has made it
	if err != nil {
		return nil, err
	}
	known := x509.NewCertPool()
	known.AppendCertsFromPEM(authority)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: known}, DisableKeepAlives: true}
	return (&http.Client{Transport: transport}).Do(request)
}

// Do is a request of the administrator's, with its answer. The code is 0 if there was none within a minute.
func (c *Cluster) Do(method, path, body string) (code int, answer []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	response, err := c.Open(ctx, method, path, body)
	if err != nil {
		return 0, nil
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	if err != nil {
		return 0, nil
	}
	return response.StatusCode, answer
}

// Must is Do, and one of these codes has to come back.
func (c *Cluster) Must(method, path, body string, codes ...int) []byte {
	c.t.Helper()
	code, answer := c.Do(method, path, body)
	if !slices.Contains(codes, code) {
		c.t.Fatalf("%s %s: status %d, want one of %d: %s", method, path, code, codes, answer)
	}
	return answer
}

// Create posts an object, and reads what the server made of it.
func (c *Cluster) Create(path, object string, made any) {
	c.t.Helper()
	answer := c.Must(http.MethodPost, path, object, http.StatusCreated)
	if err := json.Unmarshal(answer, made); err != nil {
		c.t.Fatal(err)
	}
}

// Paths of what a rollout needs.
const (
	Core   = "/api/v1/namespaces/default/"
	Leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
	rbac   = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/"
)

// Account makes a service account that has a role of its name, which allows nothing yet.
func (c *Cluster) Account(name string) {
	c.t.Helper()
	object := fmt.Sprintf(`{"metadata": {"name": %q}}`, name)
	c.Must(http.MethodPost, Core+"serviceaccounts", object, http.StatusCreated)
	c.Must(http.MethodPost, rbac+"roles", object, http.StatusCreated)
	c.Must(http.MethodPost, rbac+"rolebindings", fmt.Sprintf(`{"metadata": {"name": %[1]q},
		"subjects": [{"kind": "ServiceAccount", "name": %[1]q, "namespace": "default"}],
		"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": %[1]q}}`, name), http.StatusCreated)
}

// Allow makes this the rules of an account's role.
func (c *Cluster) Allow(name, rules string) {
	c.t.Helper()
	c.Must(http.MethodPut, rbac+"roles/"+name, fmt.Sprintf(`{"metadata": {"name": %q}, "rules": [%s]}`, name, rules), http.StatusOK)
}

// LeaseRule is the rule by which an account may do something with a Lease.
func LeaseRule(name string, verbs ...string) string {
	list, _ := json.Marshal(verbs)
	return fmt.Sprintf(`{"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "resourceNames": [%q], "verbs": %s}`, name, list)
}

// Token is one of an account, as the kubelet asks for it: by the TokenRequest API, bound to an object such as a pod if bound isn't "".
func (c *Cluster) Token(account, bound string) string {
	c.t.Helper()
	spec := "{}"
	if bound != "" {
		spec = `{"boundObjectRef": ` + bound + `}`
	}
	var made struct{ Status struct{ Token string } }
	c.Create(Core+"serviceaccounts/"+account+"/token", `{"spec": `+spec+`}`, &made)
	return made.Status.Token
}
