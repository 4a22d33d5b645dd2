package linker

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"confit/internal/near"
)

// nearKey is the hint for a misspelt key.
func (s *source) nearKey(v *volume) string {
	if v.root == nil {
		return ""
	}
	name := v.inVolume(s.base)
	entries, _ := v.readDir(path.Dir(name))
	return didYouMean(path.Base(name), entries)
}

// nearVolume is the hint for a misspelt volume.
func (s *source) nearVolume(v *volume) string {
	entries, _ := os.ReadDir(asDir(filepath.Dir(v.dir)))
	return didYouMean(filepath.Base(v.dir), entries)
}

func didYouMean(name string, entries []fs.DirEntry) string {
	var names []string
	for _, e := range entries {
		if visible(e.Name()) {
			names = append(names, e.Name())
		}
	}
	if meant := near.Of(name, names); meant != "" {
		return fmt.Sprintf("; did you mean %q?", meant)
	}
	return ""
}
