package signals

// Disposition is what a process does with a signal.
type Disposition int

const (
	// Unknown: the kernel didn't say (no /proc, or the process is gone).
	Unknown Disposition = iota
	// Default: no handler; signal(7) tells what happens.
	Default
	// Ignored: the signal is dropped.
	Ignored
	// Caught: the process has a handler.
	Caught
	// Waited: it has none, but takes the signal all the same, see waited.go. That
	// it does so can't be seen beforehand: [Pending] tells afterwards.
	Waited
)

// String is the disposition's name for logs.
func (d Disposition) String() string {
	return [...]string{"unknown", "default", "ignored", "caught", "waited"}[d]
}

// DispositionOf reads from /proc/PID/status what the process does with the
// signal now: the masks SigCgt and SigIgn of proc_pid_status(5), and of each
// thread SigBlk.
func DispositionOf(pid int, sig Signal) Disposition {
	return dispositionOf(pid, sig, blockedAtEntry)
}

func dispositionOf(pid int, sig Signal, inherited uint64) Disposition {
	d := dispositionIn(statusOf(pid), sig)
	if d == Default && waited(pid, sig, inherited) {
		return Waited
	}
	return d
}

// Pending reports whether the signal was sent to the process and nobody has
// taken it yet: ShdPnd of proc_pid_status(5). It is false, false when the kernel
// doesn't say.
func Pending(pid int, sig Signal) (pending, ok bool) {
	set, ok := mask(statusOf(pid), "ShdPnd:")
	return set&bit(sig) != 0, ok
}

func dispositionIn(status []byte, sig Signal) Disposition {
	caught, ok1 := mask(status, "SigCgt:")
	ignored, ok2 := mask(status, "SigIgn:")
	switch {
	case !ok1 || !ok2:
		return Unknown
	case caught&bit(sig) != 0:
		return Caught
	case ignored&bit(sig) != 0:
		return Ignored
	}
	return Default
}
