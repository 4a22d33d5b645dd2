package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"confit/confitctl/program"
	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/follow"
)

// asking are the flags of verbs that ask a cluster about objects that are named.
type asking struct {
	cluster *cluster.Flags
	labels  string
	output  output
}

// addTo adds the flags to those of a verb.
func (a *asking) addTo(c *cobra.Command, people ...string) {
	a.cluster = withCluster(c)
	c.Flags().StringVarP(&a.labels, "selector", "l", "", "`LABELS` of the pods, as kubectl has them: app=web,tier!=test")
	a.output.addTo(c, people...)
}

// patient is what a verb has with an API server that is away for so long; 0: for any time.
func patient(c *cobra.Command, long time.Duration) cluster.Patience {
	return cluster.Patience{For: long, Say: func(line string) { fmt.Fprintln(c.ErrOrStderr(), line) }}
}

// scope connects, and finds what the command line names.
func (a *asking) scope(ctx context.Context, args []string, p cluster.Patience) (*cluster.Client, follow.Scope, error) {
	if _, err := labels.Parse(a.labels); err != nil {
		return nil, follow.Scope{}, program.Wrong("-l is %q: write labels as kubectl has them, such as app=web,tier!=test", a.labels)
	}
	c, err := a.cluster.Connect(p)
	if err != nil {
		return nil, follow.Scope{}, err
	}
	a.output.is(c.Namespace, "")
	var named []*cluster.Named
	if len(args) > 0 {
		if named, err = c.Find(ctx, args); err != nil {
			return nil, follow.Scope{}, err
		}
	}
	s, err := follow.ScopeOf(named, a.labels)
	if err != nil {
		return nil, s, program.Wrong("%w", err)
	}
	return c, s, nil
}
