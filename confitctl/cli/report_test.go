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
