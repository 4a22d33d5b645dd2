package cli

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// cluster is a real API server with its etcd: as much of Kubernetes as a
// roll-out needs.
type cluster struct {
	t         *testing.T
	dir, bin  string
	port      string
	etcd      string
	apiserver *exec.Cmd
}

// newCluster needs CONFITCTL_APISERVER, a directory with the programs etcd and
// kube-apiserver. make e2e builds them.
func newCluster(t *testing.T) *cluster {
	bin := os.Getenv("CONFITCTL_APISERVER")
	if bin == "" {
		t.Skip("CONFITCTL_APISERVER names no directory with etcd and kube-apiserver")
	}
	c := &cluster{t: t, dir: t.TempDir(), bin: bin, port: freePort(t)}
	client, peer := "http://127.0.0.1:"+freePort(t), "http://127.0.0.1:"+freePort(t)
	c.etcd = client
	c.start("etcd", "--data-dir", c.file("etcd"), "--unsafe-no-fsync", "--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	c.write("sa.key", string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})))
	c.write("tokens.csv", "admin-token,admin,1,system:masters\nweb-token,web,2\n")
	for _, user := range []string{"admin", "web"} {
		c.write(user, fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "x",
			"clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:%s", "insecure-skip-tls-verify": true}}],
			"users": [{"name": "u", "user": {"token": "%s-token"}}],
			"contexts": [{"name": "x", "context": {"cluster": "c", "user": "u", "namespace": "default"}}]}`, c.port, user))
	}
	c.up()
	return c
}

// up starts the API server and waits until it answers.
func (c *cluster) up() {
	c.apiserver = c.start("kube-apiserver", "--etcd-servers", c.etcd, "--bind-address=127.0.0.1", "--secure-port", c.port,
		"--cert-dir", c.file("certs"), "--token-auth-file", c.file("tokens.csv"), "--authorization-mode=RBAC",
		"--disable-admission-plugins=ServiceAccount", "--service-account-issuer=https://test.invalid",
		"--service-account-signing-key-file", c.file("sa.key"), "--service-account-key-file", c.file("sa.key"),
		"--service-cluster-ip-range=10.98.0.0/24", "--endpoint-reconciler-type=none")
	c.eventually("the API server is ready", func() bool { return c.call("GET", "/readyz", "") == http.StatusOK })
	c.eventually("the namespace is there", func() bool { return c.call("GET", "/api/v1/namespaces/default", "") == http.StatusOK })
}

func (c *cluster) down() {
	_ = c.apiserver.Process.Kill()
	_ = c.apiserver.Wait()
}

// start runs a program until the test ends.
func (c *cluster) start(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(c.bin, name), args...)
	log, err := os.Create(c.file(name + ".log"))
	if err != nil {
		c.t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait(); log.Close() })
	return cmd
}

func (c *cluster) file(name string) string { return filepath.Join(c.dir, name) }

func (c *cluster) write(name, text string) {
	if err := os.WriteFile(c.file(name), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// call is a request of the administrator.
func (c *cluster) call(method, path, body string) int {
	request, err := http.NewRequestWithContext(c.t.Context(), method, "https://127.0.0.1:"+c.port+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer admin-token")
	request.Header.Set("Content-Type", "application/json")
	client := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true, // the certificate is its own
	}}
	response, err := client.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// allow lets the user web do something with the Lease.
func (c *cluster) allow(verbs string) {
	const group = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/"
	c.call("DELETE", group+"roles/web", "")
	role := `{"metadata": {"name": "web"}, "rules": [{"apiGroups": ["coordination.k8s.io"], "resources": ["leases"],
		"resourceNames": ["web"], "verbs": [` + verbs + `]}]}`
	if code := c.call("POST", group+"roles", role); code != http.StatusCreated {
		c.t.Fatalf("role: status %d", code)
	}
	c.call("POST", group+"rolebindings", `{"metadata": {"name": "web"}, "subjects": [{"kind": "User", "name": "web"}],
		"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "web"}}`)
}

// eventually polls, with a bound.
func (c *cluster) eventually(what string, ok func() bool) {
	c.t.Helper()
	for end := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("waited two minutes until %s", what)
		}
	}
}

// freePort is one that nobody listened on a moment ago.
func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// hookProcess is confitctl as confit runs it.
type hookProcess struct {
	*exec.Cmd
	stderr *locked
}

// hook starts a hook of a replica, as the user web.
func (c *cluster) hook(verb string, replica int, environ ...string) hookProcess {
	c.t.Helper()
	p := hookProcess{exec.Command(c.file("confitctl"), verb, "--lease", "web", "--kubeconfig", c.file("web"), "--parallel", "10"), &locked{}}
	if verb == "report" {
		p.Args = p.Args[:len(p.Args)-2]
	}
	p.Env = append([]string{
		fmt.Sprintf("CONFITCTL_POD_UID=uid-%d", replica), fmt.Sprintf("CONFITCTL_POD=web-%d", replica), "CONFITCTL_REVISION=r1",
		"CONFIT_ACCEPTED=aaaa", "CONFIT_HASH=bbbb", "CONFIT_BOUND=60", "CONFIT_OUTCOME=accepted", "CONFIT_SOURCE=mounted",
	}, environ...)
	p.Stderr = p.stderr
	if err := p.Start(); err != nil {
		c.t.Fatal(err)
	}
	return p
}

// end waits for the exit code.
func (p hookProcess) end() int {
	_ = p.Wait()
	return p.ProcessState.ExitCode()
}

// locked is a buffer that is read while a process writes.
type locked struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
