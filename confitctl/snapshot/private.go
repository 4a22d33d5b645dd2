package snapshot

import "fmt"

// shown says why a ConfigMap must not hold a volume, which many more may read than
// a Secret; nil if it may. Kubernetes tells a container of no volume what it is. But
// only Secrets, and what may be made of them, are in memory, and what not everybody
// may read is meant to be private.
func (o Object) shown(v Volume) error {
	var why string
	switch {
	case o.Secret:
		return nil
	case v.InMemory:
		why = "it is mounted from memory, as Secrets and projected volumes are"
	case len(v.Private) > 0:
		why = fmt.Sprintf("not everybody may read its key %q", v.Private[0])
	default:
		return nil
	}
	return fmt.Errorf("volume %q isn't for a ConfigMap, as %s; write --snapshot-secrets %s, and let the manifest make a Secret", o.Volume, why, o.Volume)
}
