package cluster

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/dynamic"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	"confit/confitctl/kube"
)

// shown are the flags of kubectl that the help of a verb lists. The others are there, too.
var shown = map[string]string{
	"namespace":       "`NAMESPACE` of the objects; without it the kubeconfig's",
	"context":         "`CONTEXT` of the kubeconfig",
	"kubeconfig":      "`FILE` to read instead of ~/.kube/config",
	"as":              "`USER` to act as, if you may",
	"request-timeout": "`TIME` that one request may take, such as 10s; 0: any",
}

// Flags are kubectl's own: which cluster, as whom, in which namespace.
type Flags struct {
	config *genericclioptions.ConfigFlags
}

// NewFlags makes the flags of one verb.
func NewFlags() *Flags {
	config := genericclioptions.NewConfigFlags(true).WithDiscoveryBurst(300).WithDiscoveryQPS(50) // as kubectl has it
	return &Flags{config}
}

// AddTo adds the flags to those of a verb. All that kubectl has are taken; the help shows those that people use.
func (f *Flags) AddTo(flags *pflag.FlagSet) {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.config.AddFlags(own)
	own.VisitAll(func(flag *pflag.Flag) {
		text, show := shown[flag.Name]
		if flag.Hidden = !show; show {
			flag.Usage = text
		}
		flags.AddFlag(flag)
	})
}

// Client asks one API server about one namespace. It may be used by several goroutines.
type Client struct {
	Namespace string
	config    *rest.Config
	plain     *rest.Config // without patience
	outage    *outage
	core      *corev1.CoreV1Client
	dynamic   *dynamic.DynamicClient
	getter    genericclioptions.RESTClientGetter
	slots     chan struct{} // one for each command that runs
}

// atOnce is how many commands run in containers at the same time.
const atOnce = 16

// What the libraries log is dropped: errors come back as errors.
func init() { klog.SetLogger(logr.Discard()) }

// Connect reads the kubeconfig. It sends nothing: whether the server answers, the first request shows.
func (f *Flags) Connect(p Patience) (*Client, error) {
	loader := f.config.ToRawKubeConfigLoader()
	plain, err := f.config.ToRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("cannot read the kubeconfig: %w; name another one with --kubeconfig, or --context", err)
	}
	plain.QPS, plain.Burst = 50, 300
	plain.WarningHandler = rest.NoWarnings{}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, fmt.Errorf("cannot read the kubeconfig: %w", err)
	}
	if err := kube.CheckName(namespace); err != nil {
		return nil, fmt.Errorf("cannot use the namespace: %w", err)
	}
	o := &outage{Patience: p}
	config := o.wrap(rest.CopyConfig(plain))
	core, err := corev1.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot use the kubeconfig: %w", err)
	}
	raw, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot use the kubeconfig: %w", err)
	}
	f.config.Namespace = ptr.To(namespace)
	f.config.WrapConfigFn = func(c *rest.Config) *rest.Config {
		if o.Say != nil {
			o.wrap(c).Timeout = cmp.Or(p.For, forEver) + time.Minute // else discovery sets one that is shorter than patience
		}
		return c
	}
	return &Client{namespace, config, plain, o, core, raw, f.config, make(chan struct{}, atOnce)}, nil
}

// forEver is longer than anybody waits.
const forEver = 1000 * time.Hour

// wrap gives a configuration patience, if there is any. The time that one request may take is then that of one try.
func (o *outage) wrap(c *rest.Config) *rest.Config {
	if o.Say == nil {
		return c
	}
	most := c.Timeout
	c.Timeout = 0
	c.Wrap(func(next http.RoundTripper) http.RoundTripper { return &patient{next, o, most} })
	return c
}

// Hasty is the same client for rollouts, without patience: its user looks again by itself.
func (c *Client) Hasty() *Client {
	other := *c
	other.config = c.plain
	return &other
}

// In is the same client, of another namespace; "": of all, for pods.
func (c *Client) In(namespace string) *Client {
	other := *c
	other.Namespace = namespace
	return &other
}

// Core is client-go's own client, for what this package has no method for: create, delete, patch. Its errors are for
// [Problem].
func (c *Client) Core() corev1.CoreV1Interface { return c.core }

// Raw is client-go's client for ConfigMaps or Secrets of the namespace as JSON has them: no field gets lost that this program
// doesn't know. Its errors are for [Problem].
func (c *Client) Raw(kind string) dynamic.ResourceInterface {
	of := schema.GroupVersionResource{Version: "v1", Resource: strings.ToLower(kind) + "s"}
	return c.dynamic.Resource(of).Namespace(c.Namespace)
}

// Builder finds objects by names, files and stdin as kubectl does, in the client's namespace.
func (c *Client) Builder() *resource.Builder {
	return resource.NewBuilder(c.getter).NamespaceParam(c.Namespace).DefaultNamespace()
}

// slot waits until one of the commands in containers may run. The caller gives it back.
func (c *Client) slot(ctx context.Context) error {
	select {
	case c.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
