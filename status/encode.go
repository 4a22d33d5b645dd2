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

// Encoder encodes one status after the other. Of keys, which may be many, it keeps the text,
// as another phase changes none. It belongs to one goroutine; the zero value has no keys.
type Encoder struct {
	keys              []byte // of the accepted generation; nil: there are none
	mounted, rejected differences
}

// differences are keys that were encoded, and nobody changes any more.
type differences struct {
	keys map[string]Sum
	text []byte
}

// SetKeys says which keys each status has from now on, whatever stands in its own field.
func (e *Encoder) SetKeys(keys map[string]string) { e.keys = encode(keys, "  ") }

// Encode writes what the Encode of a [Status] writes. Nobody may change the maps of
// differences any more.
func (e *Encoder) Encode(s *Status) []byte {
	small := *s // all but the keys
	small.Version, small.Keys = Version, nil
	if small.Volumes == nil {
		small.Volumes = []Volume{}
	}
	var keys [][]byte
	if s.Mounted != nil {
		keys = append(keys, e.mounted.encode(s.Mounted.Keys))
		small.Mounted = &Mounted{s.Mounted.Hash, s.Mounted.Shared, s.Mounted.Since, nil}
	} else {
		e.mounted = differences{}
	}
	if s.Rejection != nil {
		keys = append(keys, e.rejected.encode(s.Rejection.Keys))
		short := *s.Rejection
		small.Rejection, short.Keys = &short, nil
	} else {
		e.rejected = differences{}
	}
	accepted := e.keys
	if accepted == nil {
		accepted = []byte("{}")
	}
	return fill(encode(&small, ""), append(keys, accepted))
}

// fill puts keys where there are none, one after the other. Within a text in JSON the quotation marks would be escaped.
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

func (d *differences) encode(keys map[string]Sum) []byte {
	if d.text == nil || reflect.ValueOf(keys).Pointer() != reflect.ValueOf(d.keys).Pointer() {
		d.keys, d.text = keys, encode(keys, "    ")
	}
	return d.text
}

// encode writes a value as it stands behind an indented name.
func encode(v any, indent string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // people read it
	e.SetIndent(indent, "  ")
	_ = e.Encode(v)                                               // to memory, and there is nothing in a status that JSON can't say
	return bytes.Clone(bytes.TrimSuffix(b.Bytes(), []byte("\n"))) // what is kept has no room to grow
}
