package cluster

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
)

const adminToken = "admin-token"

// auditPolicy has each request for a Lease, and each creation of a pod, noted once, when it was answered.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- level: Metadata
  resources: [{group: coordination.k8s.io, resources: [leases]}]
- level: Metadata
  verbs: [create]
  resources: [{group: "", resources: [pods]}]
- level: None
`

func (c *Cluster) writeConfig() {
	c.t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		c.t.Fatal(err)
	}
	c.write("sa.key", string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})))
	c.write("tokens.csv", adminToken+",admin,1,system:masters\n")
	c.write("audit.yaml", auditPolicy)
}

// write makes a file of the cluster's, and returns its path.
func (c *Cluster) write(name, text string) string {
	c.t.Helper()
	if err := os.WriteFile(c.file(name), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	return c.file(name)
}

// CA is the path of the certificates that the server's own is checked by. The server made them itself.
func (c *Cluster) CA() string { return c.file("certs/apiserver.crt") }

// Kubeconfig is the path of one for whoever has the token; "" is the administrator's.
func (c *Cluster) Kubeconfig(name, token string) string {
	c.t.Helper()
	if token == "" {
		token = adminToken
	}
	return c.write(name+".kubeconfig", fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "x",
		"clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:%s", "certificate-authority": %q}}],
		"users": [{"name": "u", "user": {"token": %q}}],
		"contexts": [{"name": "x", "context": {"cluster": "c", "user": "u", "namespace": "default"}}]}`, c.Port, c.CA(), token))
}
