package supervisor

import (
	"log/slog"
	"strings"
	"time"

	"confit/config"
)

// lookAtLinks reads the links files again. What differs is read twice: between
// the two renames of a swap a file may be missing.
func (l *loop) lookAtLinks() event {
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

// linksRead says once that the links files are no longer what confit was
// started with. Only a restart takes them up.
func (t *transition) linksRead(sum config.LinksSum) {
	if sum == t.links {
		return
	}
	t.links, t.seen.relinked = sum, t.now
	level, message := slog.LevelWarn, "links file changed: restart the container to apply it"
	if sum == t.config.LinksRead {
		level, message = slog.LevelInfo, "links file as at the start again"
		t.seen.relinked = time.Time{}
	}
	t.say(level, message, "links", strings.Join(t.config.LinkFiles, ","))
}
