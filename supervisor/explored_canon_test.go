package supervisor

import (
	"crypto/sha256"
	"encoding/binary"
	"reflect"
	"strings"
	"time"
	"unsafe"

	"confit/config"
	"confit/linker"
	"confit/status"
	"confit/supervisor/app"
	"confit/supervisor/verdict"
)

// Two places are the same if their canonical forms are. Reflection writes the form,
// so a new field of state counts without a word here. A field is written as it is,
// unless one of these tables names it.

// oldest bounds an age, in ticks: whatever asks for it asks for less.
func oldest(c *config.Config) int {
	return int(max(app.HandlerWait, c.StopTimeout, c.Probation, c.VerifyTimeout) / tick)
}

// place is a state of confit, and what is around it.
type place struct {
	state state
	outside
}

// canon writes the canonical form of one place.
type canon struct {
	now   time.Time
	phase phase
	above bool // what is mounted counts: the app has died of it, or may yet
	works bool // the app's start counts, as it is at its entrypoint
	form  []byte
	ranks [2][]int64
	known []unsafe.Pointer // by which states are told apart
	ats   []atOf           // when what was accepted

	oldest  int
	writers map[reflect.Type]writer // those that were made
}

// writer appends what p points at to the form.
type writer func(c *canon, p unsafe.Pointer)

func (c *canon) write(t reflect.Type, p unsafe.Pointer) {
	if c.writers[t] == nil {
		c.writers[t] = writerOf(t)
	}
	c.writers[t](c, p)
}

// key identifies a place up to what the canonical form leaves out.
func (c *canon) key(p *place) (key [16]byte) {
	c.now, c.phase, c.form, c.known = p.now, p.state.phase, c.form[:0], c.known[:0]
	c.ats = c.ats[:0]
	c.above = p.state.ladder.IsDown() || p.state.ladder.HasNext() || p.state.before != nil || p.state.neverStarted()
	c.works = p.state.app.IsAtEntrypoint()
	for i := range c.ranks {
		c.ranks[i] = c.ranks[i][:0]
	}
	c.write(reflect.TypeFor[place](), unsafe.Pointer(p))
	for _, n := range p.state.ladder.Numbers() { // what this confit has rendered isn't rendered again
		c.bool(p.copyOf(n).current)
	}
	sum := sha256.Sum256(c.form)
	copy(key[:], sum[:])
	return key
}

func writerOf(t reflect.Type) writer {
	switch t {
	case reflect.TypeFor[linker.Late]():
		return func(c *canon, p unsafe.Pointer) { c.late(*(*linker.Late)(p)) }
	case reflect.TypeFor[known]():
		return func(c *canon, p unsafe.Pointer) { c.verdicts((*known)(p)) }
	case reflect.TypeFor[*status.Mounted]():
		return func(c *canon, p unsafe.Pointer) { c.mounted(*(**status.Mounted)(p)) }
	case reflect.TypeFor[time.Time]():
		return func(c *canon, p unsafe.Pointer) { c.time(*(*time.Time)(p), 0) }
	case reflect.TypeFor[*linker.Outcome](), reflect.TypeFor[*linker.Note](), reflect.TypeFor[*linker.Ladder]():
		return identityWriter(t.Elem())
	case reflect.TypeFor[job]():
		return writeJob
	}
	switch t.Kind() {
	case reflect.Struct:
		return structWriter(t)
	case reflect.Array, reflect.Slice:
		return listWriter(t)
	case reflect.String:
		return func(c *canon, p unsafe.Pointer) { c.form = append(append(c.form, *(*string)(p)...), 0) }
	}
	return wordWriter(t)
}

// wordWriter writes what fits into a word. Of a pointer and of an interface, as an
// error is one, only counts whether it is nil.
func wordWriter(t reflect.Type) writer {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Map:
		return func(c *canon, p unsafe.Pointer) { c.bool(*(*uintptr)(p) != 0) }
	case reflect.Int, reflect.Int64:
		return func(c *canon, p unsafe.Pointer) { c.form = binary.AppendVarint(c.form, *(*int64)(p)) }
	case reflect.Uint16:
		return func(c *canon, p unsafe.Pointer) { c.form = binary.AppendVarint(c.form, int64(*(*uint16)(p))) }
	case reflect.Int32, reflect.Uint32:
		return func(c *canon, p unsafe.Pointer) { c.form = binary.AppendVarint(c.form, int64(*(*int32)(p))) }
	case reflect.Bool, reflect.Uint8:
		return func(c *canon, p unsafe.Pointer) { c.form = append(c.form, *(*byte)(p)) }
	}
	panic("cannot write a " + t.String() + ": no writer for its kind")
}

func structWriter(t reflect.Type) writer {
	type part struct {
		at    uintptr
		write writer
	}
	var parts []part
	for i := range t.NumField() {
		f := t.Field(i)
		if w := fieldWriter(plain(t)+"."+f.Name, f.Type); w != nil {
			parts = append(parts, part{f.Offset, w})
		}
	}
	return func(c *canon, p unsafe.Pointer) {
		for _, part := range parts {
			part.write(c, unsafe.Add(p, part.at))
		}
	}
}

