package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
	archive, err := s.buildImages(ctx)
	if err != nil {
		return err
	}
	if err := awaitWatches(ctx); err != nil {
		return err
	}
	n := &node{settings: s}
	if err = n.start(ctx, archive); err == nil {
		err = n.playScenes()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "\ne2e: FAILED: %v\n", err)
		s.showLogs()
	}
	if s.Hold {
		fmt.Printf("\nThe node stays until ^C. As root on this machine:\n"+
			"  nsenter -t $(pgrep -xo kubelet) -m -n %s --kubeconfig %s get pods -A\n", s.bin("kubectl"), s.run("admin.kubeconfig"))
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

// network is the node's: lo with the API server's address for pods, and an address that isn't lo's, which the kubelet insists on.
func (s settings) network(ctx context.Context) error {
	return errors.Join(unix.Sethostname([]byte(nodeName)), command(ctx, "/", nil, "sh", "-ec", `
		ip link set lo up
		ip addr add 10.98.0.1/32 dev lo
		ip link add node type veth peer name wire
		ip link set wire up
		ip addr add `+nodeAddress+`/24 dev node
		ip link set node up
		ip route add default dev node
		echo 1 > /proc/sys/net/ipv4/ip_forward`))
}

// node is what runs here: Kubernetes with a scheduler and controllers, on this one node.
type node struct {
	settings
	api     api // as its administrator
	server  *daemon
	kubelet *daemon
}

// start starts the daemons, and waits until pods can be made.
func (n *node) start(ctx context.Context, images []string) (err error) {
	defer n.note("node up", time.Now(), &err)
	if err := n.writeConfig(); err != nil {
		return err
	}
	if err := n.startStore(ctx, images); err != nil {
		return err
	}
	n.api = newAPI(ctx, "https://127.0.0.1:443", adminToken)
	if err := n.awaitServer(ctx); err != nil {
		return err
	}
	n.kubelet = n.daemon("kubelet", "--config", n.run("kubelet.yaml"), "--kubeconfig", n.run("node.kubeconfig"), "--v=2",
		"--root-dir", n.run("kubelet"), "--cert-dir", n.run("kubelet-certs"),
		"--hostname-override", nodeName, "--node-ip", nodeAddress)
	admin := []string{"--kubeconfig", n.run("admin.kubeconfig"), "--leader-elect=false", "--bind-address=127.0.0.1"}
	for _, d := range []*daemon{
		n.kubelet,
		n.daemon("kube-scheduler", admin...),
		n.daemon("kube-controller-manager", append(admin,
			"--service-account-private-key-file", n.run("sa.key"), "--root-ca-file", n.run("apiserver/apiserver.crt"))...),
	} {
		if err := d.start(); err != nil {
			return err
		}
	}
	return until(ctx, "the node is ready", func() error {
		return n.api.condition("/api/v1/nodes/"+nodeName, "Ready")
	})
}

func (n *node) awaitServer(ctx context.Context) error {
	return until(ctx, "the API server is ready", func() error { _, err := n.api.get("/readyz"); return err })
}

// startStore starts what the others need: the API server with its store, and the runtime with the images.
func (n *node) startStore(ctx context.Context, images []string) error {
	const etcd, etcdPeer = "http://127.0.0.1:2379", "http://127.0.0.1:2380"
	runtime := n.daemon("containerd", "--config", n.run("containerd.toml"))
	// It listens where pods look for it, for there is no kube-proxy: at the address of the Service "kubernetes".
	n.server = n.daemon("kube-apiserver", "--etcd-servers", etcd, "--secure-port=443", "--advertise-address", nodeAddress,
		"--cert-dir", n.run("apiserver"), "--token-auth-file", n.run("tokens.csv"), "--authorization-mode=Node,RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-signing-key-file", n.run("sa.key"), "--service-account-key-file", n.run("sa.key"),
		"--audit-policy-file", n.run("audit.yaml"), "--audit-log-path", n.run("audit.log"),
		"--service-cluster-ip-range=10.98.0.0/24", "--endpoint-reconciler-type=none",
		"--kubelet-preferred-address-types=InternalIP") // names would be looked up
	for _, d := range []*daemon{
		runtime,
		n.daemon("etcd", "--data-dir", n.run("etcd"), "--unsafe-no-fsync",
			"--listen-client-urls", etcd, "--advertise-client-urls", etcd,
			"--listen-peer-urls", etcdPeer, "--initial-advertise-peer-urls", etcdPeer, "--initial-cluster", "default="+etcdPeer),
		n.server,
	} {
		if err := d.start(); err != nil {
			return err
		}
	}
	err := until(ctx, "containerd can run pods", func() error { return n.canRunPods(ctx, runtime) })
	wrong := []error{err}
	for _, archive := range images {
		_, err := n.ctr(ctx, "images", "import", archive)
		wrong = append(wrong, err)
	}
	for archived, names := range renamed {
		_, err := n.ctr(ctx, append([]string{"images", "tag", archived}, names...)...)
		wrong = append(wrong, err)
	}
	return errors.Join(wrong...)
}

// awaitWatches waits until root may make as many inotify instances as the node will need. The kernel counts them for all that root
// runs on the machine (fs.inotify.max_user_instances, 128), and others may be testing, too.
func awaitWatches(ctx context.Context) error {
	const needed, bound = 64, 10 * time.Minute
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	var err error
	if !harness.PollEvery(ctx, time.Second, func() bool { err = makeWatches(needed); return err == nil }) {
		return fmt.Errorf("not within %v: %d inotify instances to spare: %w; others use them, or raise fs.inotify.max_user_instances", bound, needed, err)
	}
	return nil
}

// makeWatches makes so many instances, and gives them back.
func makeWatches(n int) error {
	for range n {
		fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
	}
	return nil
}

// canRunPods starts containerd again if its part for Kubernetes could not start. It lives on without it.
func (n *node) canRunPods(ctx context.Context, containerd *daemon) error {
	list, err := n.ctr(ctx, "plugins", "ls", "id==cri")
	switch {
	case err != nil:
		return err
	case strings.Contains(list, "ok"):
		return nil
	}
	containerd.kill()
	return errors.Join(errors.New("its plugin for Kubernetes doesn't start; are all inotify instances in use?"), containerd.start())
}

// lookEvery has a kubelet that looks at its pods every so often from now on; "0s" is what a kubelet does by itself. It returns what it
// says of that.
func (n *node) lookEvery(period string) (says string, err error) {
	n.kubelet.kill()
	if err := errors.Join(os.WriteFile(n.run("kubelet.yaml"), []byte(n.kubeletConfig(period)), 0o600), n.kubelet.start()); err != nil {
		return "", err
	}
	var config struct {
		KubeletConfig struct{ SyncFrequency string }
	}
	err = until(n.api.ctx, "the kubelet is there again", func() error {
		text, err := n.api.get("/api/v1/nodes/" + nodeName + "/proxy/configz")
		if err == nil {
			err = json.Unmarshal(text, &config)
		}
		return err
	})
	return config.KubeletConfig.SyncFrequency, err
}

// ctr is what ctr prints.
func (n *node) ctr(ctx context.Context, args ...string) (string, error) {
	args = append([]string{"--address", n.run("containerd.sock"), "--namespace", "k8s.io"}, args...)
	return answer(exec.CommandContext(ctx, n.bin("ctr"), args...), "")
}
