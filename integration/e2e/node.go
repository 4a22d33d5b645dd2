package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

const (
	nodeName    = "n1"
	nodeAddress = "10.99.0.1" // in a network that nobody else sees
	adminToken  = "admin-token"
	nodeToken   = "node-token"
)

// beNode makes the machine a node, inside the namespaces, and takes the steps.
func beNode(ctx context.Context, s settings) error {
	if err := errors.Join(s.mounts(), s.network(ctx)); err != nil {
		return err
	}
	archives, err := s.buildImages(ctx)
	if err != nil {
		return err
	}
	cluster, err := s.startNode(ctx, archives)
	if err == nil {
		err = takeSteps(ctx, s, cluster)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "\ne2e: FAILED: %v\n", err)
		s.showLogs()
	}
	if s.Hold {
		fmt.Printf("\nThe node stays until ^C. As root on this machine:\n"+
			"  nsenter -t $(pgrep -xo kubelet) -m -n kubectl --kubeconfig %s get pods\n", s.run("admin.kubeconfig"))
		select {}
	}
	if err != nil {
		return &harness.InnerError{Code: 1}
	}
	return nil
}

// covered are the directories that programs of the node write into whatever their flags say. The node has empty ones of its own
// over them.
var covered = []string{"/run", "/dev/shm", "/var/lib"}

// mounts covers what containerd, the kubelet and podman write outside of their directories.
func (s settings) mounts() error {
	var wrong []error
	mount := func(source, target, kind string, flags uintptr) {
		if err := unix.Mount(source, target, kind, flags, ""); err != nil {
			wrong = append(wrong, fmt.Errorf("cannot mount %q on %q: %w", source, target, err))
		}
	}
	mount("none", "/", "", unix.MS_REC|unix.MS_SHARED) // volumes are mounted after a container has its own view
	for _, dir := range covered {
		mount("tmpfs", dir, "tmpfs", 0)
	}
	wrong = append(wrong, os.MkdirAll(s.run("varlog"), 0o755), os.MkdirAll(s.run("sysctl"), 0o755))
	mount(s.run("varlog"), "/var/log", "", unix.MS_BIND)
	if _, err := os.Stat("/sys/fs/cgroup/unified"); err == nil { // version 1 it is; runtimes take a mixture for neither
		wrong = append(wrong, unix.Unmount("/sys/fs/cgroup/unified", 0))
	}
	// The kubelet sets these for the whole machine, unless they are so already.
	for name, value := range map[string]string{
		"vm/overcommit_memory": "1", "vm/panic_on_oom": "0", "kernel/panic": "10", "kernel/panic_on_oops": "1",
		"kernel/keys/root_maxkeys": "1000000", "kernel/keys/root_maxbytes": "25000000",
	} {
		file := s.run("sysctl/" + filepath.Base(name))
		wrong = append(wrong, os.WriteFile(file, []byte(value+"\n"), 0o644))
		mount(file, "/proc/sys/"+name, "", unix.MS_BIND)
	}
	return errors.Join(wrong...)
}

// network is the node's: lo, and an address that isn't lo's, which the kubelet insists on.
func (s settings) network(ctx context.Context) error {
	return errors.Join(unix.Sethostname([]byte(nodeName)), command(ctx, "/", nil, "sh", "-ec", `
		ip link set lo up
		ip link add node type veth peer name wire
		ip link set wire up
		ip addr add `+nodeAddress+`/24 dev node
		ip link set node up
		ip route add default dev node
		echo 1 > /proc/sys/net/ipv4/ip_forward`))
}

