package signals

// Disposition is what a process does with a signal.
type Disposition int

// The dispositions, as far as they can be seen.
const (
	Unknown Disposition = iota // there is no /proc, or the process is gone
	Default                    // no handler: signal(7) says what happens
	Ignored                    // the signal is dropped
	Caught                     // the process has a handler
	Waited                     // no handler, but the process seems to wait for it: see waited.go; [Pending] tells afterwards
)

// String is the disposition's name for logs.
func (d Disposition) String() string {
	return [...]string{"unknown", "default", "ignored", "caught", "waited"}[d]
}

// DispositionOf looks what the process does with the signal now: SigCgt and
// SigIgn of proc_pid_status(5), and SigBlk of each thread.
func DispositionOf(pid int, sig Signal) Disposition {
	return dispositionOf(pid, sig, blockedAtEntry)
}

func dispositionOf(pid int, sig Signal, inherited set) Disposition {
	d := dispositionIn(statusOf(pid), sig)
	if d == Default && waited(pid, sig, inherited) {
		return Waited
	}
	return d
}

func dispositionIn(status string, sig Signal) Disposition {
	caught, ok1 := mask(status, "SigCgt:")
	ignored, ok2 := mask(status, "SigIgn:")
	switch {
	case !ok1 || !ok2:
		return Unknown
	case caught.has(sig):
		return Caught
	case ignored.has(sig):
		return Ignored
	}
	return Default
}

// Pending reports whether a signal that was sent to the process still waits to
// be taken: ShdPnd of proc_pid_status(5). It is not ok when the kernel doesn't say.
func Pending(pid int, sig Signal) (pending, ok bool) {
	waiting, ok := mask(statusOf(pid), "ShdPnd:")
	return waiting.has(sig), ok
}
