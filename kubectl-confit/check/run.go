package check

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"confit/kubectl-confit/cluster"
)

// Verdict is what came of a trial.
type Verdict int

// The verdicts.
const (
	Taken   Verdict = iota // the container would take it
	Refused                // it would refuse it
	Untried                // nobody knows
)

// Outcome is a verdict, and what confit and the validator said. The bytes are foreign, and values of Secrets may be in them:
// they are for [Mask] and status.Clean.
type Outcome struct {
	Verdict Verdict
	Printed []byte
	Why     string // one line, foreign too; "" if what is printed says it
}

// Bounds of what is kept of a trial's output: its end has the verdict.
const (
	mostLines = 200
	mostBytes = 1 << 20
)

// Runner carries trials out.
type Runner struct {
	Client  *cluster.Client
	Timeout time.Duration     // of one trial, from the request for its pod to the last word
	Say     func(line string) // is told what a trial waits for; foreign
}

// sharedMemory begins the state directory of a try beside a PID 1 whose own isn't in memory. Each container has /dev/shm; those
// of a pod share it.
const sharedMemory = "/dev/shm/confit-try-"

// stateInMemory says that PID 1's state directory is in memory, as far as the spec says where it is.
func (t *Trial) stateInMemory() bool {
	spec := containerOf(t.Pod, t.Container.Name)
	if spec == nil {
		return false
	}
	state, longest, name := path.Clean(cmp.Or(t.Container.State, "/run/confit"))+"/", 0, ""
	for _, m := range spec.VolumeMounts {
		if dir := path.Clean(m.MountPath) + "/"; strings.HasPrefix(state, dir) && len(dir) > longest {
			longest, name = len(dir), m.Name
		}
	}
	return slices.ContainsFunc(t.Pod.Spec.Volumes, func(v corev1.Volume) bool {
		return v.Name == name && v.EmptyDir != nil && v.EmptyDir.Medium == corev1.StorageMediumMemory
	})
}

// InPlace runs --try beside PID 1 of the trial's own pod.
func (r *Runner) InPlace(ctx context.Context, t *Trial, payload []byte) Outcome {
	c := t.Container
	words := slices.Concat(c.Words, c.Expand(c.Flags))
	if !t.stateInMemory() {
		words = append(words, "--state", sharedMemory+c.Name) // of several the last counts
	}
	words = append(words, "--try", "-")
	if len(c.App) > 0 {
		words = slices.Concat(words, []string{"--"}, c.Expand(c.App))
	}
	for _, word := range c.Expand(c.Flags) {
		if strings.Contains(word, "$(") {
			return Outcome{Untried, nil, fmt.Sprintf("its flag %q has a variable whose value isn't in the pod's spec: try it in a copy, without --in-place", word)}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, r.Timeout+cluster.DefaultTimeout) // with an API server that is away
	defer cancel()
	result, err := r.Client.Exec(ctx, cluster.Command{
		Pod: t.Pod.Name, Container: c.Name, Words: words, Stdin: payload, Timeout: r.Timeout, MaxOutput: mostBytes,
	})
	if err != nil {
		return Outcome{Untried, nil, err.Error()}
	}
	return ended(result.Code, tail(slices.Concat(result.Stdout, result.Stderr)))
}

// ended is the outcome that an exit code of --try stands for.
func ended(code int, printed []byte) Outcome {
	o := Outcome{Untried, printed, fmt.Sprintf("confit ended with exit code %d", code)}
	switch code {
	case 0:
		o.Verdict, o.Why = Taken, ""
	case 78:
		o.Verdict, o.Why = Refused, ""
	case 65, 71: // it has said why
		o.Why = ""
	case 64:
		o.Why = "confit doesn't know this command line; one that is older than this plugin doesn't know --try"
	case 137:
		o.Why = "confit was killed, perhaps for want of memory: exit code 137"
	}
	return o
}

// refusal is the line in which confit says why it would reject a candidate. It quotes the reason, which quotes a command.
var refusal = regexp.MustCompile(`(?m)^candidate rejected step=(\S+) reason=(".*")$\n?`)

// unquote takes confit's reason out of what was printed, as confit's status has it.
func (o *Outcome) unquote() {
	all := refusal.FindAllSubmatchIndex(o.Printed, -1)
	if o.Verdict != Refused || len(all) == 0 {
		return
	}
	at := all[len(all)-1] // a validator may print what it likes before
	step, quoted := string(o.Printed[at[2]:at[3]]), string(o.Printed[at[4]:at[5]])
	reason, err := strconv.Unquote(quoted)
	if err != nil {
		return
	}
	if !strings.HasPrefix(reason, step+" ") { // a hook is named by its step
		reason = step + ": " + reason
	}
	o.Why, o.Printed = reason, slices.Delete(o.Printed, at[0], at[1])
}

// tail is the end of a text, in whole lines.
func tail(text []byte) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-mostLines-1):], nil)
}
