package notify

import (
	"os"
	"testing"
)

// TestRenew: once its name is gone, or somebody else's, the socket doesn't hold it; renewed, it does, and what is sent then is heard, as before.
func TestRenew(t *testing.T) {
	t.Parallel()
	s := newSocket(t)
	for _, spoil := range []func() error{
		func() error { return nil },
		func() error { return os.Remove(s.path) },
		func() error { return os.Rename(s.path, s.path+".mine") },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(s.path); s.Holds() != (err == nil) {
			t.Errorf("it holds its name: %v (%v)", s.Holds(), err)
		}
		if !s.Holds() {
			if err := s.Renew(); err != nil || !s.Holds() {
				t.Fatalf("renewed: %v", err)
			}
		}
		if err := transmit(s.path, "READY=1"); err != nil {
			t.Fatal(err)
		}
		if m := next(t, s); m.State != Ready || m.PID != os.Getpid() {
			t.Errorf("heard %+v", m)
		}
	}
}
