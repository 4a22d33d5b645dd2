package supervisor

import (
	"encoding/binary"
	"reflect"
	"time"
	"unsafe"

	"confit/linker"
	"confit/supervisor/verdict"
)

// The canonical form of what is known: of each verdict what decides something where it stands.

// verdicts writes it. What the status shows and what the log is to say decides nothing.
func (c *canon) verdicts(k *known) {
	if m := k.rejected; c.isKnown(m) {
		c.form = append(append(c.form, m.Inputs[:]...), m.Hash...) // the next look finds just that, and doesn't render it again
		if c.bool(m.Read); m.Read {
			c.form = append(c.form, m.Common[:]...)
		}
		c.tried(m)
	}
	if f := k.doubted; c.isKnown(f) {
		c.bool(f.Attempts > 0)
		c.time(f.Next, 0)
	}
	if v := k.killed; c.isKnown(v) {
		c.trial(v.Record())
		c.time(v.Next, 0)
	}
	if l := k.died; c.isKnown(l) {
		c.late(linker.Late{Inputs: l.Inputs, Common: l.Common, At: l.From.Unix(), Wait: int64(l.Wait / time.Second)})
	}
	if h := k.held; c.isKnown(h) {
		c.bool(h == k.rejected)
		c.bool(h.Death)
		c.time(h.From, 0)
		c.outcome(h.Outcome)
	}
	c.ladder(k.before)
	c.trial(k.recorded.Record())
}

// isKnown writes whether anything is.
func (c *canon) isKnown(v *verdict.Verdict) bool {
	c.bool(v != nil)
	return v != nil
}

// tried writes when what failed is tried again, and after which wait.
func (c *canon) tried(v *verdict.Verdict) {
	c.time(v.Next, 0)
	c.form = binary.AppendVarint(c.form, int64(v.Wait))
}

// ends writes what follows where nothing else is left.
func (c *canon) ends(v *verdict.Verdict) {
	if c.isKnown(v) {
		c.bool(v.Bearable)
		c.form = binary.AppendVarint(c.form, int64(v.End.Code))
	}
}

// late writes what isn't tried again, and how long.
func (c *canon) late(l linker.Late) {
	c.form = append(c.form, l.Inputs[:]...)
	if l.Inputs != (linker.Hash{}) {
		c.form = append(c.form, l.Common[:]...)
		c.time(time.Unix(l.At+cutWait(l.Wait), 0), 0)
		c.bool(l.Wait > cutWait(l.Wait)) // one that was given to be noted isn't cut, and is compared
	}
}

func (c *canon) trial(t linker.Trial) { writerFor(c, &t) }

func (c *canon) outcome(o *linker.Outcome) { writerFor(c, &o) }

func (c *canon) ladder(l *linker.Ladder) { writerFor(c, &l) }

// writerFor writes a value as one of its type.
func writerFor[T any](c *canon, p *T) { c.write(reflect.TypeFor[T](), unsafe.Pointer(p)) }
