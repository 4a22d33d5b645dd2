package cli

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"confit/status"
)

// TestInMemory: the volumes are those of the status, two above the generation.
func TestInMemory(t *testing.T) {
	state := t.TempDir()
	if got := inMemory(state); got != nil {
		t.Errorf("without a status: %q", got)
	}
	s := status.Status{Volumes: []status.Volume{{Path: "/dev/shm"}, {Path: t.TempDir()}, {Path: "/nonexistent/web"}}}
	if err := os.WriteFile(filepath.Join(state, "status.json"), s.Encode(), 0o644); err != nil {
		t.Fatal(err)
	}
	generation := filepath.Join(state, "generations", "7")
	if err := os.MkdirAll(generation, 0o755); err != nil {
		t.Fatal(err)
	}
	hook(t, "CONFIT_CANDIDATE", generation)
	var f fleetFlags
	f.revision, f.podUID = "r1", "u1"
	me, err := f.replica()
	if err != nil {
		t.Fatal(err)
	}
	if got := source(me).InMemory; !slices.Equal(got, []string{"shm"}) {
		t.Errorf("got %q", got)
	}
}

// TestIsInMemory: what is mounted last on a path is what is seen there, and it may be a directory of its file system.
func TestIsInMemory(t *testing.T) {
	const mountinfo = `22 1 0:20 / / rw - overlay overlay rw
30 22 0:41 / /confit/tls ro,relatime - tmpfs tmpfs rw,size=131072k
31 22 0:30 /var/lib/kubelet/pods/1/volumes/web /confit/diskless ro - tmpfs tmpfs rw
32 22 0:42 / /confit/with\040blank\134 ro shared:4 - tmpfs tmpfs rw
33 22 0:43 / /confit/over ro - tmpfs tmpfs rw
34 33 8:1 / /confit/over ro - ext4 /dev/sda1 rw
35 22 0:44 / /confit/old ro - ramfs none rw
36 22 8:1 / /confit/disk ro - ext4 /dev/sda1 rw
`
	for path, want := range map[string]bool{
		"/confit/tls": true, "/confit/diskless": false, `/confit/with blank\`: true, "/confit/over": false, "/confit/old": true,
		"/confit/disk": false, "/confit/tls/sub": false, "/none": false,
	} {
		if got := isInMemory(mountinfo, path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
