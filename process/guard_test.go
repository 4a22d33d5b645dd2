package process

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestGuardedOnce: what has a guard gets no second one, also where an emulator has replaced the name by which it was started.
func TestGuardedOnce(t *testing.T) {
	alone(t, func(t *testing.T) {
		if os.Args[0] == self {
			os.Args[0] = "/usr/local/bin/confit"
			if NeedsGuard() {
				t.Error("a guarded process needs a guard")
			}
			if env := strings.Join(Environ(), " "); strings.Contains(env, "CONFIT") {
				t.Errorf("hooks would get %s", env)
			}
			return
		}
		if !NeedsGuard() {
			t.Fatal("a process needs no guard")
		}
		pid, err := StartGuarded(Command{Env: os.Environ()})
		if err != nil {
			t.Fatal(err)
		}
		var ws unix.WaitStatus
		for err = unix.EINTR; err == unix.EINTR; {
			_, err = unix.Wait4(pid, &ws, 0, nil)
		}
		if err != nil || ws.ExitStatus() != 0 {
			t.Errorf("error %v, code %d", err, ws.ExitStatus())
		}
	})
}
