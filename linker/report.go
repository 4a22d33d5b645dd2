package linker

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

const reportName = "report.json"

// reportVersion is the version of report.json; see storedVersion.
const reportVersion = 1

// Report is report.json: how a change ended that a gate was asked about.
type Report struct {
	Version int    `json:"version"` // StoreReport sets it
	Hash    string `json:"hash"`    // the generation's Shared, all digits
	Outcome string `json:"outcome"` // "": it isn't decided
	Step    string `json:"step"`    // what rejected it; "": nothing did
	Reason  string `json:"reason"`  // and why
	Source  string `json:"source"`  // what the app went on with
}

// readReport is the record that a former confit on the same state directory left,
// or nil. One that can't be trusted is none, and is replaced.
func (l *Linker) readReport() *Report {
	r, err := l.state.readReport()
	if err != nil {
		l.log.Warn("record of the gate not trusted: nobody is told how that change ended", "error", err)
		return nil
	}
	return r
}

func (s *state) readReport() (*Report, error) {
	data, err := s.readTrusted(reportName)
	if err != nil || data == nil {
		return nil, err
	}
	r := &Report{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("cannot read %s: it is damaged: %w", reportName, err)
	}
	if r.Version != reportVersion {
		return nil, fmt.Errorf("cannot read %s: version %d, and this confit writes version %d", reportName, r.Version, reportVersion)
	}
	return r, nil
}

// StoreReport replaces the record, or removes it when there is none any more. With
// an error the one that was there stays: it can be called again.
func (l *Linker) StoreReport(r *Report) error {
	if r != nil {
		versioned := *r
		versioned.Version = reportVersion
		return l.state.writeJSON(reportName, versioned)
	}
	if err := l.state.root.Remove(reportName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot remove %q: %w", filepath.Join(l.state.path, reportName), cause(err))
	}
	return nil
}
