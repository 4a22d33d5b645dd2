package integration

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// tree describes everything below a directory: names, modes, where links lead, contents. Two equal descriptions mean
// that nothing was changed.
func (s *setup) tree(dir string) string {
	s.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		detail := ""
		switch {
		case info.Mode().IsRegular():
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			detail = fmt.Sprintf("%q", content)
		case info.Mode()&fs.ModeSymlink != 0:
			if detail, err = os.Readlink(path); err != nil {
				return err
			}
		}
		fmt.Fprintf(&b, "%s %s %s\n", strings.TrimPrefix(path, dir), info.Mode(), detail)
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	return b.String()
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
	needed := []string{filepath.Base(live), s.earlier()}
	for _, dir := range []string{"generations", "packs"} {
		paths, _ := filepath.Glob(filepath.Join(s.state, dir, "*"))
		for _, path := range paths {
			if !slices.Contains(needed, filepath.Base(path)) {
				found = append(found, path)
			}
		}
	}
	return found
}
