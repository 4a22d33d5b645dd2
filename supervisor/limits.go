package supervisor

import "time"

// gatePatience is how long the app's first start waits for the gate, as something else is there to
// start on; and how long a gate may take to end when a newer swap made its answer worthless.
const gatePatience = 5 * time.Second

// readyTimeout is how long an app may take to say the READY=1 that it announced.
// EXTEND_TIMEOUT_USEC= gives it more. It is systemd's default, DefaultTimeoutStartSec= of
// systemd-system.conf(5).
const readyTimeout = 90 * time.Second

// verifyPause is the wait between two attempts of the verify hook.
const verifyPause = 500 * time.Millisecond

// readWait is how long an app may take to open what has changed after a reload: some finish their
// work first.
const readWait = 30 * time.Second

// linkerPatience is how long the linker may work before the log says so: a mount may hang, as NFS
// does.
const linkerPatience = 30 * time.Second

// What a former confit left is read again as often as readPause says, and for readPatience, where
// it can't be read now: the app waits.
const (
	readPause    = 500 * time.Millisecond
	readPatience = 5 * time.Second
)

// ReadAgain waits before that is read again, and reports whether it is to be.
func ReadAgain() func() bool {
	left := int(readPatience / readPause)
	return func() bool {
		if left--; left >= 0 {
			time.Sleep(readPause)
		}
		return left >= 0
	}
}

// holdTime is how long a verdict on the app's death is held. A preStop hook ends the app (nginx -s
// quit), and TERM comes a moment later: then nobody is to blame. The roll back itself doesn't wait.
const holdTime = time.Second

// settleFactor bounds how long quiet may be waited for, in settle times.
const settleFactor = 10

// shortHash is how many digits of a hash the log shows.
const shortHash = 12

// maxKills is how often confit may be killed while it tries a generation: once may be the node's
// doing, the second time the generation is blamed.
const maxKills = 2

// maxBound bounds CONFIT_BOUND of a relapse.
const maxBound = 24 * time.Hour

// restartPatience is how long the kubelet waits at most before it starts a container again.
const restartPatience = 5 * time.Minute

// earliest is the first of the times that are set.
func earliest(times ...time.Time) (first time.Time) {
	for _, t := range times {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
