package process

import (
	"fmt"
	"strings"
	"testing"
)

// TestEveryStatus: each of the 65,536 has an exit code, after the macros of wait(2).
// If the low seven bits are 0, it is the code; otherwise they are the signal, unless
// all are set, which means stopped.
func TestEveryStatus(t *testing.T) {
	t.Parallel()
	for s := range Status(1 << 16) {
		code, low := s.ExitCode(), int(s&0x7f)
		switch {
		case code < 0 || code > 255:
			t.Fatalf("%#x: exit code %d", s, code)
		case low == 0:
			checkExited(t, s, int(s>>8)&0xff)
		case low != 0x7f:
			checkSignalled(t, s, low)
		case s.Signal() != 0 || s.Success():
			t.Fatalf("%#x is of a stopped process: signal %d, success %v", s, s.Signal(), s.Success())
		}
	}
}

func checkExited(t *testing.T, s Status, code int) {
	if s.ExitCode() != code || s.Signal() != 0 || s.String() != fmt.Sprint("exit ", code) {
		t.Fatalf("%#x: %v, code %d, signal %d, want exit %d", s, s, s.ExitCode(), s.Signal(), code)
	}
	if clean := code == 0 && s&0x80 == 0; s.Success() != clean { // the kernel sets bit 7 with a signal only
		t.Fatalf("%#x: success %v", s, s.Success())
	}
}

func checkSignalled(t *testing.T, s Status, sig int) {
	if s.ExitCode() != 128+sig || int(s.Signal()) != sig || s.Success() || s.String() != fmt.Sprint("signal ", sig) {
		t.Fatalf("%#x: %v, code %d, signal %d, want signal %d", s, s, s.ExitCode(), s.Signal(), sig)
	}
}

// TestRealStatuses: all 256 codes, and every signal that ends a process, as
// the shell reports them of the same children.
func TestRealStatuses(t *testing.T) {
	alone(t, func(t *testing.T) {
		n := newNursery(t)
		want := map[int]string{}
		for code := range 256 {
			want[n.app(shellScript(fmt.Sprint("exit ", code))...)] = fmt.Sprint("exit ", code)
		}
		for _, sig := range strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 24 25 26 27 29 30 31 34 50 64") {
			want[n.app(shellScript("ulimit -c 0; kill -"+sig+" $$")...)] = "signal " + sig
		}
		n.until("all have ended", func() bool { return len(n.ends) == len(want) })
		for pid, how := range want {
			n.wantEnd(pid, how)
		}
	})
}
