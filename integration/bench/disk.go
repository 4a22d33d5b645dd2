package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"confit/integration/volume"
)

// The keys of the measurement: 3 MB in 100 keys, and no two with the same bytes.
const (
	diskKeys    = 100
	diskKeySize = 30000
)

// disk measures what the state directory takes beside the keys in their volume, which may be the container's memory: with one
// generation, with one and two earlier ones beside it, and while a candidate has its probation. Each generation is one copy of its keys.
func (b *bench) disk(int) ([]row, error) {
	s, err := b.newSite(0)
	if err != nil {
		return nil, err
	}
	s.fill(diskKeys)
	if err := volume.Write(s.volume(), s.keys); err != nil {
		return nil, err
	}
	if err := s.linkAll(); err != nil {
		return nil, err
	}
	t, err := b.startTimed(s, b.confitOn(s, []string{"--probation", "1s"}, b.app()...))
	if err != nil {
		return nil, err
	}
	keys, err := used(s.volume())
	if err != nil {
		return nil, err
	}
	rows := []row{{"state directory, 3 MB in 100 keys", kibibytes, 0, keys, "the keys", budget{ratio, 1.1}}}
	if _, rows[0].Ours, err = s.atRest("1", 1); err != nil {
		return nil, err
	}
	for i, change := range []struct {
		keys         int
		during, rest string
		most         float64 // during that, one copy more than at rest before
		kept         int
	}{
		{1, "  while one is changed", "  at rest, with an earlier generation", 2.1, 2},
		{1, "  while another is changed", "  at rest, with two", 3.1, 3},
		{diskKeys, "  while all are changed", "  at rest after that", 4.1, 3},
	} {
		s.edition++
		s.fill(change.keys)
		if err := t.change(0); err != nil {
			return nil, err
		}
		most, rest, err := s.atRest(fmt.Sprint(i+2), change.kept)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{change.during, kibibytes, most, keys, "the keys", budget{ratio, change.most}},
			row{change.rest, kibibytes, rest, keys, "the keys", budget{ratio, float64(change.kept) + .1}})
	}
	return rows, nil
}

// fill gives the first keys the content of this edition.
func (s *site) fill(n int) {
	for i := range n {
		s.keys[fmt.Sprintf("k%05d", i)] = volume.File{Data: fmt.Appendf(nil, "%*d\n", diskKeySize-1, s.edition*diskKeys+i), Mode: 0o644}
	}
}

// atRest waits until a generation was accepted and what nobody needs any more is gone. It returns the most that the state directory
// has taken until then, and what it takes.
func (s *site) atRest(generation string, kept int) (most, rest float64, err error) {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		note, _ := os.ReadFile(s.path("state/note.json"))
		there, _ := filepath.Glob(s.path("state/generations/*"))
		accepted := fmt.Appendf(nil, `"ladder":[{"number":%s,`, generation)
		now, _ := used(s.path("state")) // a file may go meanwhile
		most = max(most, now)
		if len(note) > 0 && string(note[len(`{"version":1,`):][:len(accepted)]) == string(accepted) && len(there) == kept {
			if rest, err = used(s.path("state")); err == nil { // the status is written a moment later
				return most, rest, nil
			}
		}
	}
	return 0, 0, fmt.Errorf("generation %s wasn't accepted within 10 s", generation)
}

// used is what a directory takes on its file system, in KiB.
func used(dir string) (total float64, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		var st unix.Stat_t
		if err == nil {
			err = unix.Lstat(path, &st)
		}
		total += float64(st.Blocks) / 2
		return err
	})
	return total, err
}
