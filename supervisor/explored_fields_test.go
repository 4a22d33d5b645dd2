package supervisor

import (
	"reflect"
	"testing"

	"confit/linker"
	"confit/supervisor/app"
	"confit/supervisor/ladder"
	"confit/supervisor/outcomes"
	"confit/supervisor/slots"
)

// TestExploredFields holds that the tables name fields that there are.
func TestExploredFields(t *testing.T) {
	there := map[string]bool{}
	for _, of := range []reflect.Type{reflect.TypeFor[state](), reflect.TypeFor[app.App](), reflect.TypeFor[app.App]().Field(4).Type, reflect.TypeFor[outcomes.Outcomes](), reflect.TypeFor[outcomes.Hook](), reflect.TypeFor[verdict](), reflect.TypeFor[proof](), reflect.TypeFor[transaction](),
		reflect.TypeFor[outside](), reflect.TypeFor[model](), reflect.TypeFor[made](), reflect.TypeFor[linker.Outcome](), reflect.TypeFor[linker.Generation](), reflect.TypeFor[linker.Known](), reflect.TypeFor[notes](), reflect.TypeFor[linker.Rung](), reflect.TypeFor[ladder.Ladder](),
		reflect.TypeFor[publish](), reflect.TypeFor[goBack](), reflect.TypeFor[collect](), reflect.TypeFor[discard](), reflect.TypeFor[slots.Jobs[job]](), reflect.TypeFor[complete](), reflect.TypeFor[touch](), reflect.TypeFor[compare]()} {
		for i := range of.NumField() {
			there[plain(of)+"."+of.Field(i).Name] = true
		}
	}
	check := func(name string) {
		if !there[name] {
			t.Errorf("a table of the canonical form names %s, which isn't there", name)
		}
	}
	for name := range leftOut {
		check(name)
	}
	for name := range presence {
		check(name)
	}
	for name := range ranked {
		check(name)
	}
	for name := range during {
		check(name)
	}
	for name := range stamps {
		check(name)
	}
}
