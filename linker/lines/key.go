package lines

import "strings"

// Key is the path of a key in a generation: web/nginx.conf.
type Key string

// Target is the absolute path where an app looks.
type Target string

// DataLink is the link that the kubelet swaps, dataDirName of
// atomic_writer.go.
const DataLink = "..data"

// Rendered stands in a source for the directory that the renderer fills.
const Rendered = "{rendered}"

// What the renderer makes.
const (
	RenderedDir    = ".rendered"    // where that stands in a generation
	RenderedVolume = "/" + Rendered // what it is called as a volume
)

// IsRendered reports that the renderer makes the key.
func IsRendered(key Key) bool { return strings.HasPrefix(string(key), RenderedDir+"/") }
