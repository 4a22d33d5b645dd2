package supervisor

import "errors"

// newFallback is what an image has baked in, now and then what is mounted.
func (w *world) newFallback() *content {
	r := w.rand
	c := content{number: 500, bad: r.IntN(6) == 0, invalid: r.IntN(6) == 0, deadly: r.IntN(6) == 0, unwell: r.IntN(6) == 0, late: r.IntN(6) == 0, unrenderable: r.IntN(6) == 0}
	if r.IntN(6) == 0 {
		c = w.mounted
	}
	c.fallback = true
	return &c
}

// stageFallback is what the linker does when nothing else is left.
func (w *world) stageFallback() event {
	switch {
	case w.fallback == nil || w.live != nil || w.app != 0 || w.fellBack:
		w.fatalf("stages the fallback out of time")
	}
	w.staged, w.rendered, w.fellBack = nil, false, true
	if w.frail && w.rand.IntN(4) == 0 {
		return failed{errors.New("disk full")}
	}
	delete(w.judged, *w.fallback)
	if w.fallback.invalid {
		return invalid{reason: errors.New("key missing"), changes: w.changes(*w.fallback)}
	}
	return w.candidate(*w.fallback)
}
