package supervisor

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"
	"unsafe"

	"confit/linker"
	"confit/status"
	"confit/supervisor/verdict"
)

// Of each setting some places of each phase are varied, and of the others one in many.
const (
	variedOfPhase = 3
	oneVariedIn   = 500
)

// varies is what is known of the fields that the canonical form leaves out: in some places each is varied at random, and
// all that may happen has to lead to the same as before.
type varies struct {
	dice   *rand.Rand
	phases map[phase]int  // how many places of each
	count  map[string]int // how often each field was varied
}

// takes reports that a place is varied. Late ones of a phase are more than the first ones.
func (v *varies) takes(p *place) bool {
	in := p.state.shown()
	if v.phases[in] < variedOfPhase && v.dice.IntN(4) == 0 {
		v.phases[in]++
		return true
	}
	return v.dice.IntN(oneVariedIn) == 0
}

// eachIsVaried holds that each field was varied somewhere.
func eachIsVaried(t *testing.T, count map[string]int) {
	for name := range leftOut {
		if count[name] == 0 {
			t.Errorf("%s is left out of the canonical form, and was never varied", name)
		}
	}
}

// mustNotMatter varies each field that is left out, one after the other.
func (x *explorer) mustNotMatter(p *place, at int) {
	if x.varies == nil || !x.varies.takes(p) {
		return
	}
	dice := x.varies.dice
	want, key := x.resultsOf(p), x.canon.key(p)
	for _, name := range slices.Sorted(maps.Keys(leftOut)) {
		other := *p
		v := variation{name: name, dice: dice, copies: map[unsafe.Pointer]reflect.Value{}}
		v.shift = 1 + dice.Int64N(1e6)
		v.vary(reflect.ValueOf(&other).Elem())
		if v.changed == 0 {
			continue
		}
		x.varies.count[name] += v.changed
		if x.canon.key(&other) != key {
			x.t.Fatalf("%s: %s is left out, and changes the canonical form", x.may.name, name)
		}
		got := x.resultsOf(&other)
		for way, is := range want {
			if is.key != got[way].key || is.did != got[way].did {
				from := &x.vertices[at]
				x.t.Fatalf("%s: %s is left out, and decides what follows on %q:\n%s\nin place of\n%s\n%s",
					x.may.name, name, way, got[way], is, x.path(from.parent, leg{int(from.move), from.choices}))
			}
		}
		if len(want) != len(got) {
			x.t.Fatalf("%s: %s is left out, and decides what may follow at\n%s", x.may.name, name, p)
		}
	}
}

// result is where a way leads, and what confit does on it.
type result struct {
	key       [16]byte
	did, text string
}

func (r result) String() string { return r.text + " by " + r.did }

// resultsOf are those of each way from a place.
func (x *explorer) resultsOf(p *place) map[string]result {
	list := map[string]result{}
	x.asks = true
	x.leave(p, func(c *course, m int) {
		if c.state.shown() == done {
			c.end()
		}
		did := fmt.Sprint(c.did, c.broken)
		list[fmt.Sprintf("%s %v", moves[m].name, c.choices)] = result{x.canon.key(&c.place), did, c.String()}
	})
	x.asks = false
	return list
}

// variation gives the fields of one name other values.
type variation struct {
	name    string
	dice    *rand.Rand
	copies  map[unsafe.Pointer]reflect.Value
	shift   int64
	changed int
}

// vary goes through a value, which isn't shared with other places.
func (v *variation) vary(of reflect.Value) {
	if v.name == "outside.now" && v.isLater(of) {
		return
	}
	switch of.Kind() {
	case reflect.Struct:
		for i := range of.NumField() {
			f := of.Field(i)
			f = reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()
			if plain(of.Type())+"."+of.Type().Field(i).Name == v.name {
				v.change(f)
			} else {
				v.vary(f)
			}
		}
	case reflect.Array:
		for i := range of.Len() {
			v.vary(of.Index(i))
		}
	case reflect.Slice:
		if of.Type() == reflect.TypeFor[[]linker.Outcome]() {
			copied := reflect.MakeSlice(of.Type(), of.Len(), of.Len())
			reflect.Copy(copied, of)
			of.Set(copied)
			for i := range of.Len() {
				v.vary(of.Index(i))
			}
		}
	case reflect.Interface:
		if j, ok := of.Interface().(job); ok {
			copied := reflect.New(reflect.TypeOf(j)).Elem()
			copied.Set(reflect.ValueOf(j))
			v.vary(copied)
			of.Set(copied)
		}
	case reflect.Pointer:
		v.varyCopy(of)
	}
}

// varyCopy varies what a pointer of the note or of an outcome leads to. step compares these pointers.
func (v *variation) varyCopy(of reflect.Value) {
	switch of.Type() {
	case reflect.TypeFor[*linker.Outcome](), reflect.TypeFor[*linker.Note](), reflect.TypeFor[*linker.Ladder](), reflect.TypeFor[*verdict.Verdict]():
	default:
		return
	}
	if of.IsNil() {
		return
	}
	copied, known := v.copies[of.UnsafePointer()]
	if !known {
		copied = reflect.New(of.Type().Elem())
		copied.Elem().Set(of.Elem())
		v.copies[of.UnsafePointer()] = copied
		v.vary(copied.Elem())
	}
	of.Set(copied)
}

// change gives a field another value.
func (v *variation) change(f reflect.Value) {
	v.changed++
	switch v.name {
	case "outside.now":
		v.isLater(f)
	case "Outcome.Reason": // whoever compares outcomes compares this, too
		if f.String() != "" {
			f.SetString(f.String() + " or another")
		}
	case "model.numbers", "outside.pids":
		f.SetInt(f.Int() + v.shift)
	case "model.copies": // in another order
		v.dice.Shuffle(f.Len(), reflect.Swapper(f.Slice(0, f.Len()).Interface()))
	default:
		v.fill(f)
	}
}

// isLater shifts a value that is a time.
func (v *variation) isLater(of reflect.Value) bool {
	switch at := of.Addr().Interface().(type) {
	case *time.Time:
		if !at.IsZero() {
			*at = at.Add(time.Duration(v.shift) * time.Second)
		}
		return true
	case *linker.Late:
		if at.Inputs != (linker.Hash{}) {
			at.At += v.shift
		}
		return true
	}
	return false
}

// isAsked reports that others say whether there is such a pointer: there is always a status.
func isAsked(of reflect.Type) bool {
	return of == reflect.TypeFor[*status.Status]()
}

// fill writes anything into a value.
func (v *variation) fill(f reflect.Value) {
	switch f.Kind() {
	case reflect.Struct:
		if f.Type() == reflect.TypeFor[time.Time]() {
			f.Set(reflect.ValueOf(time.Unix(1e9+v.dice.Int64N(2000)-1000, 0)))
			return
		}
		for i := range f.NumField() {
			field := f.Field(i)
			v.fill(reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem())
		}
	case reflect.Array:
		for i := range f.Len() {
			v.fill(f.Index(i))
		}
	case reflect.Pointer:
		f.SetZero()
		if v.dice.IntN(2) == 0 || isAsked(f.Type()) {
			f.Set(reflect.New(f.Type().Elem()))
			v.fill(f.Elem())
		}
	case reflect.Map:
		f.Set(reflect.MakeMap(f.Type()))
	case reflect.String:
		f.SetString([]string{"", "one", "another"}[v.dice.IntN(3)])
	case reflect.Bool:
		f.SetBool(v.dice.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		f.SetInt(v.dice.Int64N(5))
	case reflect.Uint8:
		f.SetUint(v.dice.Uint64N(5))
	}
}
