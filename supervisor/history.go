package supervisor

import (
	"cmp"
	"maps"
	"time"

	"confit/config"
	"confit/linker"
	"confit/status"
	"confit/supervisor/hooks"
	"confit/supervisor/verdict"
)

// sinceNow is a generation as the status shows it from this moment on; nil: there is none.
func (t *transition) sinceNow(g linker.Generation) *status.Generation {
	if g.Number == 0 {
		return nil
	}
	return &status.Generation{Number: g.Number, Hash: g.Hash.Hex(), Source: source(g), Since: status.At(t.now)}
}

// noteProven notes what is accepted, if it is proved: the status doesn't show another one. Bytes that were
// proved before stay so, unless just what was the fallback is mounted and proved.
func (t *transition) noteProven(is *linker.Rung) {
	was, by := t.proven, cmp.Or(t.pendingProof, alreadyStored)
	switch {
	case is.Number == 0, t.isUnproved():
		return
	case was != nil && was.Hash == is.Hash && (was.Fallback == is.Fallback || by == alreadyStored):
		by = was.by
	}
	t.proven = &proven{*is, by}
}

// found notes what a look at the volumes found: the hashes of a candidate, or none when there can't
// be one, and what differs from the accepted generation. What the system refused is looked at
// again, and counts as one swap.
func (t *transition) found(hash, shared string, keys map[string]status.Sum) {
	was, now := t.mounted, status.Mounted{Hash: hash, Shared: shared, Since: status.At(t.now), Keys: keys}
	isAgain := t.complaints[applying] != "" && was != nil && was.Hash == hash
	if t.phase == staging && !t.neverStarted() && !t.isRetry && !t.asks && !isAgain {
		t.count.Swaps++
	}
	switch {
	case was != nil && was.Hash == hash && maps.Equal(was.Keys, now.Keys):
		return
	case was != nil && was.Hash == hash && hash != "":
		now.Since = was.Since
	}
	t.mounted = &now
}

// changeWaits notes that a change may be waiting which the linker couldn't read or copy.
func (t *transition) changeWaits() {
	if t.undecided.IsZero() && t.rejected == nil {
		t.undecided = t.now
	}
}

// decided notes that nothing is on its way any more.
func (t *transition) decided() {
	t.tried, t.undecided, t.complaints[applying] = nil, time.Time{}, ""
}

// noteRead notes whether the app has opened what changed, while that is watched.
func (t *transition) noteRead(read bool) {
	if !t.readBy.IsZero() {
		t.hasRead, t.readBy, t.watched = &read, time.Time{}, false
		t.assign(unwatchOpens{})
	}
}

// forgetRead notes that another process is the app, which nobody has asked yet to open anything.
func (t *transition) forgetRead() { t.hasRead, t.readBy = nil, time.Time{} }

// named are the keys of a log line.
func named(changes []linker.Change) []string {
	return status.FirstNames(hooks.Keys(changes))
}

// sums is what the status says of changes.
func sums(changes []linker.Change) map[string]status.Sum {
	list := map[string]status.Sum{}
	for _, c := range changes {
		if !c.ModeOnly {
			list[string(c.Key)] = sum(c.Sum)
		}
	}
	return list
}

func sum(h linker.Hash) status.Sum { return status.Sum(hexOf(h)) }

// rebase notes that another generation is the accepted one, from which the status says what
// differs. The changes lead to it: observe can't know them, as a transaction that is over keeps
// none.
func (t *transition) rebase(changes []linker.Change) {
	if m := t.mounted; m != nil {
		t.mounted = &status.Mounted{Hash: m.Hash, Shared: m.Shared, Since: m.Since, Keys: against(m.Keys, changes)}
	}
	for _, v := range []*verdict.Verdict{t.rejected, t.held, t.told} {
		if v != nil && !v.Death {
			t.replace(v, v.With(func(v *verdict.Verdict) { v.Keys = against(v.Keys, changes) }))
		}
	}
}

// against is what differs from the newly accepted generation. Of files that may not have been
// rendered yet nothing is known.
func against(keys map[string]status.Sum, changes []linker.Change) map[string]status.Sum {
	keys = maps.Clone(keys)
	for _, c := range changes {
		its, differed := keys[string(c.Key)]
		switch {
		case !differed && c.Rendered():
			continue
		case !differed:
			its = sum(c.Was)
		}
		if keys[string(c.Key)] = its; its == sum(c.Sum) {
			delete(keys, string(c.Key))
		}
	}
	return keys
}

// strongest is what a candidate's changes require: the strongest action of their links. Of two
// actions as strong the first link's counts. A key that only changed its mode requires nothing.
func strongest(c *config.Config, changes []linker.Change) config.Action {
	action, from := config.Action{Kind: config.None}, -1
	for _, change := range changes {
		if change.ModeOnly {
			continue
		}
		for _, i := range change.Links {
			a := c.ActionOf(&c.Links[i])
			if a.Kind > action.Kind || a.Kind == action.Kind && i < from {
				action, from = a, i
			}
		}
	}
	return action
}
