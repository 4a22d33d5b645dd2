package supervisor

// The end of confit waits for the report hook, as somebody may wait for what it is told: beside the
// drain of what the app left behind, and no longer. What isn't delivered then stays in the note.

// beginToEnd sets for how long the end waits, once.
func (t *transition) beginToEnd() {
	o := &t.outcomes
	if !o.until.IsZero() {
		return
	}
	if o.until = t.now.Add(t.config.DrainTimeout); t.config.DrainTimeout > 0 {
		t.tellFirst()
	} else {
		o.fails = maxFails
		t.interruptReport()
	}
}

// owes reports that the end has something to tell, or may have in a moment.
func (t *transition) owes() bool {
	o, held := &t.outcomes, t.held.report
	return o.fails < maxFails && (o.due() != nil || held != nil && (t.isAsked(held.Hash) || o.isOpen() && o.gated.Hash == held.Hash))
}

// tell waits for the report hook at the end. It reports whether there is anything to wait for.
func (t *transition) tell(how exit) bool {
	t.beginToEnd()
	if t.over(t.outcomes.until) || !t.owes() {
		return false
	}
	t.app.exit = how
	t.keeper().become(down)
	t.phase, t.deadline = telling, t.outcomes.until
	return true
}
