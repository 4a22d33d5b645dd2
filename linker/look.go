package linker

import (
	"context"
	"errors"
	"log/slog"
)

// logLook has a debug log say what a look found, and what it compared: what the look before
// didn't see so or, if there is nothing like that, all.
func (l *Linker) logLook(before Fingerprint, c *Candidate, err error) {
	if !l.log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	var found any = c.Hash
	if err != nil {
		found = err
	}
	seen := c.Fingerprint
	if errors.Is(err, ErrUnchanged) {
		seen, before = before, ""
	}
	l.log.Log(context.Background(), slog.LevelDebug, "volumes looked at", "found", found, "compared", seen.Beside(before))
}
