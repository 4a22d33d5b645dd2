package linker

import (
	"crypto/sha256"
	"fmt"

	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/target"
	"confit/linker/volume"
)

// storedRung is a rung of note.json.
type storedRung struct {
	Rung
	Links   Hash                    `json:"links"` // fingerprint of the link lines and of their result
	Keys    map[Key]generation.File `json:"keys"`
	Targets map[Target]target.Want  `json:"targets"`
}

// toStore is what the note says of a ladder.
func (l *Linker) toStore(ladder *Ladder) (stored []storedRung, err error) {
	for _, r := range ladder.Rungs[:ladder.Len()] {
		g, err := l.generation(r.Number)
		if err != nil {
			return nil, err
		}
		stored = append(stored, storedRung{r, l.linksFingerprint(g), g.Files, g.Targets})
	}
	return stored, nil
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
func (l *Linker) readGeneration(s *storedRung) (*generation.Copy, error) {
	g := &generation.Copy{Generation: s.Generation, Files: s.Keys, Targets: s.Targets}
	switch {
	case g.Number <= 0 || g.Hash != generation.HashOf(g.Files):
		return nil, fmt.Errorf("cannot use generation %d: its hash differs from the stored one", s.Number)
	case s.Links != l.linksFingerprint(g):
		return nil, fmt.Errorf("cannot use generation %d: it was made for other links", s.Number)
	}
	g.Shared, g.Local = l.share(g.Files)
	g.Inputs = generation.HashOf(g.Staged())
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
