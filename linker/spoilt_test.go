package linker

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// spoil is what may have happened to the note between two confits, and words of
// why it isn't believed.
type spoil struct {
	do    func(h *fixture) error
	words string
}

var spoils = map[string]spoil{
	"another version":            {edit("version", 2), "version 2, and this confit writes version 1"},
	"no version":                 {edit("version", 0), "version 0"},
	"a negative number":          {edit("number", -1), "cannot use generation -1"},
	"a number elsewhere":         {edit("number", "../../volumes"), "damaged"},
	"another hash":               {edit("hash", "00"), "its hash differs"},
	"no keys":                    {edit("keys", nil), "its hash differs"},
	"other targets":              {edit("targets", map[string]any{"/etc/passwd": map[string]any{"dest": "/nowhere"}}), "other links"},
	"no targets":                 {edit("targets", nil), "other links"},
	"links that there are not":   {editKey("links", []int{99}), "other links"},
	"a key of another sum":       {editKey("sha256", "zz"), "its hash differs"},
	"a key of another mode":      {editKey("mode", 0o666), "its hash differs"},
	"a key of another owner":     {editKey("owner", 65534), "other links"},
	"a key of another size":      {editKey("size", 1<<30), "other links"},
	"a key elsewhere":            {edit("keys", map[string]any{"../x": map[string]any{}}), "its hash differs"},
	"other JSON":                 {write("note.json", "[1, 2]"), "version 0"},
	"no JSON":                    {write("note.json", "\x00\xff kaputt"), "damaged"},
	"null":                       {write("note.json", "null"), "version 0"},
	"no generation":              {write("note.json", `{"version":1,"ladder":7}`), "damaged"},
	"empty":                      {write("note.json", ""), "damaged"},
	"a stranger's note":          {chown("note.json"), "user 65534 owns it"},
	"a note others may write":    {chmod("note.json", 0o666), "others may write"},
	"a note that is a symlink":   {replace("note.json", func(p string) error { return os.Symlink("status.json", p) }), "is a symlink"},
	"a note that is a FIFO":      {replace("note.json", func(p string) error { return unix.Mkfifo(p, 0o644) }), "is a FIFO"},
	"a note that is a directory": {replace("note.json", func(p string) error { return os.Mkdir(p, 0o755) }), "is a directory"},
}

// TestStoredButSpoilt: nothing of it is believed, but linking works on.
func TestStoredButSpoilt(t *testing.T) {
	for name, tt := range spoils {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newStored(t, "web/ web/")
			h.close()
			h.must(tt.do(h))
			h.open()
			h.wantAccepted(0, tt.words)
			h.worksOn()
		})
	}
}

// worksOn checks that the next edit is linked, stored and taken up.
func (h *fixture) worksOn() {
	h.Helper()
	h.write("web", "a", "a2", "sub/b", "b1")
	h.adopt()
	h.reads("web/a", "a2", "web/sub/b", "b1", "web/c.conf", absent)
	h.must(h.linker.WriteNote(h.note))
	h.collect()
	h.noLeftovers()
	number := h.note.Ladder.InForce().Number
	h.restart().wantAccepted(number)
}

func edit(name string, value any) func(*fixture) error {
	return func(h *fixture) error {
		return h.editNote(func(note map[string]any) {
			if name != "version" {
				note = note["ladder"].([]any)[0].(map[string]any)
			}
			note[name] = value
		})
	}
}

func editKey(name string, value any) func(*fixture) error {
	return func(h *fixture) error {
		return h.editNote(func(note map[string]any) {
			note["ladder"].([]any)[0].(map[string]any)["keys"].(map[string]any)["web/a"].(map[string]any)[name] = value
		})
	}
}

func (h *fixture) editNote(change func(map[string]any)) error {
	var note map[string]any
	data, err := os.ReadFile(h.path("state/note.json"))
	h.must(errors.Join(err, json.Unmarshal(data, &note)))
	change(note)
	data, err = json.Marshal(note)
	return errors.Join(err, os.WriteFile(h.path("state/note.json"), data, 0o644))
}

// replace puts something else in the place of a file of the state directory.
func replace(name string, put func(path string) error) func(*fixture) error {
	return func(h *fixture) error {
		path := h.path("state", name)
		return errors.Join(os.RemoveAll(path), put(path))
	}
}

func write(name, content string) func(*fixture) error {
	return func(h *fixture) error {
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(name, "gen") {
			mode = 0o444
		}
		return os.WriteFile(h.path("state", name), []byte(content), mode)
	}
}

func chmod(name string, mode fs.FileMode) func(*fixture) error {
	return func(h *fixture) error { return os.Chmod(h.path("state", name), mode) }
}

func chown(name string) func(*fixture) error {
	return func(h *fixture) error { return os.Chown(h.path("state", name), 65534, -1) }
}

func takeAway(name string) func(*fixture) error {
	return func(h *fixture) error { return os.RemoveAll(h.path("state", name)) }
}
