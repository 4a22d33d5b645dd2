package supervisor

import (
	"log/slog"
	"strings"
	"time"
)

// lookAtLinks comes once for each look at the volumes: after the app's reload, which it would hold up.
func (l *loop) lookAtLinks() {
	if l.looks && !l.state.isFleeting(l.Config) && !l.state.neverStarted() {
		l.looks = false
		l.jobs <- lookAtLinks{}
	}
}

// The links files are read again. What differs is read twice: between
// the two renames of a swap a file may be missing.
func (lookAtLinks) carryOut(l *loop) event {
	sum, known := l.Config.LinksNow()
	if known && sum != l.Config.LinksRead {
		again, _ := l.Config.LinksNow()
		known = sum == again
	}
	if !known {
		return nil
	}
	return linksRead{sum}
}

// Confit says once that the links files are no longer what confit was
// started with. Only a restart takes them up.
func (e linksRead) take(t *transition) {
	if e.sum == t.links {
		return
	}
	t.links, t.relinked = e.sum, t.now
	level, message := slog.LevelWarn, "links file changed: restart the container to apply it"
	if e.sum == t.config.LinksRead {
		level, message = slog.LevelInfo, "links file as at the start again"
		t.relinked = time.Time{}
	}
	t.Say(level, message, "links", strings.Join(t.config.LinkFiles, ","))
}
