package linker

import (
	"crypto/sha256"
	"fmt"

	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/target"
	"confit/linker/volume"
)

// Accepted is the generation to go back to.
type Accepted struct {
	Generation            // Number 0: there is none
	Survived   bool       // an app was started on it, and outlived its probation
	Settled    bool       // an app was started on it, and is no longer young
	Relapses   int        // lives in a row that ended badly while they were young; below 0: so many are not counted
	Lived      int64      // the longest of them, in nanoseconds
	Told       Told       // what was told of it after it was accepted
	Earlier    Generation // the newest one before it that survived a start, for when no app can live on this one; Number 0: none
}

// Told is what was decided to be told of an accepted generation, later than that. The zero value is for one that no gate was asked about.
type Told struct {
	Asked    bool `json:"asked"`              // a gate was asked about what all replicas share of it
	Relapsed bool `json:"relapsed,omitempty"` // the app has ended while it was young
	Settled  bool `json:"settled,omitempty"`  // the app has lived with it for long enough
}

// ToldOf is what was told of a generation that follows: the same, if all replicas share the same of both.
func (a Accepted) ToldOf(g Generation) (told Told) {
	if a.Number != 0 && a.Shared == g.Shared {
		told = a.Told
	}
	return told
}

// Next is what there is to go back to after g is accepted. The same bytes need
// not survive a second start. Nothing is gone back to from what has settled, and nothing to
// a generation of which the app died while that was young, if there is one before it.
func (a Accepted) Next(g Generation, survived, settled bool) Accepted {
	next := Accepted{Generation: g, Survived: survived, Settled: settled, Told: a.ToldOf(g)}
	switch {
	case a.Hash == g.Hash && a.Number != 0:
		next = a
		next.Generation, next.Survived, next.Settled = g, survived || a.Survived, settled || a.Settled
	case a.Earlier.Number != 0 && a.Earlier.Hash == g.Hash:
		next.Survived, next.Settled = true, true
	case a.Survived && (a.Relapses == 0 || a.Earlier.Number == 0):
		next.Earlier = a.Generation
	default:
		next.Earlier = a.Earlier
	}
	if next.Settled {
		next.Relapses, next.Lived, next.Earlier = 0, 0, Generation{}
	}
	return next
}

// storedGeneration is a generation of note.json.
type storedGeneration struct {
	Number   int                     `json:"number"`
	Hash     Hash                    `json:"hash"`
	Survived bool                    `json:"survived"`
	Settled  bool                    `json:"settled"`
	Fallback bool                    `json:"fallback,omitempty"`
	At       int64                   `json:"acceptedAt,omitempty"`
	Links    Hash                    `json:"links"` // fingerprint of the link lines and of their result
	Keys     map[Key]generation.File `json:"keys"`
	Targets  map[Target]target.Want  `json:"targets"`
}

func (l *Linker) toStore(known Generation, survived, settled bool) *storedGeneration {
	g := l.generations[known.Number]
	if g == nil {
		return nil
	}
	return &storedGeneration{g.Number, g.Hash, survived, settled, known.Fallback, known.AcceptedAt, l.linksFingerprint(g), g.Files, g.Targets}
}

// linksFingerprint changes when the same volumes would give another generation
// or other targets. It also differs if the keys or targets of a note were
// damaged.
func (l *Linker) linksFingerprint(g *generation.Copy) Hash {
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", l.state.Path)
	for _, s := range l.links {
		fmt.Fprintf(h, "%q %d %q %q %q %v %v\n", s.Root, s.Use, s.Source, s.Target, s.Name, s.Optional, s.Direct)
		if s.Mode != 0 {
			fmt.Fprintf(h, "%o\n", s.Mode)
		}
	}
	for _, path := range files.SortedKeys(g.Files) {
		f := g.Files[path]
		fmt.Fprintf(h, "%q %d %d %d %v %v\n", path, f.Owner, f.Group, f.Size, f.Direct, f.Links)
	}
	for _, target := range files.SortedKeys(g.Targets) {
		fmt.Fprintf(h, "%q %q %v\n", target, g.Targets[target].Dest, g.Targets[target].Dir)
	}
	return Hash(h.Sum(nil))
}

// readGeneration returns a stored generation if it is intact, or could be
// mended.
func (l *Linker) readGeneration(s *storedGeneration) (*generation.Copy, error) {
	if s == nil {
		return nil, nil
	}
	g := &generation.Copy{Files: s.Keys, Targets: s.Targets}
	g.Number, g.Fallback, g.AcceptedAt = s.Number, s.Fallback, s.At
	g.Hash = generation.HashOf(g.Files)
	switch {
	case g.Number <= 0 || g.Hash != s.Hash:
		return nil, fmt.Errorf("cannot use generation %d: its hash differs from the stored one", s.Number)
	case s.Links != l.linksFingerprint(g):
		return nil, fmt.Errorf("cannot use generation %d: it was made for other links", s.Number)
	}
	g.Shared, g.Local = l.share(g.Files)
	g.Inputs = l.inputsHash(g)
	g.Know(l.state.GenerationDir(g.Number))
	mounted := volume.Mounted{Reader: l.reader}
	defer mounted.Close()
	if err := l.copies.Mend(g, mounted.Copy); err != nil {
		return nil, err
	}
	if err := l.readEnvironment(g); err != nil {
		return nil, err
	}
	l.generations[g.Number] = g
	return g, nil
}
