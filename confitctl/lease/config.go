package lease

import (
	"fmt"
	"os"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// namespaceFile is where the kubelet says which namespace a pod is in. See
// pkg/serviceaccount and the admission plugin of that name.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// Config is how to reach the API server, and the namespace there: with a
// kubeconfig for a person, else with the pod's service account, else as kubectl
// does it.
func Config(kubeconfig string) (*rest.Config, string, error) {
	if kubeconfig == "" && os.Getenv("KUBERNETES_SERVICE_HOST") != "" {
		return serviceAccount()
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{})
	c, err := loader.ClientConfig()
	if err != nil {
		return nil, "", fmt.Errorf("cannot read the kubeconfig: %w; name one with --kubeconfig", err)
	}
	namespace, _, err := loader.Namespace()
	return c, namespace, err
}

func serviceAccount() (*rest.Config, string, error) {
	c, err := rest.InClusterConfig()
	if err != nil {
		return nil, "", fmt.Errorf("cannot use the pod's service account: %w; does the pod have automountServiceAccountToken: false?", err)
	}
	namespace, err := os.ReadFile(namespaceFile)
	if err != nil {
		return nil, "", fmt.Errorf("cannot read the pod's namespace: %w", err)
	}
	return c, strings.TrimSpace(string(namespace)), nil
}
