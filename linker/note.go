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
	Accepted Accepted  // Number 0: there is none
	Outcomes []Outcome // that the report hook hasn't taken, in the order of decisions; one may be a question
	Relapsed *Relapsed // nil: nothing is remembered
}

// Equal reports that two notes say the same.
func (n *Note) Equal(other *Note) bool {
	return n.Accepted == other.Accepted && n.Relapsed == other.Relapsed && slices.Equal(n.Outcomes, other.Outcomes)
}

// Relapsed is a generation that was taken back as the app died of it late. The next confit
// doesn't try it again.
type Relapsed struct {
	Hash string `json:"hash"` // all digits
	At   int64  `json:"at"`   // in seconds since 1970
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
	Version  int               `json:"version"`
	Accepted *storedGeneration `json:"accepted,omitempty"`
	Earlier  *storedGeneration `json:"earlier,omitempty"` // the newest before it that survived a start
	Relapses int               `json:"relapses,omitempty"`
	Lived    int64             `json:"lived,omitempty"`
	Relapsed *Relapsed         `json:"relapsed,omitempty"`
	Told     Told              `json:"told"`
	Outcomes []Outcome         `json:"outcomes,omitempty"`
}

// numbers lists the generations that a note names.
func (n *noteFile) numbers() []int {
	var numbers []int
	for _, g := range []*storedGeneration{n.Accepted, n.Earlier} {
		if g != nil {
			numbers = append(numbers, g.Number)
		}
	}
	return numbers
}

// WriteNote replaces the note. After an error the former note stays, with the
// generations that it names, and WriteNote can be called again.
func (l *Linker) WriteNote(n Note) error {
	if _, err := l.generation(n.Accepted.Number); n.Accepted.Number != 0 && err != nil {
		return err
	}
	a := &n.Accepted
	file := noteFile{noteVersion, l.toStore(a.Generation, a.Survived, a.Settled), l.toStore(a.Earlier, true, true), a.Relapses, a.Lived, n.Relapsed, a.Told, n.Outcomes}
	if err := l.state.WriteJSON(statedir.Note, file); err != nil {
		return err
	}
	l.noted = file.numbers()
	return nil
}

// readNote takes up what is noted, as far as it is intact. The error says what isn't: there
// may still be an earlier generation.
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
	l.noted = file.numbers()
	n.Outcomes = slices.DeleteFunc(file.Outcomes, func(o Outcome) bool { return o.Hash == "" }) // of a damaged note
	accepted, err := l.readGeneration(file.Accepted)
	earlier, earlierErr := l.readGeneration(file.Earlier)
	switch {
	case accepted != nil && earlier != nil:
		n.Accepted.Earlier = earlier.Generation
		fallthrough
	case accepted != nil:
		n.Accepted.Generation, n.Accepted.Survived, n.Accepted.Settled = accepted.Generation, file.Accepted.Survived, file.Accepted.Settled
		n.Accepted.Relapses, n.Accepted.Lived, n.Accepted.Told, n.Relapsed = file.Relapses, file.Lived, file.Told, file.Relapsed
	case earlier != nil:
		n.Accepted.Generation, n.Accepted.Survived, n.Accepted.Settled = earlier.Generation, true, true
	}
	return n, joinLine(damaged, joinLine(err, earlierErr))
}

// joinLine joins two errors on one line.
func joinLine(a, b error) error {
	if a == nil || b == nil {
		return errors.Join(a, b)
	}
	return fmt.Errorf("%w; %w", a, b)
}
