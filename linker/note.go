package linker

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"confit/linker/statedir"
)

// noteVersion is the version of note.json. A file of another version isn't read, as its
// fields may mean something else.
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

// noteFile is note.json. Each part is believed alone: a generation once its files match
// it, the outcomes whatever became of the generations.
type noteFile struct {
	Version    int          `json:"version"`
	Ladder     []storedRung `json:"ladder,omitempty"` // the newest first
	On         int          `json:"on,omitempty"`     // which of them the app is on
	Remembered Remembered   `json:"remembered,omitzero"`
	Outcomes   []Outcome    `json:"outcomes,omitempty"`
}

// WriteNote replaces the note. After an error the former note stays, with the
// generations that it names, and WriteNote can be called again.
func (l *Linker) WriteNote(n Note) error {
	stored, err := l.toStore(&n.Ladder)
	if err != nil {
		return err
	}
	if err = l.state.WriteJSON(statedir.Note, noteFile{noteVersion, stored, n.Ladder.On, n.Remembered, n.Outcomes}); err == nil {
		l.noted = n.Ladder.Numbers()
	}
	return err
}

// readNote takes up what is noted, as far as it is intact. The error says what isn't: there
// may still be an older generation.
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
