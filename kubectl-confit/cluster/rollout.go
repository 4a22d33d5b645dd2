package cluster

import (
	"confit/confitctl/kube"
	"confit/confitctl/lease"
)

// Rollout is the roll-out whose record a Lease of the namespace holds. It sends nothing yet.
func (c *Client) Rollout(name string) (*lease.Store, error) {
	return lease.Open(kube.At(c.config, c.Namespace), name)
}
