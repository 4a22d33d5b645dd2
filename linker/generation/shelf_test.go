package generation_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"confit/integration/testfs"
	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/lines"
	"confit/linker/safedir"
	"confit/linker/statedir"
)

// shelf is a state directory with generations.
type shelf struct {
	*testing.T
	state *statedir.Dir
	store *generation.Store
	all   map[int]*generation.Stored
	said  bytes.Buffer // what the store says
}

// newShelf makes one below a directory, for lines of these sources and targets.
func newShelf(t *testing.T, dir string, sourceTarget ...string) *shelf {
	t.Helper()
	s := &shelf{T: t, all: map[int]*generation.Stored{}}
	var links []lines.Link
	for i := 0; i+1 < len(sourceTarget); i += 2 {
		links = append(links, lines.Link{Source: sourceTarget[i], Target: lines.Target(sourceTarget[i+1])})
	}
	parsed, err := lines.Parse(links, "/volumes", "/state", false)
	s.must(err)
	s.state, err = statedir.Open(filepath.Join(dir, "state"))
	s.must(err)
	t.Cleanup(func() { s.state.Lock.Close() })
	s.store = &generation.Store{Copier: files.NewCopier(), Links: parsed, State: s.state, Log: slog.New(slog.NewTextHandler(&s.said, nil))}
	return s
}

func (s *shelf) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// fileOf is what a copy of such a key is.
func fileOf(content string, mode fs.FileMode) generation.File {
	return generation.File{Sum: sha256.Sum256([]byte(content)), Size: int64(len(content)), Mode: mode, Owner: uint32(os.Geteuid()), Group: uint32(os.Getegid())}
}

// write writes the next generation, of NAME, CONTENT, ….
func (s *shelf) write(nameContent ...string) *generation.Stored {
	s.Helper()
	g := &generation.Stored{Files: map[lines.Key]generation.File{}}
	g.Number = len(s.all) + 1
	s.must(safedir.Made(s.state.Generations.Make(strconv.Itoa(g.Number), files.DirMode)))
	for i := 0; i+1 < len(nameContent); i += 2 {
		g.Files[lines.Key(nameContent[i])] = fileOf(nameContent[i+1], 0o444)
		s.must(s.enter(g, func(top *safedir.Dir) error { return put(g, top, nameContent[i], nameContent[i+1]) }))
	}
	g.Know(s.state.GenerationDir(g.Number))
	s.all[g.Number] = g
	return g
}

// enter calls do with the directory of a generation.
func (s *shelf) enter(g *generation.Stored, do func(top *safedir.Dir) error) error {
	top, err := s.store.Enter(g)
	if err != nil {
		return err
	}
	defer top.Close()
	return do(top)
}

// put writes one file of a generation.
func put(g *generation.Stored, top *safedir.Dir, name, content string) error {
	return top.In(name, true, func(in *safedir.Dir, base string) error {
		return in.Create(base, func(out files.Raw) error {
			if _, err := out.Write([]byte(content)); err != nil {
				return err
			}
			return g.Finish(lines.Key(name), out)
		})
	})
}

// tree describes all that is in a generation's directory: mode, owner and bytes by path.
func (s *shelf) tree(g *generation.Stored) map[string]string {
	s.Helper()
	found := map[string]string{}
	s.must(filepath.WalkDir(g.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		s.must(err)
		var data []byte
		if info.Mode().IsRegular() {
			data, err = os.ReadFile(path)
			s.must(err)
		}
		found[path] = fmt.Sprintf("%v %d:%d %q", info.Mode(), testfs.Owner(info), testfs.Group(info), data)
		return nil
	}))
	return found
}
