package linker

import (
	"io"

	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/lines"
)

// mounted are the keys of the volumes. They are looked at when the first one is needed.
type mounted struct {
	reader *reader
	r      *reading
	keys   map[lines.Key]keyFile
}

func (m *mounted) copy(p lines.Key, f generation.File, to io.Writer) (files.Hash, error) {
	if m.keys == nil {
		m.look()
	}
	k, there := m.keys[p]
	if !there {
		return files.Hash{}, generation.ErrNoCopy
	}
	return m.reader.copyKey(m.r, k, to, f)
}

func (m *mounted) look() {
	m.keys = map[lines.Key]keyFile{}
	r, err := m.reader.look()
	if err != nil {
		return
	}
	if m.r = r; r.expand(m.reader, true) == nil {
		for _, k := range r.firstKeys() {
			m.keys[k.path] = k
		}
	}
}

func (m *mounted) close() {
	if m.r != nil {
		m.r.close()
	}
}
