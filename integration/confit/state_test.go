package confit

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"confit/integration/internal/harness"
)

// tree describes everything below a directory: names, modes, where links lead, contents. Two equal descriptions mean
// that nothing was changed.
func (s *setup) tree(dir string) string {
	s.t.Helper()
	lines, err := harness.Tree(dir)
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// leftovers are names that confit uses for a moment only, and generations beyond the live one.
func (s *setup) leftovers() []string {
	var found []string
	_ = filepath.WalkDir(s.dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(entry.Name(), ".confit-tmp-") {
			found = append(found, path)
		}
		return nil // what goes away meanwhile is no leftover
	})
	live, _ := os.Readlink(filepath.Join(s.state, "live"))
	needed := []string{filepath.Base(live)}
	for _, r := range s.rungs().Ladder {
		needed = append(needed, strconv.Itoa(r.Number))
	}
	paths, _ := filepath.Glob(filepath.Join(s.state, "generations", "*"))
	for _, path := range paths {
		if !slices.Contains(needed, filepath.Base(path)) {
			found = append(found, path)
		}
	}
	return found
}

// rung is an accepted generation, as note.json names it.
type rung struct {
	Number int    `json:"number"`
	Hash   string `json:"hash"`
}

// stored is the generation in force; number 0: there is none.
func (s *setup) stored() rung {
	noted := s.rungs()
	return append(noted.Ladder, make([]rung, noted.On+1)...)[noted.On]
}

// rungs are the accepted generations, the newest first, and which of them is in force.
func (s *setup) rungs() (noted struct {
	Ladder []rung
	On     int
}) {
	data, err := os.ReadFile(filepath.Join(s.state, "note.json"))
	if err == nil && json.Unmarshal(data, &noted) != nil {
		s.t.Errorf("note.json is not whole: %q", data)
	}
	return noted
}

// outcomes are those that the note holds; "": there is none.
func (s *setup) outcomes() string {
	var noted struct{ Outcomes json.RawMessage }
	if text := s.noteText(); text != "" && json.Unmarshal([]byte(text), &noted) != nil {
		s.t.Errorf("note.json is not whole: %q", text)
	}
	return string(noted.Outcomes)
}

// noteText is note.json; "": there is none.
func (s *setup) noteText() string {
	text, _ := os.ReadFile(filepath.Join(s.state, "note.json"))
	return string(text)
}

// accepts waits until the nth generation was accepted, and is stored.
func (c *confit) accepts(n int) entry {
	c.t.Helper()
	e := c.logs("generation accepted", n)
	c.Eventually("the accepted generation being stored", func() bool {
		return strings.HasPrefix(c.setup.stored().Hash, e["hash"])
	})
	return e
}

// accept leaves a state directory in which what is mounted was accepted.
func (s *setup) accept(app ...string) {
	s.t.Helper()
	flags := s.flags
	s.flags = append([]string{"--probation", "0s"}, flags...)
	c := s.start(app...)
	c.accepts(1)
	c.Kill()
	s.flags = flags
}

// wantFiles checks what the app reads at its targets.
func (s *setup) wantFiles(texts keys) {
	s.t.Helper()
	for name, want := range texts {
		if got, err := os.ReadFile(s.target(name)); err != nil || string(got) != want {
			s.t.Errorf("target %q holds %q, want %q (%v)", name, got, want, err)
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// replace writes a file as editors do: beside it, then renamed over it.
func (s *setup) replace(path, content string) {
	s.t.Helper()
	s.write(path+"~", content)
	if err := os.Rename(path+"~", path); err != nil {
		s.t.Fatal(err)
	}
}
