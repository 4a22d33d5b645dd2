package render

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// strictMaps replaces what sprig and text/template have for maps: a key that
// isn't there is an error, and there is one order, which Go's maps don't have.
func strictMaps(all map[string]any) {
	all["get"] = func(m map[string]any, key string) (any, error) { return index(m, key) }
	all["index"] = index
	all["keys"] = keys
	all["values"] = values
}

func keys(of ...map[string]any) (list []string) {
	for _, m := range of {
		list = append(list, slices.Sorted(maps.Keys(m))...)
	}
	return list
}

// values are in the order of their keys.
func values(m map[string]any) (list []any) {
	for _, key := range keys(m) {
		list = append(list, m[key])
	}
	return list
}

func index(item any, keys ...any) (_ any, err error) {
	for _, key := range keys {
		if item, err = at(reflect.ValueOf(item), reflect.ValueOf(key)); err != nil {
			return nil, err
		}
	}
	return item, nil
}

func at(item, key reflect.Value) (any, error) {
	switch item.Kind() {
	case reflect.Map:
		return entry(item, key)
	case reflect.Slice, reflect.Array, reflect.String:
		if !key.CanInt() {
			return nil, fmt.Errorf("cannot index a %s by a key of type %s", item.Kind(), key.Kind())
		}
		if n := key.Int(); n < 0 || n >= int64(item.Len()) {
			return nil, fmt.Errorf("index out of range: %d", n)
		}
		return item.Index(int(key.Int())).Interface(), nil
	}
	return nil, fmt.Errorf("cannot index a value of type %s", item.Kind())
}

func entry(m, key reflect.Value) (any, error) {
	if !key.IsValid() || !key.Type().AssignableTo(m.Type().Key()) {
		return nil, fmt.Errorf("cannot index a map by a key of type %s: its keys are of type %s", key.Kind(), m.Type().Key())
	}
	found := m.MapIndex(key)
	if !found.IsValid() {
		return nil, fmt.Errorf("the map has no key %q; hasKey asks, and dig has a default", fmt.Sprint(key))
	}
	return found.Interface(), nil
}
