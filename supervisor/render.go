package supervisor

// renderEnded is the end of the renderer. The linker looks at what it did, and
// takes its files up.
func (t *transition) renderEnded(err error, tail string) {
	if err != nil {
		t.reject("render", err, tail)
		return
	}
	t.order(rendering, assign{complete{t.candidate.Number, t.accepted().Number}})
}

// renderLate is the deadline of the renderer, or of the linker after that.
func (t *transition) renderLate() {
	if t.hook {
		t.expire()
	} else {
		t.remind()
	}
}

// completeEnded is the end of staging with a renderer. Only now it is known
// whether the candidate is new.
func (t *transition) completeEnded(e event) {
	switch e := e.(type) {
	case staged:
		e.candidate.Fallback, e.candidate.Writing = t.candidate.Fallback, t.candidate.Writing // of the look
		t.compareCandidate(e)
	case invalid:
		t.reject("render", e.reason, "")
	case failed:
		t.fingerprint = ""
		t.systemRefused("render", e.err)
	}
}
