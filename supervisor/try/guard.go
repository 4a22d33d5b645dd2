package try

import (
	"time"

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
				endHooks()
				if aside, err := linker.OpenTry(t.Linker, "", nil, nil); err == nil { // which sweeps the files of the one that was killed
					aside.End()
				}
			}
			if ended {
				return code, nil
			}
		case <-t.Inbox.Hints():
			if sig, ok := t.Inbox.Receive(); ok {
				_ = process.Kill(pid, sig)
			}
		}
	}
}

// endHooks ends what hooks have left. Who forks meanwhile may be missed once, and who was killed stays until it is reaped.
func endHooks() {
	family := process.NewFamily()
	for by := time.Now().Add(time.Second); process.EndLeftovers(0, signals.KILL, false, 0) && time.Now().Before(by); time.Sleep(time.Millisecond) {
		family.Reap(func(int) {}, func(process.Exit) {})
	}
}
