package render

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// fromJSON reads one value. Numbers keep their text.
func fromJSON(text string) (any, error) {
	var whole json.RawMessage
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		return nil, withoutQuotes(err)
	}
	if !utf8.ValidString(text) {
		return nil, errors.New("the JSON is no UTF-8")
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return element(d)
}

// inUTF8 refuses bytes that aren't: encoding/json writes another character for each.
func inUTF8(write func(any) (string, error)) func(any) (string, error) {
	return func(v any) (string, error) {
		if !isUTF8(v) {
			return "", errors.New("a text in it is no UTF-8, which JSON can't hold: write it by b64enc")
		}
		return write(v)
	}
}

func isUTF8(v any) bool {
	switch v := v.(type) {
	case string:
		return utf8.ValidString(v)
	case []any:
		return !slices.ContainsFunc(v, func(v any) bool { return !isUTF8(v) })
	case map[string]any:
		for key := range v {
			if !utf8.ValidString(key) || !isUTF8(v[key]) {
				return false
			}
		}
	}
	return true
}

// element reads the value that comes next. The syntax was checked before.
func element(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Number:
		return numeral(string(t)), nil
	case json.Delim:
		if t == '[' {
			return array(d)
		}
		return object(d)
	}
	return token, nil
}

func array(d *json.Decoder) (any, error) {
	list := []any{}
	for d.More() {
		v, err := element(d)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := d.Token()
	return list, err
}

func object(d *json.Decoder) (any, error) {
	m := map[string]any{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name := key.(string) // the decoder takes nothing else for a key
		if _, twice := m[name]; twice {
			return nil, errors.New("the JSON has a key twice")
		}
		if m[name], err = element(d); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return m, err
}
