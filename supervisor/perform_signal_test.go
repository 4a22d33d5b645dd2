package supervisor

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"confit/config"
	"confit/process/entrypoint"
	"confit/signals"
	"confit/supervisor/app"
)

// What a shell catches by a trap, whatever its text names, is a stop that lands. INT it catches for itself, and a HUP that waits is for a
// handler of the text.
func TestTakes(t *testing.T) {
	stop := func(s signals.Signal) app.Deliver { return app.Deliver{Signal: s, Late: signals.TERM} }
	held := app.Deliver{Signal: signals.HUP}
	signal.Notify(make(chan os.Signal, 1), signals.HUP) // which nohup has ignored, and bash traps nothing that it was started with ignored
	defer signal.Reset(signals.HUP)
	for _, tt := range []struct {
		name, text string
		signal     app.Deliver
		want       bool
	}{
		{"no trap", ":", stop(signals.TERM), true},
		{"a trap", "trap : TERM", stop(signals.TERM), true},
		{"a trap by a variable", "for s in TERM; do trap : $s; done", stop(signals.TERM), true},
		{"a trap for EXIT", "trap : EXIT", stop(signals.TERM), true},
		{"an empty trap", "trap '' TERM", stop(signals.TERM), false},
		{"INT and a trap for EXIT", "trap : EXIT", stop(signals.INT), false},
		{"a trap for INT", "trap : INT", stop(signals.INT), true},
		{"QUIT, which bash ignores", ":", stop(signals.QUIT), false},
		{"HUP", ":", held, false},
		{"HUP and a trap for EXIT", "trap : EXIT", held, false},
		{"a trap for HUP", "trap : HUP", held, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.signal.PID = ready(t, "bash", tt.text+"; echo ready; read line; exit 0")
			if got := newTaker().takes(&delivery{Deliver: tt.signal}); got != tt.want {
				t.Errorf("takes %v: %v", tt.signal, got)
			}
		})
	}
}

// Who forks blocks all signals for a moment: what is blocked then would be lost.
func TestTakes_blocked(t *testing.T) {
	t.Parallel()
	const blocks = "import signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH]); print(flush=True); sys.stdin.readline()"
	d := delivery{Deliver: app.Deliver{PID: ready(t, "python3", blocks), Signal: unix.SIGWINCH, Late: signals.TERM}}
	for look, want := range []bool{false, true, true} {
		if got := newTaker().takes(&d); got != want {
			t.Errorf("look %d: takes WINCH: %v", look, got)
		}
	}
}

// An init hands a signal on to its first child, and takes none before that is there: a child without a handler would drop it.
func TestTakes_behind_an_init(t *testing.T) {
	t.Parallel()
	init := filepath.Join(t.TempDir(), "tini")
	if err := exec.Command("cp", "/bin/bash", init).Run(); err != nil { // no other process of this one can hold it open
		t.Fatal(err)
	}
	const child = `exec 3<&0; bash -c 'trap : WINCH; until [ $(wc -w </proc/$PPID/task/$PPID/children) = %d ]; do :; done; echo ready; read line <&3; :' & `
	for text, want := range map[string]bool{
		"trap : WINCH; echo ready; read line":  false,
		fmt.Sprintf(child+"wait", 1):           true,
		fmt.Sprintf(child+"cat <&3 & wait", 2): true, // it was given an orphan
	} {
		if got := newTaker().takes(&delivery{Deliver: app.Deliver{PID: ready(t, init, text), Signal: unix.SIGWINCH, Late: signals.TERM}}); got != want {
			t.Errorf("%s: takes WINCH: %v", text, got)
		}
	}
}

// newTaker is a loop that looks at processes.
func newTaker() *loop {
	return &loop{Supervisor: Supervisor{Config: &config.Config{}}, entry: entry{proc: entrypoint.NewProc("/proc", "/", "")}}
}

// ready is a shell that has said so. It ends with the test, and so does what reads its input.
func ready(t *testing.T, shell, text string) (pid int) {
	t.Helper()
	cmd := exec.Command(shell, "-c", text)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}
