package try

import (
	"confit/linker"
	"confit/process"
	"confit/signals"
)

// guard has the try done by a process of its own. Whichever of the two is killed, the other one is
// left to end what hooks have started, and to remove the files.
func (t *Try) guard() (code int, err error) {
	_ = process.BecomeSubreaper() // then what a killed try leaves is this one's
	pid, err := process.StartGuarded(t.App)
	if err != nil {
		return process.StartCode(err), err
	}
	for family := process.NewFamily(); ; {
		select {
		case <-t.Inbox.Children:
			ended, killed := false, false
			family.Reap(func(int) {}, func(x process.Exit) {
				if x.PID == pid {
					ended, killed, code = true, x.Status.Signal() != 0, x.Status.ExitCode()
				}
			})
			if killed {
				t.clean()
			}
			if ended {
				return code, nil
			}
		case <-t.Inbox.Hints():
			if sig, ok := t.Inbox.Receive(); ok && ends(sig) {
				_ = process.Kill(pid, sig)
			}
		}
	}
}

// clean ends and removes what a try has left that was killed. To open another one sweeps its files.
func (t *Try) clean() {
	process.EndLeftovers(0, signals.KILL, false, 0)
	if aside, err := linker.OpenTry(t.Linker, ""); err == nil {
		aside.End()
	}
}
