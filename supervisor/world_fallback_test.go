package supervisor

// bake has the image hold a fallback, now and then what is mounted.
func (w *world) bake() {
	r := w.rand
	w.baked++
	c := content{number: 500 + w.baked, bad: r.IntN(6) == 0, invalid: r.IntN(6) == 0, deadly: r.IntN(6) == 0, unwell: r.IntN(6) == 0, late: r.IntN(6) == 0, unrenderable: r.IntN(6) == 0}
	if r.IntN(6) == 0 {
		c = w.mounted
	}
	w.contents[letter(c.number)], w.disk.baked = c, letter(c.number)
	c.fallback = true
	w.fallback = &c
}

// fallsBack holds that the fallback is staged when nothing else is left.
func (w *world) fallsBack() {
	if w.fallback == nil || w.live != nil || w.app != 0 || w.fellBack {
		w.fatalf("stages the fallback out of time")
	}
	w.fellBack = true
	delete(w.judged, *w.fallback)
}