// plain is the name of a type, without those of its parameters.
func plain(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	return name
}

// fieldWriter is the writer of a field, as the tables have it.
func fieldWriter(name string, t reflect.Type) writer {
	kind, isRanked := ranked[name]
	in, isPassing := during[name]
	switch {
	case leftOut[name] != "":
		return nil
	case isPassing:
		write := writerOf(t)
		return func(c *canon, p unsafe.Pointer) {
			if c.phase == in {
				write(c, p)
			}
		}
	case stamps[name]:
		return func(c *canon, p unsafe.Pointer) { c.time(*(*time.Time)(p), c.oldest) }
	case presence[name] && t.Kind() == reflect.String:
		return func(c *canon, p unsafe.Pointer) { c.bool(*(*string)(p) != "") }
	case presence[name]:
		return func(c *canon, p unsafe.Pointer) { c.bool(*(*uintptr)(p) != 0) }
	case name == "App.Since":
		return func(c *canon, p unsafe.Pointer) { c.since(*(*time.Time)(p)) }
	case t == reflect.TypeFor[*verdict.Verdict]():
		return func(c *canon, p unsafe.Pointer) { c.ends(*(**verdict.Verdict)(p)) }
	case name == "Generation.AcceptedAt":
		return func(c *canon, p unsafe.Pointer) {
			g := (*linker.Generation)(unsafe.Add(p, -int(unsafe.Offsetof(linker.Generation{}.AcceptedAt))))
			c.accepted(g.Number, g.AcceptedAt)
		}
	case name == "made.at":
		return func(c *canon, p unsafe.Pointer) {
			m := (*made)(unsafe.Add(p, -int(unsafe.Offsetof(made{}.at))))
			c.accepted(m.number, m.at)
		}
	case isRanked && t.Kind() == reflect.Slice:
		return func(c *canon, p unsafe.Pointer) {
			list := *(*[]int)(p)
			c.form = append(c.form, byte(len(list)))
			for _, n := range list {
				c.rank(kind, int64(n))
			}
		}
	case isRanked:
		return func(c *canon, p unsafe.Pointer) { c.rank(kind, *(*int64)(p)) }
	}
	return writerOf(t)
}

func listWriter(t reflect.Type) writer {
	if t.Kind() == reflect.Array && t.Elem().Kind() == reflect.Uint8 {
		return func(c *canon, p unsafe.Pointer) { c.form = append(c.form, unsafe.Slice((*byte)(p), t.Len())...) }
	}
	write := writerOf(t.Elem())
	return func(c *canon, p unsafe.Pointer) {
		v := reflect.NewAt(t, p).Elem()
		c.form = append(c.form, byte(v.Len()))
		for i := range v.Len() {
			write(c, v.Index(i).Addr().UnsafePointer())
		}
	}
}

func writeJob(c *canon, p unsafe.Pointer) {
	j := *(*job)(p)
	c.bool(j != nil)
	if j == nil {
		return
	}
	t := reflect.TypeOf(j)
	copied := reflect.New(t)
	copied.Elem().Set(reflect.ValueOf(j))
	c.form = append(c.form, t.Name()...)
	c.write(t, copied.UnsafePointer())
}

// identityWriter writes which one it is, as step compares pointers, and what it says.
func identityWriter(t reflect.Type) writer {
	return func(c *canon, p unsafe.Pointer) {
		to := *(*unsafe.Pointer)(p)
		for i, known := range c.known {
			if to == known {
				c.form = append(c.form, byte(i+2))
				return
			}
		}
		c.bool(to != nil)
		if to != nil {
			c.known = append(c.known, to)
			c.write(t, to)
		}
	}
}

func (c *canon) bool(b bool) {
	if b {
		c.form = append(c.form, 1)
	} else {
		c.form = append(c.form, 0)
	}
}

// rank writes the place of a number among those of its kind that were written.
func (c *canon) rank(kind byte, n int64) {
	if n == 0 {
		c.form = append(c.form, 0)
		return
	}
	list := &c.ranks[0]
	if kind == 'n' {
		list = &c.ranks[1]
	}
	for i, known := range *list {
		if known == n {
			c.form = append(c.form, byte(i+1))
			return
		}
	}
	*list = append(*list, n)
	c.form = append(c.form, byte(len(*list)))
}

// cutWait is a wait in seconds that is cut at a few ticks. Else each moment of an hour is a state of its own.
func cutWait(seconds int64) int64 { return min(seconds, int64(3*tick/time.Second)) }

// time writes in how many ticks a time comes or, of a stamp, how many ago it was.
func (c *canon) time(at time.Time, age int) {
	var left int
	switch rest := at.Sub(c.now); {
	case at.IsZero():
		left = 100
	case rest > 0:
		left = int((rest + tick - 1) / tick)
	default:
		left = max(int(rest/tick), -age)
	}
	c.form = append(c.form, byte(left))
}
