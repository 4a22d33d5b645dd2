// Package cluster is a real API server with its etcd, for a test: as much of Kubernetes as a rollout needs. There are no
// controllers, no scheduler and no node. Authentication, roles and audit are the server's own.
//
// It guarantees that both programs end with the test, however that ends, and that they listen on ports of their own: a node
// that runs beside isn't disturbed.
//
// It knows nothing of confit. The tests of both modules use it, so it needs no library.
package cluster

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Variable names the directory with the programs etcd and kube-apiserver. make fleet makes them.
const Variable = "INTEGRATION_APISERVER"

// patience is how long the server may take to come up where others use the processors, too.
const patience = 5 * time.Minute

// Cluster is a running one.
type Cluster struct {
	Port string // on 127.0.0.1

	t         testing.TB
	dir, bin  string
	etcdURL   string
	etcd, api *exec.Cmd
}

// Start needs what Variable names.
func Start(t testing.TB) *Cluster {
	t.Helper()
	c := &Cluster{Port: freePort(t), t: t, dir: t.TempDir(), bin: os.Getenv(Variable)}
	c.etcdURL = "http://127.0.0.1:" + freePort(t)
	peer := "http://127.0.0.1:" + freePort(t)
	c.etcd = c.start("etcd", "--data-dir", c.file("etcd"), "--unsafe-no-fsync",
		"--listen-client-urls", c.etcdURL, "--advertise-client-urls", c.etcdURL,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer)
	c.writeConfig()
	c.Up()
	return c
}

// For is the same cluster for a test that is part of the one that started it.
func (c *Cluster) For(t testing.TB) *Cluster {
	part := *c
	part.t = t
	return &part
}

// Up starts the API server and waits until it answers.
func (c *Cluster) Up() {
	c.t.Helper()
	c.api = c.start("kube-apiserver", "--etcd-servers", c.etcdURL, "--bind-address=127.0.0.1", "--secure-port", c.Port,
		"--cert-dir", c.file("certs"), "--token-auth-file", c.file("tokens.csv"), "--authorization-mode=RBAC",
		"--disable-admission-plugins=ServiceAccount", // it waits for a controller that doesn't run here
		"--service-account-issuer=https://test.invalid",
		"--service-account-signing-key-file", c.file("sa.key"), "--service-account-key-file", c.file("sa.key"),
		"--audit-policy-file", c.file("audit.yaml"), "--audit-log-path", c.file("audit.log"),
		"--service-cluster-ip-range=10.98.0.0/24", "--endpoint-reconciler-type=none")
	c.until("the API server is ready", func() bool {
		code, _ := c.Do(http.MethodGet, "/readyz", "")
		return code == http.StatusOK
	})
	c.until("the namespace is there", func() bool {
		code, _ := c.Do(http.MethodGet, "/api/v1/namespaces/default", "")
		return code == http.StatusOK
	})
}

// Down kills the API server. What it has stored stays in etcd.
func (c *Cluster) Down() {
	_ = c.api.Process.Kill()
	_ = c.api.Wait()
}

// start runs a program until the test ends, or the test's own end ends it.
func (c *Cluster) start(name string, args ...string) *exec.Cmd {
	c.t.Helper()
	log, err := os.OpenFile(c.file(name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(c.bin, name), args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() { // Pdeathsig is sent when the thread that started the child ends: prctl(2)
		runtime.LockOSThread()
		started <- cmd.Start()
		<-c.t.Context().Done()
		_ = cmd.Process.Kill()
		select {} // the thread lives as long as the test binary
	}()
	if err := <-started; err != nil {
		c.t.Fatalf("cannot start %s, which make fleet makes for %s: %v", name, Variable, err)
	}
	c.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait(); log.Close() })
	return cmd
}

func (c *Cluster) file(name string) string { return filepath.Join(c.dir, name) }

// until polls, with a bound.
func (c *Cluster) until(what string, ok func() bool) {
	c.t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			log, _ := os.ReadFile(c.file("kube-apiserver.log"))
			c.t.Fatalf("not within %v: %s; the server's log ends with\n%s", patience, what, log[max(0, len(log)-2000):])
		}
	}
}

// CPU is how long the API server and etcd have worked: utime and stime of proc_pid_stat(5), in hundredths of a second.
func (c *Cluster) CPU() (api, etcd time.Duration) {
	return c.worked(c.api), c.worked(c.etcd)
}

func (c *Cluster) worked(cmd *exec.Cmd) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if err != nil || len(fields) < 13 {
		c.t.Fatalf("cannot read the CPU time of %s: %v", cmd.Path, err)
	}
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	if err := errors.Join(err1, err2); err != nil {
		c.t.Fatal(err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}

// freePort is one that nobody listened on a moment ago.
func freePort(t testing.TB) string {
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
