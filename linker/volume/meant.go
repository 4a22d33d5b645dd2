package volume

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"confit/internal/near"
	"confit/linker/files"
	"confit/linker/lines"
)

// nearKey is the hint for a misspelt key, or for one in another directory.
func nearKey(s *lines.Line, v *volume) string {
	name := v.inVolume(s.Base)
	entries, _ := v.readDir(path.Dir(name))
	if hint := didYouMean(path.Base(name), entries); hint != "" || path.Dir(name) == "." {
		return hint
	}
	entries, _ = v.readDir(".")
	return didYouMean(path.Base(name), entries)
}

// nearVolume is the hint for a misspelt volume, or for a source that begins with the
// directory of all volumes.
func nearVolume(s *lines.Line, v *volume) string {
	all, dir := filepath.Split(v.dir)
	if rest, found := strings.CutPrefix(s.Source, path.Base(s.Root)+"/"); found {
		return fmt.Sprintf("; a source is below %q: did you mean %q?", s.Root, rest)
	}
	entries, _ := os.ReadDir(files.AsDir(all))
	return didYouMean(dir, entries)
}

func didYouMean(name string, entries []fs.DirEntry) string {
	if meant := near.Of(name, visibleNames(entries)); meant != "" {
		return fmt.Sprintf("; did you mean %q?", meant)
	}
	return ""
}

func visibleNames(entries []fs.DirEntry) (names []string) {
	for _, e := range entries {
		if visible(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}
