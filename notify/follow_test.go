package notify

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestListenFollowsNothing: somebody who may write to the directory puts a link in
// the socket's place as fast as possible. The file that it leads to keeps its mode.
func TestListenFollowsNothing(t *testing.T) {
	dir := t.TempDir()
	victim, path := filepath.Join(dir, "victim"), filepath.Join(dir, "notify")
	if err := os.WriteFile(victim, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Symlink(victim, path+".tmp")
			_ = os.Rename(path+".tmp", path)
			_ = os.Remove(path)
		}
	}()
	heard := 0
	for range 2000 {
		if s, err := Listen(path); err == nil {
			heard++
			_ = s.close()
		}
		if info, err := os.Stat(victim); err != nil || info.Mode() != 0o600 {
			t.Fatalf("the victim is %v (%v)", info.Mode(), err)
		}
	}
	close(stop)
	<-stopped
	if heard == 0 {
		t.Error("no socket was ever made")
	}
}

// TestListenForAll: the socket has its mode from the first moment on, whatever the
// umask is, and the umask is restored.
func TestListenForAll(t *testing.T) {
	former := syscall.Umask(0o077)
	defer syscall.Umask(former)
	path := filepath.Join(t.TempDir(), "notify")
	s, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.close() }()
	if info, err := os.Stat(path); err != nil || info.Mode() != os.ModeSocket|0o666 {
		t.Errorf("the socket is %v (%v)", info.Mode(), err)
	}
	if mask := syscall.Umask(0o077); mask != 0o077 {
		t.Errorf("the umask is %o", mask)
	}
}
