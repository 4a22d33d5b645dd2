package volume

import (
	"io"

	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/lines"
)

// Mounted are the keys of the volumes. They are looked at when the first one is needed.
type Mounted struct {
	Reader *Reader  // of the volumes
	r      *Reading // nil before the first key
	keys   map[lines.Key]Key
}

// Copy is a [generation.BytesOf].
func (m *Mounted) Copy(p lines.Key, f generation.File, to io.Writer) (files.Hash, error) {
	if m.keys == nil {
		m.keys = map[lines.Key]Key{}
		if m.r, _ = m.Reader.Look(); m.r != nil && m.r.expand(m.Reader.Mounted, true) == nil {
			for _, k := range m.r.FirstKeys() {
				m.keys[k.Path] = k
			}
		}
	}
	k, there := m.keys[p]
	if !there {
		return files.Hash{}, generation.ErrNotMounted
	}
	return m.r.Copy(k, to, f)
}

// Close closes the volumes.
func (m *Mounted) Close() {
	if m.r != nil {
		m.r.Close()
	}
}
