//go:build check

package storm

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// pod is a container with three volumes and a small state directory. Like the kubelet it starts the container again whenever that ends.
type pod struct {
	t     *testing.T
	rand  *rand.Rand
	dir   string
	state string

	volumes map[string]*harness.Volume
	mounted combination
	history history
	edits   int

	box        harness.Box
	init       *harness.Init
	transcript *harness.Transcript
	starts     int
	mayEnd     map[int]bool // exit codes that something which was done explains
	frozen     bool         // the app is stopped

	most [3]int // files, threads and KiB of confit at a rest

	disturbed bool // since the last rest
	excused   bool // something else than the last edit may have kept the app from proving it
	done      map[string]int
	diary     harness.Transcript
}

func newPod(t *testing.T, seed uint64) *pod {
	dir := t.TempDir()
	p := &pod{
		t: t, rand: rand.New(rand.NewPCG(seed, 0)), dir: dir, state: filepath.Join(dir, "state"),
		volumes: map[string]*harness.Volume{}, mounted: combination{}, history: history{was: map[string]combination{}},
		done: map[string]int{},
	}
	p.mountState()
	for _, name := range []string{"a", "b", "c"} {
		p.openVolume(name)
	}
	for name, text := range map[string]string{"links": links(dir), "render": renderer, "validate": validator, "gate": gate, "report": report} {
		p.must(os.WriteFile(p.path(name), []byte(text), 0o644))
	}
	p.edit(good, p.names()...)
	p.start()
	t.Cleanup(func() { p.init.Close() })
	p.rest()
	return p
}

// links has each way in which a key reaches a target, and each way of a reload.
func links(dir string) string {
	return fmt.Sprintf(`link a/one %[1]s/etc/a-one
link a/two %[1]s/etc/a-two
link b/* %[1]s/etc/b/
link c/ %[1]s/etc/c reload=restart
link {rendered}/all %[1]s/etc/all
reload signal:HUP
render sh %[1]s/render
validate sh %[1]s/validate {candidate}
gate sh %[1]s/gate
report sh %[1]s/report
hook-timeout 2s
probation 200ms
soak 2s
retry 1s
rescan 1s
drain-timeout 1s
`, dir)
}

// targets are where the app reads: two of each volume, and the rendered file.
func (p *pod) targets() []string {
	return []string{"a-one", "a-two", "b/one", "b/two", "c/one", "c/two", "all"}
}

// mountState makes the state directory so small that it can be filled. The suite's mount namespace takes it away.
func (p *pod) mountState() {
	p.must(os.Mkdir(p.state, 0o755))
	p.must(unix.Mount("tmpfs", p.state, "tmpfs", 0, "size=1m,nr_inodes=300,mode=0755"))
	p.t.Cleanup(func() { _ = unix.Unmount(p.state, unix.MNT_DETACH) })
}

func (p *pod) openVolume(name string) {
	dir := p.path("volumes", name)
	p.must(os.MkdirAll(dir, 0o755))
	v, err := harness.OpenVolume(programs.kubelet, dir)
	p.must(err)
	p.t.Cleanup(func() { _ = v.Close() })
	p.volumes[name] = v
}

func (p *pod) path(elements ...string) string {
	return filepath.Join(append([]string{p.dir}, elements...)...)
}

func (p *pod) names() []string { return slices.Sorted(maps.Keys(p.volumes)) }

func (p *pod) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// note writes into the diary, which a failed storm shows.
func (p *pod) note(format string, args ...any) {
	fmt.Fprintf(p.diary.Stream("storm"), format+"\n", args...)
}

// start starts the container.
func (p *pod) start() {
	p.starts++
	p.mayEnd = map[int]bool{deadlyCode: isMortal(p.mounted.String()) || p.keepsMortal()} // after its probation
	p.frozen = false
	p.transcript = &harness.Transcript{}
	argv := append(p.command(), "--", programs.daemon, p.path("said"))
	for _, target := range p.targets() {
		argv = append(argv, p.path("etc", target))
	}
	var err error
	p.init, err = harness.Command{
		Box: p.box, Argv: argv, Env: []string{"PATH=" + os.Getenv("PATH"), harness.RoleVariable + "=daemon"}, Dir: p.dir,
		Stdout: p.transcript.Stream("stdout"), Stderr: p.transcript.Stream("stderr"),
	}.Start()
	p.must(err)
	p.awaitConfit()
}

// command is confit's, without the app.
func (p *pod) command() []string {
	return []string{programs.confit, "--links", p.path("links"), "--volumes", p.path("volumes"), "--state", p.state}
}

// awaitConfit waits until confit is what runs in the box. Signals that come earlier end what sets the box up.
func (p *pod) awaitConfit() {
	harness.Poll(p.t.Context(), func() bool { return p.transcript.Contains("confit started") || !p.init.Alive() })
}

// restart starts the container again if it has ended, and checks that it had a reason to.
func (p *pod) restart() {
	if p.init.Alive() {
		return
	}
	p.note("the container ended: %v", p.init.State())
	if !p.mayEnd[p.init.State().ExitCode()] {
		p.fail("the container ended (%v), and nothing explains that", p.init.State())
	}
	for _, fault := range []string{"panic: ", "fatal error: ", "broke down"} {
		if p.transcript.Contains(fault) {
			p.fail("the container said %q", fault)
		}
	}
	p.tally()
	p.init.Close()
	p.start()
}

// ways are what confit says where it goes a way that few containers go.
var ways = []string{
	"app died before its generation soaked", "going down the ladder", "starting on a lower rung", "step=soak reason", "back to the top of the ladder",
}

// tally counts which of these the container has gone.
func (p *pod) tally() {
	for _, said := range ways {
		p.done[fmt.Sprintf("times %q", said)] += len(p.transcript.Lines(said))
	}
}

// explain says which exit codes a fault may bring about.
func (p *pod) explain(codes ...int) {
	for _, code := range codes {
		p.mayEnd[code] = true
	}
	p.disturbed, p.excused = true, true
}

// end waits until the container has ended, and starts it again.
func (p *pod) end() {
	if !harness.Poll(p.t.Context(), func() bool { return !p.init.Alive() }) {
		p.fail("the container did not end within %v; its processes: %v", harness.Patience, p.init.Processes())
	}
	p.restart()
}

// app is the process of the app, if it runs.
func (p *pod) app() (found harness.Process, ok bool) {
	for _, q := range p.init.Processes() {
		if strings.HasPrefix(q.Command, programs.daemon) {
			return q, true
		}
	}
	return found, false
}

// signalApp sends the app a signal, if it runs.
func (p *pod) signalApp(sig syscall.Signal) {
	if app, ok := p.app(); ok {
		_ = syscall.Kill(app.PID, sig)
	}
}

// wait lets the pod go on for a random time.
func (p *pod) wait(most time.Duration) {
	select {
	case <-time.After(time.Duration(p.rand.Int64N(int64(most)))):
	case <-p.init.Ended():
	}
}

// fail shows what was done, and what the container said.
func (p *pod) fail(format string, args ...any) {
	p.t.Helper()
	p.t.Fatalf("%s\nwhat was done:\n%s\nthe container:\n%s\nits status: %s", fmt.Sprintf(format, args...), &p.diary, p.transcript, p.status().text)
}
