package status

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// Encode writes the status as indented JSON that ends in a newline. It replaces
// bytes of a hook's output that aren't UTF-8.
func (s *Status) Encode() []byte {
	var e Encoder
	if s.Keys != nil {
		e.SetKeys(s.Keys)
	}
	return e.Encode(s)
}

// Encoder encodes one status after the other. It holds the text of the keys, which may be
// many: another phase changes none. It belongs to one goroutine; the zero value has no keys.
type Encoder struct {
	keys              []byte // of the accepted generation; nil: there are none
	mounted, rejected differences
}

// differences are keys that were encoded, and never change.
type differences struct {
	keys map[string]Sum
	text []byte
}

// SetKeys sets the keys of each status from now on, whatever its own field holds.
func (e *Encoder) SetKeys(keys map[string]string) { e.keys = encode(keys, "  ") }

// Encode writes what the Encode of a [Status] writes. The maps of differences must never
// change.
func (e *Encoder) Encode(s *Status) []byte {
	small := *s // all but the keys
	small.Version, small.Keys = Version, nil
	if small.Volumes == nil {
		small.Volumes = []Volume{}
	}
	var keys [][]byte
	if s.Mounted == nil {
		e.mounted = differences{}
	} else {
		small.Mounted = new(*s.Mounted)
		keys = append(keys, e.mounted.takeOut(&small.Mounted.Keys))
	}
	if s.Rejection == nil {
		e.rejected = differences{}
	} else {
		small.Rejection = new(*s.Rejection)
		keys = append(keys, e.rejected.takeOut(&small.Rejection.Keys))
	}
	accepted := e.keys
	if accepted == nil {
		accepted = []byte("{}")
	}
	return fill(encode(&small, ""), append(keys, accepted))
}

// fill puts keys where there are none, one after the other. A text in JSON can't hold the same: its quotation
// marks are escaped.
func fill(small []byte, keys [][]byte) []byte {
	const name = `"keys": `
	var parts [][]byte
	for _, text := range keys {
		before, after, _ := bytes.Cut(small, []byte(name+"null"))
		parts = append(parts, before, []byte(name), text)
		small = after
	}
	return bytes.Join(append(parts, small, []byte("\n")), nil)
}

// takeOut returns the text of keys, and leaves none in their place.
func (d *differences) takeOut(keys *map[string]Sum) []byte {
	if d.text == nil || reflect.ValueOf(*keys).Pointer() != reflect.ValueOf(d.keys).Pointer() {
		d.keys, d.text = *keys, encode(*keys, "    ")
	}
	*keys = nil
	return d.text
}

// encode writes a value as it stands behind an indented name.
func encode(v any, indent string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // people read it
	e.SetIndent(indent, "  ")
	_ = e.Encode(v)                                               // to memory, and JSON has all types of a status
	return bytes.Clone(bytes.TrimSuffix(b.Bytes(), []byte("\n"))) // without room to grow
}
