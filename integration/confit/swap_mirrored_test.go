package confit

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// mirror copies what the kubelet has written into another directory, as an agent does that brings small volumes into a virtual machine: what
// is gone goes first, then directories, files and links are made one by one, each link anew, in the order in which a directory lists them.
type mirror struct {
	from, to string
	made     map[string]string // by path below both, what it was when it was copied
}

// pause is what the agent needs for the next one, in another place of the pass each time.
func pause() { <-time.After(time.Duration(rand.IntN(5)) * time.Millisecond) }

func (m *mirror) pass(t *testing.T) {
	t.Helper()
	for p := range m.made {
		if _, err := os.Lstat(filepath.Join(m.from, p)); err != nil {
			pause()
			_ = os.RemoveAll(filepath.Join(m.to, p))
			delete(m.made, p)
		}
	}
	m.copyAll(t, ".")
}

func (m *mirror) copyAll(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(m.from, dir))
	if err != nil {
		t.Fatal(err)
	}
	rand.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
	for _, e := range entries {
		p := filepath.Join(dir, e.Name())
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if is := fmt.Sprint(info.Mode(), info.ModTime().UnixNano()); m.made[p] != is {
			m.copy(t, p, e)
			m.made[p] = is
		}
		if e.IsDir() {
			m.copyAll(t, p)
		}
	}
}

func (m *mirror) copy(t *testing.T, p string, e fs.DirEntry) {
	t.Helper()
	from, to := filepath.Join(m.from, p), filepath.Join(m.to, p)
	var err error
	switch e.Type() {
	case fs.ModeDir:
		err = os.MkdirAll(to, 0o755)
	case fs.ModeSymlink:
		var where string
		if where, err = os.Readlink(from); err == nil {
			_ = os.Remove(to)
			err = os.Symlink(where, to)
		}
	default:
		var data []byte
		if data, err = os.ReadFile(from); err == nil {
			err = os.WriteFile(to, data[:len(data)/2], 0o644)
			pause()
		}
		if err == nil {
			err = os.WriteFile(to, data, 0o644)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What is mirrored file by file, without one rename of ..data, isn't even tried before it is whole: the validator, which would name what is
// torn, refuses nothing.
func TestSwap_mirrored(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/* %s", s.target()+"/")
	s.line("validate sh -c 'set -- {candidate}/web/*; [ $# = 9 ] && [ $(cat \"$@\" | sort -u | wc -l) = 1 ]'")
	s.line("reload none")
	s.line("settle 3s") // longer than the agent ever stalls on a busy machine
	s.line("rescan 1s")
	source := newVolume(t, s.mkdir("source"))
	m := &mirror{source.dir, s.mkdir("volumes", "web"), map[string]string{}}
	edit := func(n int) {
		k := keys{}
		for i := range 9 {
			k[fmt.Sprint("key", i)] = fmt.Sprintln("edition", n, strings.Repeat("x", 500))
		}
		source.swap(k)
		m.pass(t)
	}
	edit(1)
	c := s.start("sleep", "7654321")
	c.accepts(1)
	rounds := 20
	if testing.Short() {
		rounds = 6
	}
	for n := range rounds {
		edit(n + 2)
		c.Eventually("the edition", func() bool {
			text, _ := os.ReadFile(s.target("key8"))
			return strings.HasPrefix(string(text), fmt.Sprint("edition ", n+2, " "))
		})
	}
	for _, e := range c.entries("candidate rejected") {
		if e["step"] == "validate" {
			t.Errorf("torn: %v", e)
		}
	}
	c.stops(143)
}
