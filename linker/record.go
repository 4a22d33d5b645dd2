package linker

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

const recordName = "report.json"

// recordVersion is the version of report.json; see storedVersion.
const recordVersion = 1

// Record is report.json: how a change ended that a gate was asked about.
type Record struct {
	Version int    `json:"version"` // StoreReport sets it
	Hash    string `json:"hash"`    // the generation's Shared, all digits
	Outcome string `json:"outcome"` // "": it isn't decided
	Step    string `json:"step"`    // what rejected it; "": nothing did
	Reason  string `json:"reason"`  // and why
	Source  string `json:"source"`  // what the app went on with
}

// readRecord is the record that a former confit on the same state directory left,
// or nil. One that can't be trusted is none, and is replaced.
func (l *Linker) readRecord() *Record {
	r, err := l.state.readRecord()
	if err != nil {
		l.log.Warn("record of the gate not trusted: nobody is told how that change ended", "error", err)
		return nil
	}
	return r
}

func (s *stateDir) readRecord() (*Record, error) {
	data, err := s.readTrusted(recordName)
	if err != nil || data == nil {
		return nil, err
	}
	r := &Record{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("cannot read %s: it is damaged: %w", recordName, err)
	}
	if r.Version != recordVersion {
		return nil, fmt.Errorf("cannot read %s: version %d, and this confit writes version %d", recordName, r.Version, recordVersion)
	}
	return r, nil
}

// StoreRecord replaces the record, or removes it when there is none any more. With
// an error the one that was there stays: it can be called again.
func (l *Linker) StoreRecord(r *Record) error {
	if r != nil {
		versioned := *r
		versioned.Version = recordVersion
		return l.state.writeJSON(recordName, versioned)
	}
	if err := l.state.root.Remove(recordName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot remove %q: %w", filepath.Join(l.state.path, recordName), cause(err))
	}
	return nil
}
