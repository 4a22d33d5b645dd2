package snapshot

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPrivate: what may be a Secret goes into a Secret, whatever made it look so.
func TestPrivate(t *testing.T) {
	s, _ := staged(t)
	if err := os.Chmod(filepath.Join(s.Dir, "web/bin"), 0o440); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		volume   string
		inMemory bool
		want     string
	}{
		{"web", false, `volume "web" isn't for a ConfigMap, as not everybody may read its key "bin"; write --snapshot-secrets web, and let the manifest make a Secret`},
		{"tls", false, ""},
		{"tls", true, `volume "tls" isn't for a ConfigMap, as it is mounted from memory, as Secrets and projected volumes are; write --snapshot-secrets tls`},
	} {
		if s.InMemory = nil; tt.inMemory {
			s.InMemory = []string{tt.volume}
		}
		volumes, err := s.Read([]string{tt.volume})
		if err != nil {
			t.Fatal(err)
		}
		err = Object{Volume: tt.volume}.shown(volumes[tt.volume])
		if (err == nil) != (tt.want == "") || err != nil && !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.volume, err, tt.want)
		}
		if err := (Object{Volume: tt.volume, Secret: true}).shown(volumes[tt.volume]); err != nil {
			t.Errorf("%s as a Secret: %v", tt.volume, err)
		}
	}
}
