package memory

import (
	"os"
	"path/filepath"
	"testing"
)

// TestNoMemory: a file that can't be read or written is none.
func TestNoMemory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	for text, dir := range map[string]string{"{": t.TempDir(), "": file, "[]": t.TempDir()} {
		_ = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
		m := Dir(dir)
		if s := m.Load(); s.Boot == "" || len(s.Observer.Seen) > 0 {
			t.Errorf("%q: %+v", text, s)
		}
		m.Save(Seen{})
		m.Save(m.Load())
	}
}
