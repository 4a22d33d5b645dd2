// Package kube reaches the API server of Kubernetes, and says in one line what
// is wrong with a request.
//
// It guarantees that a request ends after ten seconds, that every error of
// [Object.Problem] says whether it helps to ask again, and that the client
// itself writes no log. It knows no object, and repeats nothing: when to ask
// again is the caller's decision.
package kube

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

// The client logs what is in its errors, too, in lines of a form of its own.
func init() { klog.SetLogger(klog.New(nil)) }

// timeout bounds one request. It is well below the 30 s by which a hold
// outlives its bound, so an answer that comes in still counts.
const timeout = 10 * time.Second

// namespaceFile is where the kubelet says which namespace a pod is in. See
// pkg/serviceaccount and the admission plugin of that name.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// Cluster is how to reach the API server, and the namespace there.
type Cluster struct {
	Config    *rest.Config
	Namespace string
}

// Find finds the cluster: with a kubeconfig for a person, else with the pod's
// service account, else as kubectl does it. A namespace that is named wins.
func Find(kubeconfig, namespace string) (c Cluster, err error) {
	if kubeconfig == "" && os.Getenv("KUBERNETES_SERVICE_HOST") != "" {
		c, err = serviceAccount()
	} else {
		c, err = person(kubeconfig)
	}
	if err != nil {
		return c, err
	}
	return At(c.Config, cmp.Or(namespace, c.Namespace)), nil
}

// At is the cluster that somebody else has found, such as a plug-in of kubectl. The configuration
// stays as it is.
func At(config *rest.Config, namespace string) Cluster {
	c := rest.CopyConfig(config)
	c.Timeout = cmp.Or(c.Timeout, timeout)
	c.QPS = -1 // the callers keep their distance
	c.WarningHandler = rest.NoWarnings{}
	return Cluster{c, namespace}
}

func person(kubeconfig string) (c Cluster, err error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{})
	if c.Config, err = loader.ClientConfig(); err != nil {
		return c, fmt.Errorf("cannot read the kubeconfig: %w; name one with --kubeconfig", err)
	}
	c.Namespace, _, err = loader.Namespace()
	return c, err
}

func serviceAccount() (c Cluster, err error) {
	if c.Config, err = rest.InClusterConfig(); err != nil {
		return c, fmt.Errorf("cannot use the pod's service account: %w; does the pod have automountServiceAccountToken: false?", err)
	}
	namespace, err := os.ReadFile(namespaceFile)
	if err != nil {
		return c, fmt.Errorf("cannot read the pod's namespace: %w", err)
	}
	c.Namespace = strings.TrimSpace(string(namespace))
	return c, nil
}
