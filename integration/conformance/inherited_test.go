//go:build conformance

package conformance

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"confit/integration/internal/harness"
)

var inherited = []behaviour{
	{name: "the signal mask is passed on", try: mask,
		does: "an init started with TTIN, ILL and TERM blocked: the app's SigBlk in /proc is the same"},
	{name: "no signal is blocked that wasn't", try: noMask,
		does: "an init started with nothing blocked: nothing is in the app"},
	{name: "HUP and INT stay ignored", try: ignoring(syscall.SIGHUP, syscall.SIGINT),
		does: "an init started with both ignored, as by `nohup` and a shell's `&`: the app's SigIgn is the same"},
	{name: "other signals stay ignored", try: ignoring(syscall.SIGSEGV, syscall.SIGTTOU),
		does: "the same with SEGV and TTOU"},
	{name: "no signal is ignored that wasn't", try: noIgnored,
		does: "an init started with nothing ignored: nothing is in the app"},
	{name: "umask", try: umask, does: "027 in the app as in the init"},
	{name: "working directory of the app", try: directory, does: "the app starts where the init was started"},
	{name: "the init itself leaves for /", try: leavesDirectory,
		does: "/proc/1/cwd of the running init, so that it keeps no mount busy"},
	{name: "environment", try: environment, does: "the app's is the init's, no variable more or less; a NOTIFY_SOCKET is among them, as confit would offer one"},
	{name: "limit of open files", try: files, does: "a soft limit of 512: the app has the same, and the same hard one"},
	{name: "an extra descriptor is passed on", try: extraDescriptor, does: "a pipe as descriptor 3, which the app reads"},
	{name: "no descriptor of the init's own is passed on", try: noDescriptors, does: "/proc/self/fd of the app: 0, 1, 2 and the extra one"},
	{name: "the init lets go of the extra descriptor", try: letsGo, does: "once the app has closed it, who reads from its other end sees the end"},
}

func mask(s subject) error {
	return masks(s, "SigBlk", harness.Box{Blocked: []syscall.Signal{syscall.SIGTTIN, syscall.SIGILL, syscall.SIGTERM}})
}

func noMask(s subject) error { return masks(s, "SigBlk", harness.Box{}) }

func ignoring(signals ...syscall.Signal) func(subject) error {
	return func(s subject) error { return masks(s, "SigIgn", harness.Box{Ignored: signals}) }
}

func noIgnored(s subject) error { return masks(s, "SigIgn", harness.Box{}) }

// masks compares a line of /proc/PID/status with what the box was made with.
func masks(s subject, field string, b harness.Box) error {
	p := s.start(in(b), "cat", "/proc/self/status") // not grep, which catches SEGV
	if err := p.exits(0); err != nil {
		return err
	}
	_, line, _ := strings.Cut(p.Text("stdout"), field+":")
	var want, got uint64
	for _, sig := range append(b.Blocked, b.Ignored...) {
		want |= 1 << (sig - 1)
	}
	if _, err := fmt.Sscanf(line, "%x", &got); err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("%s is %s instead of %s", field, numbers(got), numbers(want))
	}
	return nil
}

// numbers lists the signals in a mask.
func numbers(set uint64) string {
	var list []string
	for sig := 1; sig <= 64; sig++ {
		if set&(1<<(sig-1)) != 0 {
			list = append(list, fmt.Sprint(sig))
		}
	}
	if list == nil {
		return "empty"
	}
	return strings.Join(list, " ")
}

func umask(s subject) error {
	return prints(s, in(harness.Box{Umask: 0o027}), "0027\n", "sh", "-c", "umask")
}

func directory(s subject) error {
	return prints(s, setup{Command: harness.Command{Dir: "/usr/share"}}, "/usr/share\n", "/bin/pwd", "-P")
}

func leavesDirectory(s subject) error {
	p := s.start(setup{Command: harness.Command{Dir: "/usr/share"}}, "sh", "-c", "echo ready; exec sleep 7654321")
	if err := p.says("ready\n"); err != nil {
		return err
	}
	cwd := p.Proc("cwd")
	// It may do so after it has started the app; one that never does sits still by then.
	where := func() string { path, _ := os.Readlink(cwd); return path }
	for range 1000 {
		if where() == "/" {
			return nil
		}
		<-time.After(harness.PollInterval)
	}
	return errors.New("it stays where it was started")
}

func environment(s subject) error {
	env := []string{"PATH=/usr/bin:/bin", "EMPTY=", "LINES=a\tb", "HOME=/root", "TERM=dumb", "LANG=C",
		"NOTIFY_SOCKET=/run/somebody/else"} // without one confit offers its own
	p := s.start(setup{Command: harness.Command{Env: env}}, "env")
	if err := p.exits(0); err != nil {
		return err
	}
	got := strings.Split(strings.TrimSuffix(p.Text("stdout"), "\n"), "\n")
	slices.Sort(got)
	slices.Sort(env)
	if !slices.Equal(got, env) {
		return errors.New("the environment is another")
	}
	return nil
}

func files(s subject) error {
	var limit syscall.Rlimit
	mustDo(s.t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	return prints(s, in(harness.Box{NoFile: 512}), fmt.Sprintf("512\n%d\n", limit.Max), "sh", "-c", "ulimit -Sn; ulimit -Hn")
}

func extraDescriptor(s subject) error {
	return prints(s, setup{Command: harness.Command{Files: extra(s)}}, "passed on\n", "sh", "-c", "cat <&3")
}

func noDescriptors(s subject) error {
	const script = `opendir D, "/proc/self/fd"; print join(" ", sort grep { /\d/ && $_ != fileno D } readdir D), "\n"`
	return prints(s, setup{Command: harness.Command{Files: extra(s)}}, "0 1 2 3\n", "perl", "-e", script)
}

// letsGo passes on the writing end of a pipe. The app closes it to say that it is ready.
func letsGo(s subject) error {
	r, w, err := os.Pipe()
	mustDo(s.t, err)
	defer r.Close()
	p := s.start(setup{Command: harness.Command{Files: []*os.File{w}}}, "sh", "-c", "exec 3>&-; echo closed; exec sleep 7654321")
	mustDo(s.t, w.Close())
	if err := p.says("closed\n"); err != nil {
		return err
	}
	for range 1000 {
		mustDo(s.t, r.SetReadDeadline(time.Now().Add(harness.PollInterval)))
		if _, err := r.Read(make([]byte, 1)); errors.Is(err, io.EOF) {
			return nil
		}
	}
	return errors.New("it keeps it open")
}

// extra is the end of a pipe that something was written to.
func extra(s subject) []*os.File {
	r, w, err := os.Pipe()
	mustDo(s.t, err)
	s.t.Cleanup(func() { r.Close() })
	_, err = w.WriteString("passed on\n")
	mustDo(s.t, err, w.Close())
	return []*os.File{r}
}
