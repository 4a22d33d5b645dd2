package linker

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"confit/linker/generation"
	"confit/linker/statedir"
	"confit/linker/target"
	"confit/linker/volume"
)

// noteVersion is that of note.json. A file of another one isn't read, as its fields may mean something else.
const noteVersion = 1

// Note is what confit leaves to the one that starts next on its state directory.
type Note struct {
	Ladder     Ladder
	Outcomes   []Outcome  // that the report hook hasn't taken, in the order of decisions; one may be a question
	Remembered Remembered // the zero value: nothing is
}

// Equal reports that two notes say the same.
func (n *Note) Equal(other *Note) bool {
	return n.Ladder == other.Ladder && n.Remembered == other.Remembered && slices.Equal(n.Outcomes, other.Outcomes)
}

// Remembered is what was taken back after it had been accepted, as the app died of it. It isn't tried again for a while.
type Remembered struct {
	Inputs Hash  `json:"inputs"` // of what comes from volumes
	At     int64 `json:"at"`     // when that was, in seconds since 1970
	Wait   int64 `json:"wait"`   // how long it isn't tried after that, in seconds
}

// Outcome says how a change ended that a gate was asked about.
type Outcome struct {
	Hash   string `json:"hash"`    // the generation's Shared, all digits
	Kind   string `json:"outcome"` // "": a question, as nothing is decided
	Step   string `json:"step"`    // what rejected it; "": nothing did
	Reason string `json:"reason"`  // and why
	Source string `json:"source"`  // what the app went on with
}

// noteFile is note.json. Each part is believed alone: a generation once its files match it, the outcomes in any case.
type noteFile struct {
	Version    int          `json:"version"`
	Ladder     []storedRung `json:"ladder,omitempty"` // the newest first
	On         int          `json:"on,omitempty"`     // which of them the app is on
	Remembered Remembered   `json:"remembered,omitzero"`
	Outcomes   []Outcome    `json:"outcomes,omitempty"`
}

// storedRung is a rung of note.json.
type storedRung struct {
	Rung
	Links   Hash                    `json:"links"` // fingerprint of the link lines and of their result
	Keys    map[Key]generation.File `json:"keys"`
	Targets map[Target]target.Want  `json:"targets"`
}

// WriteNote replaces the note. After an error the former one stays, with its generations, and WriteNote can be called again.
func (l *Linker) WriteNote(n Note) error {
	var stored []storedRung
	for _, r := range n.Ladder.Rungs[:n.Ladder.Len()] {
		g, err := l.generation(r.Number)
		if err != nil {
			return err
		}
		stored = append(stored, storedRung{r, l.linksFingerprint(g), g.Files, g.Targets})
	}
	err := l.state.WriteJSON(statedir.Note, noteFile{noteVersion, stored, n.Ladder.On, n.Remembered, n.Outcomes})
	if err == nil {
		l.noted = n.Ladder.Numbers()
	}
	return err
}

// readNote takes up what is noted, as far as it is intact. The error says what isn't.
func (l *Linker) readNote() (n Note, err error) {
	data, err := l.state.ReadTrusted(statedir.Note)
	if err != nil || data == nil {
		return n, err
	}
	var file noteFile
	damaged := json.Unmarshal(data, &file) // which reads on after a value of another type
	_, another := errors.AsType[*json.UnmarshalTypeError](damaged)
	if damaged != nil {
		damaged = fmt.Errorf("cannot read %s: it is damaged: %w", statedir.Note, damaged)
	}
	if damaged != nil && !another {
		return n, damaged
	}
	if file.Version != noteVersion {
		return n, fmt.Errorf("cannot read %s: version %d, and this confit writes version %d", statedir.Note, file.Version, noteVersion)
	}
	n.Outcomes = slices.DeleteFunc(file.Outcomes, func(o Outcome) bool { return o.Hash == "" }) // of a damaged note
	n.Remembered = file.Remembered
	n.Ladder, err = l.readLadder(&file)
	return n, joinLine(damaged, err)
}

// readLadder takes up the rungs that are intact. Where the one is gone that the app was on, it is started on the next one, or else on the top.
func (l *Linker) readLadder(file *noteFile) (ladder Ladder, err error) {
	n := 0
	for i := range file.Ladder {
		r := &file.Ladder[i]
		l.noted = append(l.noted, r.Number)
		g, unread := l.readGeneration(r)
		if err = joinLine(err, unread); unread != nil || n == maxRungs {
			continue
		}
		ladder.Rungs[n], ladder.Rungs[n].Generation = r.Rung, g.Generation
		if n++; i < file.On {
			ladder.On++
		}
	}
	if ladder.On == n && len(file.Ladder) != file.On || n == maxRungs && ladder.On == n {
		ladder.On = 0
	}
	return ladder, err
}

// joinLine joins two errors on one line.
func joinLine(a, b error) error {
	if a == nil || b == nil {
		return errors.Join(a, b)
	}
	return fmt.Errorf("%w; %w", a, b)
}

// linksFingerprint changes when the same volumes would give another generation or other targets, or a note was damaged.
func (l *Linker) linksFingerprint(g *generation.Copy) Hash {
	var from []any
	for _, s := range l.links {
		s.Where, s.Local = "", false // which change neither
		from = append(from, s.Root, s.Link)
	}
	h := sha256.New()
	_ = json.NewEncoder(h).Encode([]any{l.state.Path, from, g.Files, g.Targets}) // maps in order
	return Hash(h.Sum(nil))
}

// readGeneration returns a stored generation if it is intact, or could be mended.
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
	err := l.copies.Mend(g, mounted.Copy)
	if err == nil {
		err = l.readEnvironment(g)
	}
	if err == nil {
		l.generations[g.Number] = g
	}
	return g, err
}
