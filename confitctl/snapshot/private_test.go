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

// TestInMemory: a Secret is a file system of its own. A ConfigMap of a node without a disk is
// a directory of a larger one.
func TestInMemory(t *testing.T) {
	const mounts = `22 1 0:20 / / rw - overlay overlay rw
30 22 0:41 / /confit/tls ro,relatime - tmpfs tmpfs rw,size=131072k
31 22 8:1 /var/lib/kubelet/pods/1/volumes/web /confit/web ro - ext4 /dev/sda1 rw
32 22 0:30 /var/lib/kubelet/pods/1/volumes/web /confit/diskless ro - tmpfs tmpfs rw
33 22 0:42 / /confit/with\040blank ro shared:4 - tmpfs tmpfs rw
34 22 0:43 / /confit/over ro - tmpfs tmpfs rw
35 34 8:1 /other /confit/over ro - ext4 /dev/sda1 rw
`
	for dir, want := range map[string]bool{
		"/confit/tls": true, "/confit/web": false, "/confit/diskless": false, "/confit/with blank": true, "/confit/over": false,
		"/confit/tls/sub": false, "/none": false,
	} {
		if got := InMemory(mounts, dir); got != want {
			t.Errorf("%s: %v", dir, got)
		}
	}
}
