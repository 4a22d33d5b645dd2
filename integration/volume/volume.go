// Package volume writes a ConfigMap or Secret volume by the same file system calls, in the same order, as the kubelet's
// AtomicWriter (k8s.io/kubernetes, pkg/volume/util/atomic_writer.go). That it does is not a claim but a test: volume_test.go
// runs both writers under strace and compares. It is for demonstrations, measurements and tests of one package, which run no other
// program; integration/confit has the real writer, integration/kubelet.
//
// What it makes of a directory:
//
//	..2026_11_20_23_10_11.3757464873/nginx.conf      one whole payload
//	..data     -> ..2026_11_20_23_10_11.3757464873   the one link that moves
//	nginx.conf -> ..data/nginx.conf                  one visible link for each first path element
//
// It does not do what needs a pod: no fsGroup, no runAsUser, no clearing of a volume whose write failed (a real kubelet
// tears such a volume down, kubernetes#113242). The order in which keys are handled is the order of their names, where the
// kubelet's is random. Two writers at once on one volume are not supported, by either.
package volume

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"slices"
)

// DefaultMode is the mode of a key that names none: the API's default for defaultMode.
const DefaultMode fs.FileMode = 0o644

// File is one key of a volume.
type File struct {
	Data []byte
	Mode fs.FileMode // 0 means DefaultMode
}

// Payload is the whole content of a volume: slash-separated path of each key → its file.
type Payload map[string]File

// Strings makes a payload of keys and their contents in turn, in the default mode: Strings("a.conf", "1", "sub/d", "2").
// It panics when the last key has no content.
func Strings(kv ...string) Payload {
	if len(kv)%2 != 0 {
		panic(fmt.Sprintf("volume.Strings: key %q has no content", kv[len(kv)-1]))
	}
	p := Payload{}
	for pair := range slices.Chunk(kv, 2) {
		p[pair[0]] = File{Data: []byte(pair[1])}
	}
	return p
}

// mode is the mode that the file gets.
func (f File) mode() fs.FileMode {
	return cmp.Or(f.Mode, DefaultMode)
}

// keys returns the paths in order.
func (p Payload) keys() []string {
	return slices.Sorted(maps.Keys(p))
}
