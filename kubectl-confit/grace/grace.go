// Package grace compares the time that a pod has to end with the time that confit takes until a script at the
// entrypoint is asked to.
//
// It knows no clock and no API: it reads a spec, and makes a sentence.
package grace

import (
	"fmt"
	"math"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"

	"confit/kubectl-confit/pods"
)

// graceSeconds are those of a pod that doesn't say how long it has to end.
const graceSeconds = 30

// confit's defaults, and how long before --stop-timeout is over a script gets TERM.
const (
	stopTimeout       = "30s"
	entrypointTimeout = "30m"
	lastChance        = 5 * time.Second
)

// Late says that KILL comes before confit ends a script at the entrypoint, which a stop waits for, and what to write
// instead. It is "" if KILL doesn't, or nobody knows: a value that isn't in the spec may be anything. What a links file
// says isn't seen. The container has confit, or will.
func Late(grace *int64, spec *corev1.Container) string {
	stop, by := pods.SettingOf(spec, "stop-timeout", stopTimeout)
	look, _ := pods.SettingOf(spec, "entrypoint-timeout", entrypointTimeout)
	longest, err := time.ParseDuration(stop)
	looks, wrong := time.ParseDuration(look)
	if err != nil || longest < 0 || wrong != nil || looks == 0 {
		return ""
	}
	seconds, is := int64(graceSeconds), ""
	if grace != nil {
		seconds = *grace
	}
	if seconds == graceSeconds { // the API server writes that where nothing was said
		is = ", the default"
	}
	term := max(longest-lastChance, longest/2).Seconds()
	if float64(seconds) > term {
		return ""
	}
	why, instead := by+" "+stop, by
	if by == "" {
		why, instead = "--stop-timeout "+stop+", the default", "CONFIT_STOP_TIMEOUT"
	}
	text := fmt.Sprintf("terminationGracePeriodSeconds is %d%s, and a script at the entrypoint gets the TERM of a stop after "+
		"%ss (%s): KILL comes first; write terminationGracePeriodSeconds: %.f or more",
		seconds, is, strconv.FormatFloat(term, 'f', -1, 64), why, max(1, math.Ceil(longest.Seconds())))
	if seconds > 0 {
		text += fmt.Sprintf(", or %s %ds or less", instead, seconds)
	}
	return text
}
