package linker

import (
	"errors"

	"confit/linker/generation"
)

// Peek says what a [Linker.Stage] would find, and writes nothing: what is under way
// goes on. The candidate has the hash, the changes and what was seen. One with the
// keys of the accepted generation, or of the candidate that is under way, counts as
// that. The error is [ErrUnchanged] if the volumes look as k has seen them, and else
// as that of Stage.
func (l *Linker) Peek(k Known, underWay int) (Candidate, error) {
	r, err := l.reader.Look()
	if err != nil {
		return Candidate{}, err
	}
	defer r.Close()
	if r.Print == k.Seen {
		return Candidate{}, ErrUnchanged
	}
	accepted := l.generations[k.Accepted]
	g, err := l.read(r)
	if IsInvalid(err) {
		g = l.readable(r, accepted)
	}
	if moved := r.CheckUnmoved(); moved != nil || g == nil {
		return Candidate{}, errors.Join(err, moved)
	}
	g.Unrendered = g.Unrendered || l.renders
	for _, known := range []*generation.Copy{accepted, l.generations[underWay]} {
		if err == nil && known != nil && known.Inputs == g.Inputs {
			g = known
		}
	}
	return Candidate{Generation: Generation{Hash: g.Hash}, Changes: generation.Changes(accepted, g), Seen: r.Print}, err
}
