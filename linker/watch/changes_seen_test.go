package watch

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
)

// TestChangesSeen: a hint that waits is taken back by a look that has seen what it is of. What happens later is
// one if it is news.
func TestChangesSeen(t *testing.T) {
	w, dir := start(t), t.TempDir()
	w.Sync([]string{dir})
	var news atomic.Bool
	holds := func() bool { return !news.Load() }
	write := func() { must(t, os.WriteFile(filepath.Join(dir, "key"), nil, 0o600)) }
	write()
	wantHint(t, w, "what nobody has seen")
	w.Hint()
	news.Store(true)
	if w.See(holds) || len(w.Hints) == 0 {
		t.Error("a look that is outdated has taken a hint back")
	}
	news.Store(false)
	if !w.See(holds) || len(w.Hints) > 0 {
		t.Error("what was seen is a hint")
	}
	write()
	news.Store(true)
	write()
	wantHint(t, w, "what is news")
	w.Hint()
	wantHint(t, w, "what is to be looked at again")
}
