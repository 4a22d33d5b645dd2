package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
)

// writeConfig writes what the daemons read at their start.
func (s settings) writeConfig() error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	files := map[string]string{
		"sa.key":           string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})),
		"tokens.csv":       adminToken + ",admin,1,system:masters\n" + nodeToken + ",system:node:" + nodeName + ",2,system:nodes\n",
		"admin.kubeconfig": kubeconfig(adminToken, "default"),
		"node.kubeconfig":  kubeconfig(nodeToken, "default"),
		"containerd.toml": fmt.Sprintf(containerdConfig,
			s.run("containerd"), s.run("state"), s.run("containerd.sock"), s.bin(""), s.run("cni")),
		"kubelet.yaml":           s.kubeletConfig("1s"),
		"audit.yaml":             auditPolicy,
		"cni/10-bridge.conflist": fmt.Sprintf(cniConfig, s.run("cni-addresses")),
	}
	wrong := []error{os.MkdirAll(s.run("cni"), 0o755)}
	for name, text := range files {
		wrong = append(wrong, os.WriteFile(s.run(name), []byte(text), 0o600))
	}
	return errors.Join(wrong...)
}

// kubeconfig is that of somebody whose commands are about a namespace unless they say otherwise.
func kubeconfig(token, namespace string) string {
	return `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:443", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: ` + token + `}}]
contexts: [{name: x, context: {cluster: c, user: u, namespace: ` + namespace + `}}]
current-context: x
`
}

// The oom_score_adj of a container is restricted for machines where root may not lower it.
const containerdConfig = `version = 2
root = '%s'
state = '%s'
disabled_plugins = ['io.containerd.internal.v1.opt']
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

// kubeletConfig is that of a kubelet that looks at its pods every so often. By itself it would do so every minute, and up to half
// a minute later.
func (s settings) kubeletConfig(period string) string {
	return fmt.Sprintf(kubeletConfig, period, s.run("containerd.sock"), cgroupRoot, s.run("kubelet-plugins"))
}

// What stands here besides is for a node without systemd, iptables and room to spare.
const kubeletConfig = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
syncFrequency: %s
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

// auditPolicy has all that is known of requests for pods, and that others were made: what many clusters write down.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: RequestResponse
  namespaces: [verdict]
  resources: [{group: "", resources: [pods, pods/exec, pods/attach, pods/log, events]}]
- level: Metadata
  namespaces: [verdict]
- level: None
`

const cniConfig = `{"cniVersion": "1.0.0", "name": "bridge", "plugins": [{
  "type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "hairpinMode": true,
  "ipam": {"type": "host-local", "dataDir": "%s", "ranges": [[{"subnet": "10.97.0.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}
}]}
`
