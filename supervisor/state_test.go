package supervisor

import (
	"reflect"
	"testing"
	"time"
)

// mostFacts is how many facts the state may hold at once, its history too: a pointer, a list, a hash
// and a time count as one. Whoever changes step has to think of each. A commit that raises the bound
// says why, and what went for it.
const mostFacts = 220

// TestStateIsSmall holds the bound.
func TestStateIsSmall(t *testing.T) {
	if n := facts(reflect.TypeFor[state]()); n != mostFacts {
		t.Errorf("the state has %d facts, and the bound is %d: is one of them to be read off the others? Else change mostFacts", n, mostFacts)
	}
}

// facts are those that a value of a type holds.
func facts(of reflect.Type) (n int) {
	switch {
	case of == reflect.TypeFor[time.Time]():
		return 1
	case of.Kind() == reflect.Struct:
		for i := range of.NumField() {
			n += facts(of.Field(i).Type)
		}
		return n
	case of.Kind() == reflect.Array && of.Elem().Kind() != reflect.Uint8:
		return of.Len() * facts(of.Elem())
	}
	return 1
}
