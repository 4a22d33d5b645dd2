package linker

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/lines"
	"confit/linker/statedir"
	"confit/linker/target"
)

// noteVersion is that of note.json. A file of another one isn't read, as its fields may mean
// something else.
const noteVersion = 1

// Note is what confit leaves to the one that starts next on its state directory.
type Note struct {
	Ladder     Ladder
	Outcomes   []Outcome // that the report hook hasn't taken, in the order of decisions; one may be a question
	Late       Late      // the zero value: the app has died of nothing
	Entrypoint int64     // how long the last app that has begun was at its entrypoint, in seconds; 0: none has
	Unread     error     // why not all can be read that a former confit left: nothing is noted then; nil: it was
}

// Equal reports that two notes say the same.
func (n *Note) Equal(other *Note) bool {
	return n.Ladder == other.Ladder && n.Late == other.Late && n.Entrypoint == other.Entrypoint &&
		slices.Equal(n.Outcomes, other.Outcomes)
}

// Late is what was taken back after it had been accepted, as the app died of it. It isn't tried again
// for a while.
type Late struct {
	Inputs Hash  `json:"inputs"`          // of what comes from volumes
	Common Hash  `json:"common,omitzero"` // of what all replicas share of it; zero: an older confit didn't say
	At     int64 `json:"at"`              // when that was, in seconds since 1970
	Wait   int64 `json:"wait"`            // how long it isn't tried after that, in seconds
}

// Outcome says how a change ended that a gate was asked about.
type Outcome struct {
	Hash   string `json:"hash"`    // the generation's Shared, all digits
	Kind   string `json:"outcome"` // "": a question, as nothing is decided
	Step   string `json:"step"`    // what rejected it; "": nothing did
	Reason string `json:"reason"`  // and why
	Source string `json:"source"`  // what the app went on with
}

// noteFile is note.json. Each part is believed alone: a generation once its files match it, the
// outcomes in any case.
type noteFile struct {
	Version    int          `json:"version"`
	Ladder     []storedRung `json:"ladder,omitempty"` // the newest first
	On         int          `json:"on,omitempty"`     // which of them the app is on
	Late       Late         `json:"remembered,omitzero"`
	Outcomes   []Outcome    `json:"outcomes,omitempty"`
	Entrypoint int64        `json:"entrypoint,omitempty"` // in seconds
}

// storedRung is a rung of note.json.
type storedRung struct {
	Rung
	Links   Hash                    `json:"links"` // fingerprint of the link lines and of their result
	Keys    map[Key]generation.File `json:"keys"`
	Targets map[Target]target.Want  `json:"targets"`
}

// WriteNote replaces the note, with the generations that are there. After an error the former one
// stays, with its generations, and WriteNote can be called again. A note that can't be read isn't
// replaced.
func (l *Linker) WriteNote(n Note) error {
	if l.unread != nil {
		return l.unread
	}
	l.lastNote = new(n)
	n.Ladder = n.Ladder.Of(func(number int) bool { return !l.isGone(number) })
	var stored []storedRung
	for _, r := range n.Ladder.Rungs[:n.Ladder.Len()] {
		g, err := l.generation(r.Number)
		if err != nil {
			return err
		}
		stored = append(stored, storedRung{r, l.linksFingerprint(g), g.Files, g.Targets})
	}
	err := l.state.WriteJSON(statedir.Note, noteFile{noteVersion, stored, n.Ladder.On, n.Late, n.Outcomes,
		n.Entrypoint})
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
	if damaged != nil {
		_, another := errors.AsType[*json.UnmarshalTypeError](damaged)
		damaged = fmt.Errorf("cannot read %s: it is damaged: %w", statedir.Note, damaged)
		if !another {
			return n, damaged
		}
	}
	if file.Version != noteVersion {
		return n, fmt.Errorf("cannot read %s: version %d, and this confit writes version %d", statedir.Note,
			file.Version, noteVersion)
	}
	n.Outcomes = slices.DeleteFunc(file.Outcomes, func(o Outcome) bool { return o.Hash == "" }) // of a damaged note
	n.Late, n.Entrypoint = file.Late, max(file.Entrypoint, 0)
	n.Ladder, err = l.readLadder(&file)
	return n, joinLine(damaged, err)
}

// readLadder takes up the rungs that are intact. Where the one is gone that the app was on, it is
// started on the next one, else on the top.
func (l *Linker) readLadder(file *noteFile) (_ Ladder, err error) {
	var rungs []Rung
	for i := range file.Ladder {
		stored := &file.Ladder[i]
		l.noted = append(l.noted, stored.Number)
		g, unread := l.readGeneration(stored)
		err = joinLine(err, unread)
		rung := Rung{}
		if unread == nil {
			rung = stored.Rung
			rung.Generation = g.Generation
		}
		rungs = append(rungs, rung)
	}
	return ladderOf(rungs, file.On), err
}

