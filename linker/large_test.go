package linker

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"confit/linker/generation"
	"confit/linker/statedir"
	"confit/linker/target"
)

// TestLarge: a small file of the state directory that is larger than any that confit writes ends no start, takes no memory, and is
// replaced by the next one.
func TestLarge(t *testing.T) {
	for _, name := range []string{"note.json", "trial", "targets.json", "status.json"} {
		h := newStored(t, "web/ web/")
		h.close()
		path := h.path("state", name)
		h.must(os.WriteFile(path, nil, 0o644))
		h.must(os.Truncate(path, 1<<30)) // it takes no place
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = ReadStatus(h.path("state"))
		h.open()
		if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 32<<20 {
			t.Errorf("%s: the start took %d MiB", name, (after.TotalAlloc-before.TotalAlloc)>>20)
		}
		if name == "note.json" {
			h.wantAccepted(0, "it has 1073741824 bytes, and may have 16777216")
		} else {
			h.wantAccepted(1)
		}
		h.try()
		h.must(h.linker.WriteStatus([]byte("{}")))
		h.worksOn()
		if info, err := os.Lstat(path); err != nil || info.Size() >= 1<<20 {
			t.Errorf("%s is left: %v", name, err)
		}
	}
}

// withKeys gives a generation so many keys with names of 100 letters, which are not on the disk.
func (h *fixture) withKeys(number, keys int) Rung {
	g := &generation.Stored{Generation: Generation{Number: number}, Files: map[Key]generation.File{}, Targets: map[Target]target.Want{}}
	for i := range keys {
		name := fmt.Sprintf("%s%06d", strings.Repeat("k", 94), i)
		g.Files[Key("web/"+name)] = generation.File{Sum: Hash{1}, Mode: 0o444, Size: 100, Links: []int{0}}
		g.Targets[Target("/etc/nginx/"+name)] = target.Want{Dest: target.Dest("/run/confit/live/web/" + name)}
	}
	h.linker.generations[number] = g
	h.must(os.MkdirAll(h.linker.state.GenerationDir(number), 0o755))
	return Rung{Generation: g.Generation}
}

// TestLarge_fits: three editions of 10,000 keys can be noted and read. What is larger than the next confit would read isn't written, and
// the former note stays.
func TestLarge_fits(t *testing.T) {
	h := newFixture(t, "web/a a").open()
	note := Note{}
	for i := range 3 {
		note.Ladder.Rungs[i] = h.withKeys(3-i, 10_000)
	}
	h.must(h.linker.WriteNote(note))
	data, err := h.linker.state.ReadTrusted(statedir.Note)
	h.must(err)
	if n := len(data) >> 20; n != 13 {
		t.Errorf("the note has %d MiB", n)
	}
	note.Ladder.Rungs[3] = h.withKeys(9, 10_000)
	if err := h.linker.WriteNote(note); err == nil || !strings.Contains(err.Error(), "and may have 16777216") {
		t.Errorf("noted more than is read: %v", err)
	}
	if again, err := h.linker.state.ReadTrusted(statedir.Note); err != nil || string(again) != string(data) {
		t.Errorf("the former note is gone: %v", err)
	}
}
