package supervisor

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"confit/status"
)

// said collects which fields of a status were ever set.
type said map[string]bool

func (s said) take(now *status.Status) {
	if s != nil {
		s.of("", reflect.ValueOf(now).Elem())
	}
}

func (s said) of(path string, v reflect.Value) {
	for v.Kind() == reflect.Pointer && !v.IsNil() && v.Elem().Kind() == reflect.Struct {
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct && isOurs(v.Type()) {
		for i := range v.NumField() {
			s.of(path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	} else if s[path] = s[path] || !v.IsZero(); v.Kind() == reflect.Pointer && v.IsNil() && v.Type().Elem().Kind() == reflect.Struct {
		delete(s, path) // its fields tell
	}
}

func isOurs(t reflect.Type) bool {
	return strings.HasSuffix(t.PkgPath(), "/status") && t != reflect.TypeFor[status.Time]()
}

// holds: observe forgets no field.
func (s said) holds(t *testing.T) {
	for path, ever := range s {
		later := slices.ContainsFunc([]string{".Version", ".Confit", ".Updated", ".Volumes", ".Keys"}, func(f string) bool { return strings.HasPrefix(path, f) })
		if !ever && !later {
			t.Errorf("no script has a status with %s: is there a line for it in observe, and a script in testdata where it is to be seen?", path[1:])
		}
	}
}