// joinLine joins two errors on one line.
func joinLine(a, b error) error {
	if a == nil || b == nil {
		return errors.Join(a, b)
	}
	return fmt.Errorf("%w; %w", a, b)
}

// linksFingerprint changes when the same volumes would give another generation or other targets, or
// a note was damaged.
func (l *Linker) linksFingerprint(g *generation.Stored) Hash {
	var from []any
	for _, s := range l.links {
		link := s.Link
		link.Where, link.Local = "", false // which change neither
		from = append(from, s.Root, link)
	}
	h := sha256.New()
	_ = json.NewEncoder(h).Encode([]any{l.state.Path, from, g.Files, g.Targets}) // maps in order
	return Hash(h.Sum(nil))
}

// readGeneration returns a stored generation if it is intact, or could be staged again.
func (l *Linker) readGeneration(s *storedRung) (*generation.Stored, error) {
	g := &generation.Stored{Generation: s.Generation, Files: s.Keys, Targets: s.Targets}
	switch {
	case g.Number <= 0 || g.Hash != generation.HashOf(g.Files):
		return nil, fmt.Errorf("cannot use generation %d: its hash differs from the stored one", s.Number)
	case s.Links != l.linksFingerprint(g):
		return nil, fmt.Errorf("cannot use generation %d: it was made for other links", s.Number)
	}
	g.Shared, g.Local = l.share(g.Files)
	staged := maps.Clone(g.Files)
	maps.DeleteFunc(staged, func(p Key, _ generation.File) bool { return lines.IsRendered(p) })
	g.Inputs = generation.HashOf(staged)
	g.Know(l.state.GenerationDir(g.Number))
	err := l.copies.Restore(g)
	if err != nil {
		if err = l.stageDamaged(g, err); err == nil {
			err = l.copies.Restore(g)
		}
	}
	if err == nil {
		err = l.readEnvironment(g)
	}
	if err == nil {
		l.generations[g.Number] = g
	}
	return g, err
}

const trialName = "trial"

// trialVersion is the version of the file; see noteVersion.
const trialVersion = 3

// The steps of a trial.
const (
	StepHooks   = "hooks"      // hooks make or check the candidate, which nobody else reads
	StepPublish = "publish"    // it is about to be published, or is, until an app has proved that it can live with it
	StepEntry   = "entrypoint" // it is published, and a script works in front of the app
)

// Trial says that confit may be killed by a generation now. The zero value is no trial.
type Trial struct {
	Hash Hash   `json:"hash"` // of what comes from volumes: a renderer may never make the same twice
	Step string `json:"step"` // what it goes through
	// how often that will have happened if confit is killed now: nothing is written after it
	Kills int `json:"kills"`

	Suspects string `json:"suspects"`         // who may need too much memory in that step: "render, validate"
	PutOff   bool   `json:"putOff,omitempty"` // that was its last trial, and since then something else came first
}

// savedTrial is the file trial.
type savedTrial struct {
	Version int `json:"version"`
	Trial
	Boot string `json:"boot"` // the kernel's boot_id; "": not known
}

// RecordTrial records a trial, for the next confit if this one is killed. No trial removes the
// record, by unlink(2) alone, which a full disk doesn't refuse. A trial that can't be recorded
// isn't one: the record stays if it is of the same generation, as it counts the kills before, and
// goes if it is of another.
func (l *Linker) RecordTrial(t Trial) {
	if l.unread != nil { // nor is there a note of it
		return
	}
	l.lastTrial = t
	stale := t == (Trial{})
	if !stale {
		err := l.state.WriteJSON(trialName, savedTrial{trialVersion, t, bootID()})
		if err != nil {
			before, unread := readTrial(l.state)
			stale = unread == nil && (before.Hash != t.Hash || before.Kills > t.Kills)
		}
		if err != nil && !l.unrecorded {
			l.log.Warn("trial not recorded: if confit is killed in it, that will not count", "error", err)
		}
		l.unrecorded = err != nil
	}
	if stale {
		if err := files.Ignoring(l.state.Remove(trialName), unix.ENOENT); err != nil {
			l.log.Warn("record of a trial not removed", "error", err)
		}
	}
}

// readTrial reads the record of the trial in which a former confit was killed. One that can't be
// trusted counts as none. So does one from before the node started: it says nothing of the
// generation. The error is one that may pass.
func readTrial(s *statedir.Dir) (Trial, error) {
	data, err := s.ReadTrusted(trialName)
	var r savedTrial
	if files.MayPass(err) {
		return Trial{}, err
	}
	if err != nil || json.Unmarshal(data, &r) != nil || r.Version != trialVersion {
		return Trial{}, nil
	}
	if boot := bootID(); r.Boot != "" && boot != "" && r.Boot != boot {
		return Trial{}, nil
	}
	return r.Trial, nil
}

// bootID changes with each start of the kernel, see random(4).
var bootID = sync.OnceValue(func() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
})
