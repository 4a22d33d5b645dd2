//go:build check

package storm

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// act is a fault, or something that users and the platform do all the time. Of all acts a share of weight is this one.
type act struct {
	name   string
	weight int
	do     func(p *pod)
}

var acts = []act{
	{"edits", 40, (*pod).editSome},
	{"floods of edits", 8, (*pod).flood},
	{"waits", 15, func(p *pod) { p.wait(600 * time.Millisecond) }},
	{"signals", 8, (*pod).signals},
	{"crowds of orphans", 5, (*pod).orphans},
	{"stopped apps", 4, (*pod).freeze},
	{"crashes of the app", 6, (*pod).crashApp},
	{"crashes of confit", 6, (*pod).crash},
	{"stops", 5, (*pod).stop},
	{"full disks", 5, (*pod).fillDisk},
	{"refusals of inotify", 4, (*pod).refuseInotify},
	{"volumes away", 5, (*pod).takeVolume},
	{"tries", 6, (*pod).try},
	{"closed gates", 5, func(p *pod) { p.leave(closed) }},
	{"deaf reports", 5, func(p *pod) { p.leave(deaf) }},
}

// chosen are the acts of this storm. The clock is the whole machine's, so it is stepped only when that is asked for.
func chosen() []act {
	if !*clock {
		return acts
	}
	return append(slices.Clone(acts), act{"steps of the clock", 2, (*pod).stepClock})
}

// disturb does one act, which the seed decides.
func (p *pod) disturb() {
	p.restart()
	sum := 0
	for _, a := range chosen() {
		sum += a.weight
	}
	n := p.rand.IntN(sum)
	for _, a := range chosen() {
		if n -= a.weight; n < 0 {
			p.note("%s", a.name)
			p.done[a.name]++
			a.do(p)
			return
		}
	}
}

// some are one to all volumes.
func (p *pod) some() []string {
	names := p.names()
	p.rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names[:1+p.rand.IntN(len(names))]
}

// anyFate is good more often than not.
func (p *pod) anyFate() fate {
	if p.rand.IntN(5) < 3 {
		return good
	}
	return bad[p.rand.IntN(len(bad))]
}

func (p *pod) editSome() {
	f := p.anyFate()
	if isMortal(string(f)) {
		p.mayEnd[deadlyCode] = true // when the app reads it after its probation
	}
	p.edit(f, p.some()...)
}

func (p *pod) flood() {
	for range 2 + p.rand.IntN(30) {
		p.editSome()
	}
}

// signals ends an app that has no handler yet, as it would without confit.
func (p *pod) signals() {
	p.explain(128+int(unix.SIGHUP), 128+int(unix.SIGUSR2))
	sig := []syscall.Signal{unix.SIGHUP, unix.SIGUSR2, unix.SIGWINCH, unix.SIGCONT}[p.rand.IntN(4)]
	for range 1 + p.rand.IntN(50) {
		_ = p.init.Send(sig)
	}
}

// orphans has the app leave orphans. It ends one that has no handler yet, too.
func (p *pod) orphans() {
	p.explain(128 + int(unix.SIGUSR1))
	p.signalApp(unix.SIGUSR1)
}

// freeze stops the app until the end of the disturbance.
func (p *pod) freeze() {
	p.signalApp(unix.SIGSTOP)
	p.frozen = true
}

func (p *pod) crashApp() {
	p.explain(128 + int(unix.SIGKILL))
	p.signalApp(unix.SIGKILL)
}

// crash kills confit, and the whole container with it.
func (p *pod) crash() {
	p.explain(-1)
	p.init.Kill()
	p.restart()
}

// stop ends the container as the kubelet does. It ends with the app's code, or with TERM's where there is no app.
func (p *pod) stop() {
	p.explain(0, 128+int(unix.SIGTERM))
	p.thaw()
	_ = p.init.Send(unix.SIGTERM)
	p.end()
}

// fillDisk leaves no room in the state directory.
func (p *pod) fillDisk() {
	p.explain(process71, process78)
	ballast, err := os.Create(p.path(ballast))
	if err != nil {
		return // it is full
	}
	defer ballast.Close()
	for size := 1 << 16; size > 0; {
		if _, err := ballast.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}

// Exit codes of confit, of sysexits.h: the system refused something, and the configuration can't be used.
const process71, process78 = 71, 78

// What is left until the end of the disturbance: what fills the state directory, and what closes the gate and the report's ears.
const (
	ballast = "state/ballast"
	closed  = "closed"
	deaf    = "deaf"
)

func (p *pod) leave(name string) { p.must(os.WriteFile(p.path(name), nil, 0o644)) }

// try asks what would come of another edit, beside the app. A full disk may keep it from that, or its renderer, and the container's end.
func (p *pod) try() {
	f := p.anyFate()
	dir := p.path("try")
	for _, name := range p.names() {
		p.must(os.MkdirAll(filepath.Join(dir, name), 0o755))
		for _, key := range []string{"one", "two"} {
			p.must(os.WriteFile(filepath.Join(dir, name, key), []byte("0-"+f+"\n"), 0o644))
		}
	}
	want, argv := process78, append(p.command(), "--try", dir)
	if (combination{"": string(f)}).isReadable() {
		want, argv = 0, append(argv, "--hook-timeout", "1m") // no hook hangs, and a busy machine may need seconds
	}
	c := p.init.Visit(append([]string{"-p", "-m"}, argv...)...)
	said, err := c.CombinedOutput()
	_, full := os.Lstat(p.path(ballast))
	code := c.ProcessState.ExitCode()
	if code == want || full == nil && (code == process71 || code == process78) {
		return
	}
	if !harness.Poll(p.t.Context(), func() bool { return !p.init.Alive() }) { // its end takes the try along
		p.fail("a try of %s ended with %v, want %d:\n%s", f, err, want, said)
	}
}

// refuseInotify starts the container with a kernel that has no inotify for it, or one that has it again.
func (p *pod) refuseInotify() {
	p.box.Refused = nil
	if p.rand.IntN(3) > 0 {
		p.box.Refused = harness.Refuse(unix.EMFILE, unix.SYS_INOTIFY_INIT1)
	}
	p.stop()
}

// takeVolume removes a volume's content, as a node does that failed to write it.
func (p *pod) takeVolume() {
	p.explain(process71, process78)
	p.must(p.volumes[p.names()[p.rand.IntN(len(p.volumes))]].Empty())
}

// stepClock sets the machine's clock for a moment.
func (p *pod) stepClock() {
	step := time.Duration(1-2*p.rand.IntN(2)) * time.Hour
	p.must(setClock(step))
	p.wait(300 * time.Millisecond)
	p.must(setClock(-step))
}

func setClock(step time.Duration) error {
	now := unix.NsecToTimespec(time.Now().Add(step).UnixNano())
	return unix.ClockSettime(unix.CLOCK_REALTIME, &now)
}

// fix takes back what disturbs.
func (p *pod) fix() {
	for _, left := range []string{ballast, closed, deaf} {
		_ = os.Remove(p.path(left))
	}
	p.thaw()
	for _, name := range p.names() {
		if _, err := os.Lstat(filepath.Join(p.volumes[name].Dir, "..data")); err != nil {
			p.write(name)
		}
	}
}

func (p *pod) thaw() {
	if p.frozen {
		p.signalApp(unix.SIGCONT)
	}
	p.frozen = false
}
