package supervisor

// isLast reports that the app has to live with the candidate: goOn would have nothing else. It needn't with the fallback, which only stands in: if
// that fails, too, what failed first decides.
func (s *state) isLast() bool {
	return !s.hasAccepted() && !s.ladder.Fallback && !s.setback.bearable && !s.candidate.Fallback
}

// nothingToStartOn reports that only the mounted configuration could start the app.
func (s *state) nothingToStartOn() bool { return s.neverStarted() && s.isLast() }

// setback is how what is mounted failed, at a start where nothing is accepted.
type setback struct {
	stands   bool
	end      exit // how confit ends if there is nothing else
	bearable bool // the app can be started on it all the same: it was only not well, or nobody let it go
}

// noteSetback notes how what is mounted failed. What failed first decides, and not the fallback, unless that is the last rung.
func (s *state) noteSetback(end exit, bearable bool) {
	if !s.setback.stands || s.isDown() {
		s.setback = setback{true, end, bearable}
	}
}
