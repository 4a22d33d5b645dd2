package linker

import "confit/linker/files"

// Names of the packages below that a caller needs. Their comments are there.
type (
	Hash    = files.Hash    // see [files.Hash]
	Invalid = files.Invalid // see [files.Invalid]
)
