package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// startLinks is how many links a start makes.
const startLinks = 10

// life is when a short life reached its marks, counted from its beginning, and how long its processes were on a processor.
type life struct{ first, end, ran samples }

// startUp measures what an init adds to the start of an app and to its end, as PID 1 of a fresh PID namespace. Each round
// begins as a new container does: without a state directory and without targets. The app's first act is to say the time;
// its own way there is in all figures, and the app alone shows how much that is. The end is the last process's, as whoever
// waits for a container sees it; it has no budget. The kernel frees inotify watches after an SRCU grace period, for which
// the end waits (fsnotify_destroy_group): a tenth of a millisecond or, where others use inotify in that moment, ten and more.
func (b *bench) startUp(rounds int) ([]row, error) {
	var ours, tini, plain life
	for range rounds {
		if err := b.liveUnderConfit(&ours); err != nil {
			return nil, err
		}
		if err := tini.live("tini", "--", b.self, "role:first"); err != nil {
			return nil, err
		}
		if err := plain.live(b.self, "role:first"); err != nil {
			return nil, err
		}
	}
	return []row{
		{"start-up to the app's first act, 10 links", milliseconds, ours.first.median(), tini.first.median(), "tini", budget{ratio, 2.75}},
		{"  the same beside the app alone", milliseconds, ours.first.median(), plain.first.median(), "no init", budget{}},
		{"  from there to the end of all", milliseconds, ours.end.median(), tini.end.median(), "tini", budget{}},
		{"  processor time of all", milliseconds, ours.ran.median(), tini.ran.median(), "tini", budget{ratio, 3}},
	}, nil
}

func (b *bench) liveUnderConfit(l *life) error {
	s, err := b.newSite(startLinks)
	if err != nil {
		return err
	}
	if err := s.linkEach(); err != nil {
		return err
	}
	return l.live(b.confitOn(s, []string{"--log-level", "warn"}, b.self, "role:first")...)
}

// live runs a program to its end as PID 1 of a PID namespace, without a box, which would cost more than what is measured. The
// program has no /proc of its own, which nothing here needs.
func (l *life) live(argv ...string) error {
	var said bytes.Buffer
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.Stdout, cmd.Stderr = &said, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID, Pdeathsig: unix.SIGKILL}
	begin := now()
	if err := cmd.Run(); err != nil {
		return err
	}
	end := now()
	first, err := parseStamp(strings.TrimSpace(said.String()))
	l.first.add(first - begin)
	l.end.add(end - first)
	l.ran.add(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())
	return err
}

// firstAct is the app whose start is measured.
func firstAct([]string) int {
	fmt.Println(stamp())
	return 0
}
