package status

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
)

// Encode writes the status as indented JSON that ends in a newline. It replaces
// bytes of a hook's output that aren't UTF-8.
func (s *Status) Encode() []byte {
	whole := *s
	whole.Version = Version
	if whole.Volumes == nil {
		whole.Volumes = []Volume{}
	}
	if whole.Keys == nil {
		whole.Keys = map[string]string{}
	}
	return []byte(encode(&whole, "") + "\n")
}

// encode writes a value as it stands behind an indented name.
func encode(v any, indent string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // people read it
	e.SetIndent(indent, "  ")
	_ = e.Encode(v) // to memory, and there is nothing in a status that JSON can't say
	return strings.TrimSuffix(b.String(), "\n")
}

// Encoder encodes one status after the other. Of keys, which may be many, it keeps the text,
// as another phase changes none. It belongs to one goroutine; the zero value has no keys.
type Encoder struct {
	keys              string // of the accepted generation; "": there are none
	mounted, rejected differences
}

// differences are keys that were encoded, and nobody changes any more.
type differences struct {
	keys map[string]Sum
	text string
}

// SetKeys says which keys each status has from now on, whatever stands in its own field.
func (e *Encoder) SetKeys(keys map[string]string) { e.keys = encode(keys, "  ") }

// Encode writes what the Encode of a [Status] writes. Nobody may change the maps of
// differences any more.
func (e *Encoder) Encode(s *Status) []byte {
	small := *s
	var parts []part
	if m := s.Mounted; m != nil && len(m.Keys) > 0 {
		small.Mounted = &Mounted{m.Hash, m.Since, map[string]Sum{"": "mounted"}}
		parts = append(parts, part{encode(small.Mounted.Keys, "    "), e.mounted.encode(m.Keys)})
	} else {
		e.mounted = differences{}
	}
	if r := s.Rejection; r != nil && len(r.Keys) > 0 {
		short := *r
		small.Rejection, short.Keys = &short, map[string]Sum{"": "rejected"}
		parts = append(parts, part{encode(short.Keys, "    "), e.rejected.encode(r.Keys)})
	} else {
		e.rejected = differences{}
	}
	if small.Keys = nil; e.keys != "" {
		small.Keys = map[string]string{"": "accepted"}
		parts = append(parts, part{encode(small.Keys, "  "), e.keys})
	}
	return join(string(small.Encode()), parts)
}

// part is a text of keys, and what stands in its place: a key without a name, which there
// is none of, over several lines, which no text in JSON is.
type part struct{ place, text string }

// join puts each part into its place. They come in order.
func join(small string, parts []part) []byte {
	size := len(small)
	for _, p := range parts {
		size += len(p.text)
	}
	whole := make([]byte, 0, size)
	for _, p := range parts {
		before, after, _ := strings.Cut(small, p.place)
		whole = append(append(whole, before...), p.text...)
		small = after
	}
	return append(whole, small...)
}

func (d *differences) encode(keys map[string]Sum) string {
	if reflect.ValueOf(keys).Pointer() != reflect.ValueOf(d.keys).Pointer() {
		d.keys, d.text = keys, encode(keys, "    ")
	}
	return d.text
}
