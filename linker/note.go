package linker

import (
	"encoding/json"
	"errors"
	"fmt"

	"confit/linker/statedir"
)

// noteVersion is the version of note.json. A file of another version isn't read, as its
// fields may mean something else.
const noteVersion = 1

// Note is what confit leaves to the one that starts next on its state directory.
type Note struct {
	Accepted Accepted  // Number 0: there is none
	Record   *Record   // of the gate that was asked last, until its outcome is delivered; nil: none
	Late     *Record   // what became of a change that a gate was asked about, after it was accepted; nil: nobody asks any more
	Relapsed *Relapsed // nil: nothing is remembered
}

// Relapsed is a generation that was taken back as the app died of it late. The next confit
// doesn't try it again.
type Relapsed struct {
	Hash string `json:"hash"` // all digits
	At   int64  `json:"at"`   // in seconds since 1970
}

// Record says how a change ended that a gate was asked about.
type Record struct {
	Hash    string `json:"hash"`    // the generation's Shared, all digits
	Outcome string `json:"outcome"` // "": it isn't decided
	Step    string `json:"step"`    // what rejected it; "": nothing did
	Reason  string `json:"reason"`  // and why
	Source  string `json:"source"`  // what the app went on with

	// Told is for a late record alone: what was decided to be told of its hash so far.
	Told string `json:"told,omitempty"`
}

// noteFile is note.json. Each part is believed alone: a generation once its files match
// it, the record whatever became of the generations.
type noteFile struct {
	Version  int               `json:"version"`
	Accepted *storedGeneration `json:"accepted,omitempty"`
	Earlier  *storedGeneration `json:"earlier,omitempty"` // the newest before it that survived a start
	Relapses int               `json:"relapses,omitempty"`
	Lived    int64             `json:"lived,omitempty"`
	Relapsed *Relapsed         `json:"relapsed,omitempty"`
	Gate     *Record           `json:"gate,omitempty"`
	Late     *Record           `json:"late,omitempty"`
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

// named is a record that says what it is about, or nil.
func (r *Record) named() *Record {
	if r == nil || r.Hash == "" {
		return nil
	}
	return r
}

// WriteNote replaces the note. After an error the former note stays, with the
// generations that it names, and WriteNote can be called again.
func (l *Linker) WriteNote(n Note) error {
	if _, err := l.generation(n.Accepted.Number); n.Accepted.Number != 0 && err != nil {
		return err
	}
	a := &n.Accepted
	file := noteFile{noteVersion, l.toStore(a.Generation, a.Survived, a.Settled), l.toStore(a.Earlier, true, true), a.Relapses, a.Lived, n.Relapsed, n.Record, n.Late}
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
	n.Record, n.Late = file.Gate.named(), file.Late.named()
	accepted, err := l.readGeneration(file.Accepted)
	earlier, earlierErr := l.readGeneration(file.Earlier)
	switch {
	case accepted != nil && earlier != nil:
		n.Accepted.Earlier = earlier.Generation
		fallthrough
	case accepted != nil:
		n.Accepted.Generation, n.Accepted.Survived, n.Accepted.Settled = accepted.Generation, file.Accepted.Survived, file.Accepted.Settled
		n.Accepted.Relapses, n.Accepted.Lived, n.Relapsed = file.Relapses, file.Lived, file.Relapsed
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
