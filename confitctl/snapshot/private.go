package snapshot

import (
	"fmt"
	"strings"
)

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

// InMemory reports that a file system in memory is mounted on a directory as a whole,
// as the kubelet does it for each Secret: emptyDir of the wrapped volume,
// pkg/volume/secret of Kubernetes. Any other volume is a directory of the node's disk,
// also where that is in memory. mounts is the text of /proc/self/mountinfo: see
// proc_pid_mountinfo(5).
func InMemory(mounts, dir string) (found bool) {
	for line := range strings.Lines(mounts) {
		fields := strings.Fields(line)
		if len(fields) > 4 && unescape.Replace(fields[4]) == dir { // what is mounted last is on top
			_, kind, _ := strings.Cut(line, " - ")
			found = fields[3] == "/" && strings.HasPrefix(kind, "tmpfs ")
		}
	}
	return found
}

// unescape undoes what the kernel does with blanks and the like.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
