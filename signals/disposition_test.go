package signals

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/testenv"
)

// planned is what the process in the role dispose does with a signal. In turn it
// catches one, ignores one, and leaves one to the default.
func planned(sig Signal) Disposition {
	switch {
	case uncatchable(sig):
		return Default
	case sig >= 32 && sig <= 34: // the C library and the Go runtime have their say
		return Unknown
	}
	return [...]Disposition{Caught, Ignored, Default}[sig%3]
}

// dispose sets its dispositions, says so, and waits for its end.
func dispose() {
	signal.Notify(make(chan os.Signal, 1))
	for _, sig := range everySignal() {
		switch planned(sig) {
		case Ignored:
			must(testenv.SetAction(sig, testenv.Ignore))
		case Default:
			if !uncatchable(sig) {
				must(testenv.SetAction(sig, testenv.Default))
			}
		}
	}
	stay()
}

// stay says that all is set up, and waits for its end.
func stay() {
	fmt.Println("ready")
	_, _ = io.ReadAll(os.Stdin)
}

func TestDispositionOf(t *testing.T) {
	t.Parallel()
	pid := begin(t, asRole("dispose")).pid()
	for _, sig := range everySignal() {
		want := planned(sig)
		if got := DispositionOf(pid, sig); got != want && want != Unknown {
			t.Errorf("%s: %v, want %v", Name(sig), got, want)
		}
	}
}

// TestDispositionOfShell follows an entrypoint script through its exec: handlers
// go with the program, ignored signals stay ignored (execve(2)).
func TestDispositionOfShell(t *testing.T) {
	t.Parallel()
	const traps = `trap : USR1; trap "" HUP; `
	script := begin(t, exec.Command("sh", "-c", traps+`echo ready; read x; exit 0`)).pid()
	program := begin(t, exec.Command("sh", "-c", traps+`exec sh -c 'echo ready; read x; exit 0'`)).pid()
	for _, tt := range []struct {
		sig             Signal
		script, program Disposition
	}{
		{unix.SIGUSR1, Caught, Default}, {unix.SIGHUP, Ignored, Ignored}, {unix.SIGUSR2, Default, Default},
	} {
		if got := DispositionOf(script, tt.sig); got != tt.script {
			t.Errorf("the script's %s: %v, want %v", Name(tt.sig), got, tt.script)
		}
		if got := DispositionOf(program, tt.sig); got != tt.program {
			t.Errorf("%s after exec: %v, want %v", Name(tt.sig), got, tt.program)
		}
	}
}

// TestDispositionOfNobody: a pid above any pid_max (2²², proc_sys_kernel(5)),
// and what is no pid.
func TestDispositionOfNobody(t *testing.T) {
	t.Parallel()
	for _, pid := range []int{1 << 30, 0, -1} {
		if got := DispositionOf(pid, unix.SIGHUP); got != Unknown {
			t.Errorf("pid %d: %v", pid, got)
		}
	}
}

// spoofed is a name that looks like a mask; a name has 15 bytes at most.
const spoofed = "x\nSigCgt:\tffff"

// spoof takes that name and ignores HUP.
func spoof() {
	must(os.WriteFile("/proc/self/comm", []byte(spoofed), 0))
	must(testenv.SetAction(unix.SIGHUP, testenv.Ignore))
	stay()
}

// TestDispositionIsNotSpoofed: in /proc/PID/status the name of a process stands
// above its masks, but its line breaks are escaped.
func TestDispositionIsNotSpoofed(t *testing.T) {
	t.Parallel()
	pid := begin(t, asRole("spoof")).pid()
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil || !strings.HasPrefix(string(name), spoofed) {
		t.Fatalf("the child's name is %q, %v", name, err)
	}
	if got := DispositionOf(pid, unix.SIGHUP); got != Ignored {
		t.Errorf("got %v", got)
	}
}

// TestMasks: what stands in the status of a process, and what doesn't.
func TestMasks(t *testing.T) {
	t.Parallel()
	const ign, cgt = "SigIgn:\t0000000000000001\n", "SigCgt:\t8000000000000004\n"
	for _, tt := range []struct {
		status string
		sig    Signal
		want   Disposition
	}{
		{"Name:\tx\n" + ign + cgt + "CapInh:\t0\n", 1, Ignored},
		{cgt + ign, 3, Caught},
		{cgt + ign, 64, Caught},
		{cgt + ign, 2, Default},
		{"SigIgn:\t4\nSigCgt:\t4", 3, Caught},
		{ign, 1, Unknown},
		{cgt, 3, Unknown},
		{"", 1, Unknown},
		{"SigIgn:\t\n" + cgt, 3, Unknown},
		{"SigIgn:\txyz\n" + cgt, 3, Unknown},
		{"SigIgn:\t10000000000000000\n" + cgt, 3, Unknown}, // 65 bits
		{"XSigIgn:\t0\n" + cgt, 3, Unknown},
	} {
		if got := dispositionIn(tt.status, tt.sig); got != tt.want {
			t.Errorf("%q, signal %d: %v, want %v", tt.status, tt.sig, got, tt.want)
		}
	}
}
