package linker

import (
	"reflect"
	"testing"

	"confit/linker/generation"
	"confit/linker/lines"
	"confit/linker/statedir"
)

// notInFingerprint are the fields of a line that change neither which files a generation has nor the targets, and why the others needn't be
// compared.
var notInFingerprint = map[string]string{
	"Local": "the shared hash is worked out anew at each start",
	"Where": "is for messages", "Index": "the order of the lines says it",
	"Kind": "follows from Source", "Base": "follows from Source", "Pattern": "follows from Source", "Prefix": "follows from Source",
	"Floor": "follows from Root", "Ceiling": "follows from Root", "Rendered": "follows from Source",
	"Exempt": "follows from the other lines", "InFallback": "the hash says what was read",
}

// TestLinksFingerprint_fields: a new field of a line is in the fingerprint, or somebody has said why not.
func TestLinksFingerprint_fields(t *testing.T) {
	g := &generation.Stored{}
	without := (&Linker{state: &statedir.Dir{}, links: []*lines.Line{{}}}).linksFingerprint(g)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[lines.Line]()) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		var line lines.Line
		switch v := reflect.ValueOf(&line).Elem().FieldByIndex(f.Index); v.Kind() {
		case reflect.String:
			v.SetString("x")
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Int:
			v.SetInt(1)
		case reflect.Uint32:
			v.SetUint(1)
		case reflect.Map:
			v.Set(reflect.MakeMap(v.Type()))
		default:
			t.Fatalf("%s is a %v: let this test set one", f.Name, v.Kind())
		}
		differs := (&Linker{state: &statedir.Dir{}, links: []*lines.Line{&line}}).linksFingerprint(g) != without
		if _, why := notInFingerprint[f.Name]; differs == why {
			t.Errorf("%s: another one makes another fingerprint: %v, and notInFingerprint has it: %v", f.Name, differs, why)
		}
	}
}
