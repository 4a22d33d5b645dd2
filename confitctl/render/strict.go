package render

import (
	"encoding/base32"
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
)

// strictOthers replaces what else of sprig returns a value where it should fail.
func strictOthers(all map[string]any) {
	all["b64dec"] = decoder(base64.StdEncoding.DecodeString)
	all["b32dec"] = decoder(base32.StdEncoding.DecodeString)
	for _, name := range []string{"first", "last"} {
		all[name] = ofSome(name, all[name].(func(any) (any, error)))
	}
	all["slice"] = within(all["slice"].(func(any, ...any) (any, error)))
	all["dict"] = inPairs(all["dict"].(func(...any) map[string]any))
	all["durationRound"] = converting(all["durationRound"], duration)
	all["derivePassword"] = ofKind(all["derivePassword"].(func(uint32, string, string, string, string) string))
}

// decoder is for sprig's, which return the text of an error as if it were what
// they have decoded.
func decoder(decode func(string) ([]byte, error)) func(string) (string, error) {
	return func(text string) (string, error) {
		data, err := decode(text)
		if err != nil {
			return "", err
		}
		return string(data), nil
	}
}

// ofSome is for sprig's first and last, which are nil of an empty list.
func ofSome(name string, pick func(any) (any, error)) func(any) (any, error) {
	return func(list any) (any, error) {
		switch v := reflect.ValueOf(list); {
		case !v.IsValid():
			return nil, fmt.Errorf("nothing has no %s", name)
		case (v.Kind() == reflect.Slice || v.Kind() == reflect.Array) && v.Len() == 0:
			return nil, fmt.Errorf("an empty list has no %s", name)
		}
		return pick(list)
	}
}

// within is for sprig's slice, to which what is no number is the beginning.
func within(slice func(any, ...any) (any, error)) func(any, ...any) (any, error) {
	return func(list any, indices ...any) (any, error) {
		for i, index := range indices {
			n, err := toInt64(index, false)
			if err != nil {
				return nil, err
			}
			indices[i] = n
		}
		return slice(list, indices...)
	}
}

func inPairs(dict func(...any) map[string]any) func(...any) (map[string]any, error) {
	return func(pairs ...any) (map[string]any, error) {
		if len(pairs)%2 != 0 {
			return nil, errors.New("the last key has no value")
		}
		return dict(pairs...), nil
	}
}

// spans is what Go calls a duration.
var spans = regexp.MustCompile(`^[-+]?(0|([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+)$`)

// duration is what durationRound understands: a text, or nanoseconds.
func duration(v any) (any, error) {
	text, ok := v.(string)
	switch {
	case !ok:
		return toInt64(v, false)
	case !spans.MatchString(text):
		return nil, errors.New("its text is no duration such as 90s")
	}
	return text, nil
}

// kinds are those of passwords that can be derived.
var kinds = []string{"maximum", "long", "medium", "short", "basic", "pin"}

func ofKind(derive func(uint32, string, string, string, string) string) func(uint32, string, string, string, string) (string, error) {
	return func(counter uint32, kind, password, user, site string) (string, error) {
		if !slices.Contains(kinds, kind) {
			return "", fmt.Errorf("%q is none of the kinds of passwords: %q", kind, kinds)
		}
		return derive(counter, kind, password, user, site), nil
	}
}
