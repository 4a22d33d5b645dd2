package supervisor

import (
	"fmt"
	"slices"
	"strings"

	"confit/config"
	"confit/linker"
	"confit/process"
)

// hook is the hook that runs. Its end has two halves, which come in any order: the
// reaper brings its status, the pipe the tail of its output.
type hook struct {
	pid    int // 0 once it was reaped
	output *process.Output
	status process.Status
	tail   string
	halves int
}

func (l *loop) runHook(a runHook) event {
	out, err := process.NewOutput()
	if err != nil {
		return hookStartFailed{err}
	}
	c := l.withVariables(l.App, a.candidate.Generation)
	c.Args, c.Env = fill(a.command, a.candidate), hookEnv(c.Env, a.candidate)
	pid, err := l.family.StartHook(c, out.Writer())
	if err != nil {
		out.Close()
		return hookStartFailed{err}
	}
	l.hook = hook{pid: pid, output: out}
	out.Relay(l.Stderr, func(tail string) { l.spoken <- tail })
	return hookBegun{}
}

// fill puts the candidate's directories in the placeholders' places.
func fill(command []string, c linker.Candidate) []string {
	filled := make([]string, len(command))
	for i, w := range command {
		if c.Unrendered {
			w = strings.ReplaceAll(w, linker.Rendered, c.RenderDir())
		}
		filled[i] = strings.ReplaceAll(w, placeholder, c.Dir)
	}
	return filled
}

// maxVariable bounds CONFIT_CHANGED, in bytes: from 128 KiB on (MAX_ARG_STRLEN)
// execve(2) would refuse to start the hook at all.
const maxVariable = 64 << 10

// hookEnv is the app's environment, and what the hook is about. It leaves out a
// list of changed keys that is too long.
func hookEnv(env []string, c linker.Candidate) []string {
	keys := make([]string, len(c.Changes))
	for i, change := range c.Changes {
		keys[i] = string(change.Key)
	}
	changed := strings.Join(keys, "\n")
	if len(changed) > maxVariable {
		changed = ""
	}
	if env = slices.Clone(env); c.Unrendered {
		env = append(env, config.RenderedVariable+"="+c.RenderDir())
	}
	return append(env,
		config.CandidateVariable+"="+c.Dir,
		fmt.Sprintf("%s=%d", config.GenerationVariable, c.Number),
		config.ChangedVariable+"="+changed)
}

func (h *hook) ended(s process.Status) event {
	h.status, h.pid = s, 0 // the number may be somebody else's from now on
	h.output.Ended()
	return h.half()
}

func (h *hook) spoke(tail string) event {
	h.tail = tail
	return h.half()
}

func (h *hook) half() event {
	if h.halves++; h.halves < 2 {
		return nil
	}
	return hookEnded{h.status, h.tail}
}
