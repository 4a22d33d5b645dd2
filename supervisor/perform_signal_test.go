package supervisor

import (
	"bufio"
	"os/exec"
	"testing"

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
			l := &loop{Supervisor: Supervisor{Config: &config.Config{}}, entry: entry{proc: entrypoint.NewProc("/proc", "/", "")}}
			tt.signal.PID = shellWith(t, tt.text)
			if got := l.takes(tt.signal); got != tt.want {
				t.Errorf("takes %v: %v", tt.signal, got)
			}
		})
	}
}

// shellWith is a bash that has done what a text says, and reads on.
func shellWith(t *testing.T, text string) (pid int) {
	t.Helper()
	cmd := exec.Command("bash", "-c", text+"; echo ready; read line; exit 0")
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}