// startNode starts the four daemons and waits until the node is ready.
func (s settings) startNode(ctx context.Context, archives []string) (cluster api, err error) {
	defer s.note("node up", time.Now(), &err)
	if err := s.writeConfig(); err != nil {
		return api{}, err
	}
	const etcd, etcdPeer = "http://127.0.0.1:2379", "http://127.0.0.1:2380"
	for _, daemon := range [][]string{
		{"etcd", "--data-dir", s.run("etcd"), "--unsafe-no-fsync",
			"--listen-client-urls", etcd, "--advertise-client-urls", etcd,
			"--listen-peer-urls", etcdPeer, "--initial-advertise-peer-urls", etcdPeer, "--initial-cluster", "default=" + etcdPeer},
		{"containerd", "--config", s.run("containerd.toml")},
		// No controllers run, so there are no service accounts; nobody else is in this network, so all are allowed.
		{"kube-apiserver", "--etcd-servers", etcd, "--bind-address=127.0.0.1", "--secure-port=6443", "--advertise-address", nodeAddress,
			"--cert-dir", s.run("apiserver"), "--token-auth-file", s.run("tokens.csv"), "--authorization-mode=AlwaysAllow",
			"--disable-admission-plugins=ServiceAccount", "--service-account-issuer=https://e2e.invalid",
			"--service-account-signing-key-file", s.run("sa.key"), "--service-account-key-file", s.run("sa.key"),
			"--service-cluster-ip-range=10.98.0.0/24", "--endpoint-reconciler-type=none",
			"--kubelet-preferred-address-types=InternalIP"}, // names would be looked up
	} {
		if err := s.daemon(daemon[0], daemon[1:]...); err != nil {
			return api{}, err
		}
	}
	ctr := []string{"--address", s.run("containerd.sock"), "--namespace", "k8s.io"}
	err = until(ctx, "containerd answers", func() error {
		return command(ctx, "/", nil, s.bin("ctr"), append(ctr, "version")...)
	})
	for _, archive := range archives {
		if err == nil {
			err = command(ctx, "/", nil, s.bin("ctr"), append(ctr, "images", "import", archive)...)
		}
	}
	if err != nil {
		return api{}, err
	}
	cluster = newAPI(ctx, "https://127.0.0.1:6443", adminToken)
	if err := until(ctx, "the API server is ready", func() error { _, err := cluster.get("/readyz"); return err }); err != nil {
		return api{}, err
	}
	err = s.daemon("kubelet", "--config", s.run("kubelet.yaml"), "--kubeconfig", s.run("node.kubeconfig"), "--v=2",
		"--root-dir", s.run("kubelet"), "--cert-dir", s.run("kubelet-certs"),
		"--hostname-override", nodeName, "--node-ip", nodeAddress)
	if err != nil {
		return api{}, err
	}
	return cluster, until(ctx, "the node is ready", func() error {
		return cluster.condition("/api/v1/nodes/"+nodeName, "Ready")
	})
}

// daemon starts a program whose output goes to a log file. It ends with the node's PID 1.
func (s settings) daemon(name string, args ...string) error {
	log, err := os.Create(s.run("log/" + name))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(s.bin(name), args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), "PATH="+s.bin("")+":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root")
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // what misses it says so
	return nil
}

func (s settings) writeConfig() error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	files := map[string]string{
		"sa.key":           string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})),
		"tokens.csv":       adminToken + ",admin,1,system:masters\n" + nodeToken + ",system:node:" + nodeName + ",2,system:nodes\n",
		"admin.kubeconfig": kubeconfig(adminToken),
		"node.kubeconfig":  kubeconfig(nodeToken),
		"containerd.toml": fmt.Sprintf(containerdConfig,
			s.run("containerd"), s.run("state"), s.run("containerd.sock"), s.bin(""), s.run("cni")),
		"kubelet.yaml":           fmt.Sprintf(kubeletConfig, s.run("containerd.sock"), cgroupRoot, s.run("kubelet-plugins")),
		"cni/10-bridge.conflist": fmt.Sprintf(cniConfig, s.run("cni-addresses")),
	}
	wrong := []error{os.MkdirAll(s.run("cni"), 0o755)}
	for name, text := range files {
		wrong = append(wrong, os.WriteFile(s.run(name), []byte(text), 0o600))
	}
	return errors.Join(wrong...)
}

func kubeconfig(token string) string {
	return `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:6443", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: ` + token + `}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`
}

// The oom_score_adj of a container is restricted for machines where root may not lower it.
const containerdConfig = `version = 2
root = '%s'
state = '%s'
disabled_plugins = ['io.containerd.snapshotter.v1.btrfs', 'io.containerd.snapshotter.v1.zfs',
  'io.containerd.snapshotter.v1.devmapper', 'io.containerd.internal.v1.opt']
[grpc]
  address = '%s'
[plugins.'io.containerd.grpc.v1.cri']
  sandbox_image = 'localhost/pause:1'
  restrict_oom_score_adj = true
  disable_hugetlb_controller = true
  [plugins.'io.containerd.grpc.v1.cri'.cni]
    bin_dir = '%s'
    conf_dir = '%s'
`

// The kubelet looks at its pods every second and not every minute; else what stands here is for a node without systemd,
// iptables and room to spare.
const kubeletConfig = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
syncFrequency: 1s
containerRuntimeEndpoint: unix://%s
cgroupDriver: cgroupfs
cgroupRoot: %s
failCgroupV1: false
volumePluginDir: %s
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
failSwapOn: false
makeIPTablesUtilChains: false
evictionHard: {memory.available: "0%%", nodefs.available: "0%%", nodefs.inodesFree: "0%%", imagefs.available: "0%%"}
imageGCHighThresholdPercent: 100
resolvConf: ""
`

const cniConfig = `{"cniVersion": "1.0.0", "name": "bridge", "plugins": [{
  "type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "hairpinMode": true,
  "ipam": {"type": "host-local", "dataDir": "%s", "ranges": [[{"subnet": "10.97.0.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}
}]}
`

// showLogs prints how the daemons' logs end, for a run that failed.
func (s settings) showLogs() {
	logs, _ := filepath.Glob(s.run("log/*"))
	for _, log := range logs {
		text, _ := os.ReadFile(log)
		fmt.Fprintf(os.Stderr, "\n-- %s\n%s\n", filepath.Base(log), bytes.TrimSpace(tail(text, 25)))
	}
}
