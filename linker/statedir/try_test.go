package statedir

import (
	"errors"
	"os"
	"sync"
	"testing"

	"confit/linker/safedir"
)

// TestTriesAtTheSameMoment: each of many tries has a directory of its own until it ends, whoever sweeps meanwhile, and
// none is left.
func TestTriesAtTheSameMoment(t *testing.T) {
	state := t.TempDir() + "/state"
	s, err := open(state)
	if err != nil {
		t.Fatal(err)
	}
	var tries, sweeper sync.WaitGroup
	over := make(chan struct{})
	sweeper.Go(func() {
		for {
			s.SweepTries()
			select {
			case <-over:
				return
			default:
			}
		}
	})
	for range 4 {
		tries.Go(func() {
			for range 100 {
				oneTry(t, state)
			}
		})
	}
	tries.Wait()
	close(over)
	sweeper.Wait()
	if _, err := os.Lstat(state + "/try"); !os.IsNotExist(err) {
		t.Errorf("the directory of all tries is left: %v", err)
	}
}

func oneTry(t *testing.T, state string) {
	try, err := OpenTry(state)
	if err != nil {
		t.Error(err)
		return
	}
	defer try.End()
	own := try.GenerationDir(1)
	if err := safedir.Made(try.Generations.Make("1", 0o755)); err != nil {
		t.Errorf("swept while it ran: %v", err)
	}
	for range 20 {
		if _, err := os.Lstat(own); err != nil {
			t.Errorf("swept while it ran: %v", err)
			return
		}
	}
}

// TestSweepTries: what has no lock goes, and that is told, and so do a stranger's files; what has a lock stays.
func TestSweepTries(t *testing.T) {
	state := t.TempDir()
	try, err := OpenTry(state)
	if err != nil {
		t.Fatal(err)
	}
	s, err := open(state)
	if err != nil {
		t.Fatal(err)
	}
	if s.SweepTries() {
		t.Error("a try that runs was swept")
	}
	if info, err := os.Lstat(state + "/try"); err != nil || info.Mode().Perm() != tryMode {
		t.Errorf("%v, %v", info, err)
	}
	try.Lock.Close() // as the kernel does when it is killed
	if err := errors.Join(os.WriteFile(state+"/try/file", nil, 0o644), os.Symlink("/etc", state+"/try/link")); err != nil {
		t.Fatal(err)
	}
	if !s.SweepTries() || s.SweepTries() {
		t.Error("what a killed try left isn't found once")
	}
	if entries, _ := os.ReadDir(state); len(entries) != 0 {
		t.Errorf("left: %v", entries)
	}
}
