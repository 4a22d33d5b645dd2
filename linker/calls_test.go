package linker

// A Linker doesn't know what a generation is to anybody. So a test keeps what one call hands to the next, as
// package supervisor does, and decides nothing by it.

// begins goes on with what Open has found.
func (h *fixture) begins(l *Linker, former *Former) {
	h.linker, h.former, h.note = l, former, former.Note
	h.seen, h.candidate = "", Candidate{}
}

func (h *fixture) known() Known {
	return Known{Fingerprint: h.seen, Accepted: h.note.Ladder.InForce().Number}
}

// inUse is the candidate, or else the accepted generation.
func (h *fixture) inUse() int {
	if h.candidate.Number != 0 {
		return h.candidate.Number
	}
	return h.note.Ladder.InForce().Number
}

// tryStage stages what may be no candidate.
func (h *fixture) tryStage() (Candidate, error) {
	got, err := h.linker.Stage(h.known())
	if got.Fingerprint != "" {
		h.seen = got.Fingerprint
	}
	if err != nil {
		return got, err
	}
	h.candidate = got
	if got.Fresh {
		h.seen = ""
	}
	return got, nil
}

// accepts has the candidate accepted. With survived the app was started on it, or on what was accepted before,
// and has lived with it.
func (h *fixture) accepts(survived bool) {
	if h.candidate.Number != 0 {
		h.note.Ladder = h.note.Ladder.Accept(h.candidate.Generation, survived, false)
	}
	if survived {
		h.note.Ladder = h.note.Ladder.Soak(true)
	}
	h.candidate = Candidate{}
}

// goBack takes back what was published.
func (h *fixture) goBack() error {
	done, err := h.linker.GoBack(h.note.Ladder.InForce().Number)
	if done {
		h.candidate = Candidate{}
	}
	return err
}

// collect leaves what is accepted.
func (h *fixture) collect() { h.linker.Collect(h.linker.Newest(), h.note.Ladder.Numbers()...) }

func (h *fixture) repair() error {
	_, err := h.linker.Repair(h.note.Ladder.InForce().Number)
	return err
}
