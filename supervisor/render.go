package supervisor

// renderEnded is the end of the renderer. The linker looks at what it did, and
// takes its files up.
func (t *transition) renderEnded(err error, tail string) {
	if err != nil {
		t.reject("render", err, tail)
		return
	}
	t.order(completing, assign{complete{t.candidate.Number, t.accepted().Number}})
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
