package signals

import (
	"os"
	"runtime"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/testenv"
)

// survived is the exit code of a process that its signal didn't end.
const survived = 42

// suffer sends itself a signal for which it has no handler. It sends it to its
// own thread, so the signal has its effect before the call returns, and there is
// nothing to wait for.
func suffer() {
	runtime.LockOSThread()
	n, err := strconv.Atoi(os.Args[1])
	must(err)
	sig := Signal(n)
	must(unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)) // no core file of each of ten
	if !uncatchable(sig) {
		must(testenv.SetAction(sig, testenv.Default))
	}
	must(unix.Tgkill(os.Getpid(), unix.Gettid(), sig))
	os.Exit(survived)
}

// TestEndsByDefault asks the kernel, for every signal.
func TestEndsByDefault(t *testing.T) {
	t.Parallel()
	for _, sig := range everySignal() {
		t.Run(Name(sig), func(t *testing.T) {
			t.Parallel()
			if ends := endsReally(t, sig); ends != EndsByDefault(sig) {
				t.Errorf("the signal ends a process: %v; EndsByDefault says %v", ends, EndsByDefault(sig))
			}
		})
	}
}

func endsReally(t *testing.T, sig Signal) bool {
	cmd := asRole("suffer", strconv.Itoa(int(sig)))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var status unix.WaitStatus
	for {
		if _, err := unix.Wait4(cmd.Process.Pid, &status, unix.WUNTRACED, nil); err == nil {
			break
		} else if err != unix.EINTR {
			t.Fatal(err)
		}
	}
	switch {
	case status.Signaled() && status.Signal() == sig:
		return true
	case status.Stopped():
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return false
	case status.Exited() && status.ExitStatus() == survived:
		return false
	}
	t.Fatalf("the child ended with status %#x", status)
	return false
}
