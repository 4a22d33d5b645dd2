package linker

import "errors"

// Peek says what a [Linker.Stage] would find, and writes nothing: what is under way
// goes on. The candidate has the hash and the changes alone. The error is
// [ErrUnchanged] if the volumes look as at the last look, and else as that of Stage.
func (l *Linker) Peek() (Candidate, error) {
	r, err := l.reader.look()
	if err != nil {
		return Candidate{}, err
	}
	defer r.close()
	if r.print == l.peeked {
		return Candidate{}, ErrUnchanged
	}
	g, err := l.read(r)
	var invalid *Invalid
	if errors.As(err, &invalid) {
		g = l.readable(r)
	}
	if moved := r.checkUnmoved(); moved != nil || g == nil {
		return Candidate{}, errors.Join(err, moved)
	}
	l.peeked, l.seen = r.print, never
	g.unrendered = g.unrendered || l.renders
	for _, known := range []*generation{l.accepted, l.staged} {
		if err == nil && known != nil && known.inputs == g.inputs {
			g = known
		}
	}
	return Candidate{Generation: Generation{Hash: g.Hash}, Changes: changes(l.accepted, g)}, err
}
