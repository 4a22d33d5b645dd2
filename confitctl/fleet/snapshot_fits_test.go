package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKeepPrivate: what may be a Secret is in no ConfigMap, and then nothing is
// written at all.
func TestKeepPrivate(t *testing.T) {
	s := newSnapshots(t)
	a := accepted(t, "A")
	s.wants(t, a.Hash)
	for name, prepare := range map[string]func(){
		"not everybody may read its key \"conf\"": func() {
			a.InMemory = nil
			if err := os.Chmod(filepath.Join(a.Dir, "web/conf"), 0o400); err != nil {
				t.Fatal(err)
			}
		},
		"it is mounted from memory": func() { a.InMemory = []string{"tls", "web"} },
	} {
		prepare()
		k := s.keeper(t, a)
		want := `no snapshot: volume "web" isn't for a ConfigMap, as ` + name
		if err := s.keeps(bounded(t), t, k); err != nil || !strings.HasPrefix(k.said(), want) || strings.Count(k.said(), "volume \"") != 1 {
			t.Errorf("%v, said %q, want %q", err, k.said(), want)
		}
		if err := os.Chmod(filepath.Join(a.Dir, "web/conf"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.puts(); n > 0 {
		t.Errorf("%d updates", n)
	}
}

// TestKeepTooLarge: all volumes fit, or none is written.
func TestKeepTooLarge(t *testing.T) {
	s := newSnapshots(t)
	a := accepted(t, strings.Repeat("x", 1<<20))
	s.wants(t, a.Hash)
	k := s.keeper(t, a)
	if err := s.keeps(bounded(t), t, k); err != nil || !strings.Contains(k.said(), `volume "web" has 1048706 bytes`) || strings.Count(k.said(), "volume") != 3 {
		t.Errorf("%v, said %q", err, k.said())
	}
	if n := s.puts(); n > 0 {
		t.Errorf("%d updates", n)
	}
}
