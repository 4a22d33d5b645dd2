// Package tojson writes values as encoding/json does, and remembers nothing of them.
//
// It guarantees the bytes of encoding/json for the types that confit writes. That one keeps tables of each type of struct that it
// meets, and to make them takes as much again: some 140 KiB of an idle confit's 1.4 MiB.
//
// It does not read JSON, and knows only the kinds of values that confit has.
package tojson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Append appends to b the JSON of a value, in one line without spaces: what a [json.Encoder] writes that doesn't escape for HTML.
//
// The value may be made of structs, pointers, slices, maps by strings, booleans, whole numbers, strings, and strings with a method
// MarshalJSON, which may not fail. Each field of a struct has a tag with its name and maybe omitempty, or is an embedded struct
// without one. Another kind of value panics. A slice of bytes is a list of numbers here.
func Append(b []byte, value any) []byte {
	w := writer{text: b}
	w.value(reflect.ValueOf(value))
	return w.text
}

// Indent returns the same over lines, of which the last doesn't end. The first stands as if behind a name. Each other begins with
// indent, and two spaces for each object or list that it is in.
func Indent(value any, indent string) []byte {
	w := writer{line: "\n" + indent}
	w.value(reflect.ValueOf(value))
	return w.text
}

type writer struct {
	text  []byte
	line  string                   // what begins a line; "": there is only one
	types map[reflect.Type][]field // of the structs in this value
}

// field is a field of a struct.
type field struct {
	name                string
	embedded, omitEmpty bool
}

func (w *writer) value(v reflect.Value) {
	switch kind := v.Kind(); {
	case kind == reflect.Struct:
		w.inside('{', '}', func(next func()) { w.fields(v, next) })
	case kind == reflect.String:
		w.string(v)
	case kind == reflect.Bool:
		w.text = strconv.AppendBool(w.text, v.Bool())
	case v.CanInt():
		w.text = strconv.AppendInt(w.text, v.Int(), 10)
	case v.CanUint():
		w.text = strconv.AppendUint(w.text, v.Uint(), 10)
	case v.IsNil():
		w.text = append(w.text, "null"...)
	case kind == reflect.Pointer:
		w.value(v.Elem())
	case kind == reflect.Map:
		w.inside('{', '}', func(next func()) { w.entries(v, next) })
	default:
		w.inside('[', ']', func(next func()) { w.elements(v, next) })
	}
}

// inside writes an object or a list. Before each part of it, write calls next.
func (w *writer) inside(start, end byte, write func(next func())) {
	w.text = append(w.text, start)
	outer, empty := w.line, true
	if outer != "" {
		w.line += "  "
	}
	write(func() {
		if !empty {
			w.text = append(w.text, ',')
		}
		w.text, empty = append(w.text, w.line...), false
	})
	if w.line = outer; !empty {
		w.text = append(w.text, outer...)
	}
	w.text = append(w.text, end)
}

func (w *writer) fields(v reflect.Value, next func()) {
	for i, f := range w.fieldsOf(v.Type()) {
		switch x := v.Field(i); {
		case f.embedded:
			w.fields(x, next)
		case !f.omitEmpty || !isEmpty(x):
			next()
			w.name(f.name)
			w.value(x)
		}
	}
}

// fieldsOf asks a type once, as it tells slowly, and a map may have 10,000 structs.
func (w *writer) fieldsOf(t reflect.Type) []field {
	if fields, known := w.types[t]; known {
		return fields
	}
	fields := make([]field, t.NumField())
	for i := range fields {
		f := t.Field(i)
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields[i] = field{name, f.Anonymous, option == "omitempty"}
	}
	if w.types == nil {
		w.types = map[reflect.Type][]field{}
	}
	w.types[t] = fields
	return fields
}

// isEmpty reports what omitempty leaves out. A struct is never empty.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Map, reflect.Slice:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// entries writes a map in the order of its keys.
func (w *writer) entries(v reflect.Value, next func()) {
	names := make([]string, 0, v.Len())
	for entry := v.MapRange(); entry.Next(); {
		names = append(names, entry.Key().String())
	}
	slices.Sort(names)
	key := reflect.New(v.Type().Key()).Elem()
	for _, name := range names {
		next()
		w.name(name)
		key.SetString(name)
		w.value(v.MapIndex(key))
	}
}

func (w *writer) elements(v reflect.Value, next func()) {
	for i := range v.Len() {
		next()
		w.value(v.Index(i))
	}
}

func (w *writer) name(name string) {
	w.quote(name)
	w.text = append(w.text, ':')
	if w.line != "" {
		w.text = append(w.text, ' ')
	}
}

func (w *writer) string(v reflect.Value) {
	if v.Type().NumMethod() == 0 {
		w.quote(v.String())
		return
	}
	text, _ := v.Interface().(json.Marshaler).MarshalJSON()
	w.text = append(w.text, text...)
}

// quote leaves to encoding/json what isn't the same between quotes.
func (w *writer) quote(s string) {
	if isPlain(s) {
		w.text = append(append(append(w.text, '"'), s...), '"')
		return
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // to memory, and a string is always one in JSON: this can't fail
	w.text = append(w.text, b.Bytes()[:b.Len()-1]...)
}

func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
