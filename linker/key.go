package linker

import "strings"

// Key is the path of a key in a generation: web/nginx.conf.
type Key string

// Target is the absolute path where an app looks.
type Target string

// dataLink is the link that the kubelet swaps, dataDirName of
// atomic_writer.go.
const dataLink = "..data"

// Rendered stands in a source for the directory that the renderer fills.
const Rendered = "{rendered}"

const (
	renderedName   = ".rendered"    // where that stands in a generation
	renderedVolume = "/" + Rendered // what it is called as a volume
)

func isRendered(key Key) bool { return strings.HasPrefix(string(key), renderedName+"/") }
