package integration

import (
	"os"
	"strings"
	"testing"
)

// In a roll back something else is in the way of one target: a directory that isn't empty. The others are right, so the app
// goes on; the rest is said, and mended once it can be.
func TestBadEdit_roll_back_in_part(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.line("link web/other %s", s.target("other"))
	web.swap(keys{"text": "first", "other": "same"})
	other := s.target("other")
	script := `
trap 'case $(cat "$0") in bad) rm "$1"; mkdir "$1"; : >"$1/mine"; exit 3;; esac; echo "reloaded $(cat "$0")"' HUP
trap 'exit 0' TERM
echo "ready $(cat "$0")"
while :; do sleep 0.02; done`
	app := []string{"sh", "-c", script, s.target("text"), other}
	s.accept(app...)
	s.flag("--probation", "1h", "--rescan", "200ms")
	c := s.start(app...)
	c.Says("ready first", 1)
	web.swap(keys{"text": "bad", "other": "same"})
	c.wantRejected("probation", 1)
	c.Says("ready first", 2)
	c.wantLogged("app started", 2)
	s.wantFiles(keys{"text": "first"})
	if !exists(other + "/mine") {
		t.Error("the directory that was in the way is gone")
	}
	c.Eventually("a warning that names what is in the way", func() bool { return c.warnsOf(other) })
	c.tells(3, "what is in force", func(st told) bool {
		return st.Live.Hash == s.stored().Hash && st.Live.Hash == st.Accepted.Hash
	})
	if err := os.RemoveAll(other); err != nil {
		t.Fatal(err)
	}
	web.swap(keys{"text": "mended", "other": "mended, too"})
	c.Says("reloaded mended", 1)
	s.wantFiles(keys{"text": "mended", "other": "mended, too"})
	c.wantLogged("app started", 2)
	c.stops(0)
}

// warnsOf tells whether a warning or an error names something.
func (c *confit) warnsOf(text string) bool {
	for _, line := range c.Texts("stderr", "time=") {
		if level := parseEntry(line)["level"]; (level == "WARN" || level == "ERROR") && strings.Contains(line, text) {
			return true
		}
	}
	return false
}
