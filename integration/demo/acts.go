package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// The pages are those that the configurations of the acts serve; the first stands in nginx.conf.
const (
	firstPage  = "The first edition."
	secondPage = "The second edition."
	thirdPage  = "The third edition."
)

// show is the demo: the acts in their order. Each shows a thing and checks it.
type show struct {
	screen
	ctx       context.Context
	image     image
	container *container
	conf      string // what the volume holds
	pid       int    // nginx's, from the first act
	workers   []int  // nginx's, before the last change
}

func (s *show) play(version string) error {
	s.prologue(version)
	for _, act := range []func() error{s.start, s.edit, s.breakIt, s.fix, s.stop} {
		s.pause(s.ctx)
		err := context.Cause(s.ctx) // ^C, while the reader was reading
		if err == nil {
			err = act()
		}
		if err != nil {
			return s.explain(err)
		}
	}
	return nil
}

// explain ends the container and adds the words it had left.
func (s *show) explain(err error) error {
	if s.container == nil {
		return err
	}
	s.container.Kill()
	if lines := s.container.take(); len(lines) > 0 {
		s.log(lines)
	}
	return err
}

func (s *show) prologue(version string) {
	s.print(bold, "confit: nginx in a container, and a ConfigMap that changes")
	s.say("The container has " + version + ", confit as PID 1, and a ConfigMap volume at /confit/web, written as the" +
		" kubelet writes it. The links file says which key goes where, and how a change is checked:")
	s.command("cat /etc/confit/links", strings.Split(strings.TrimSpace(links), "\n")...)
	s.command("cat /confit/web/nginx.conf", strings.Split(strings.TrimSpace(firstConf), "\n")...)
}

// start is the first act: confit checks the configuration, links it to where nginx looks, and starts nginx.
func (s *show) start() error {
	s.act("1. The start", "confit checks the configuration, links it to where nginx looks for it, and starts nginx.")
	s.conf = firstConf
	if err := s.write(); err != nil {
		return err
	}
	var err error
	s.container, err = s.image.start(s.ctx, "/usr/local/bin/confit", "--", "nginx", "-g", "daemon off;")
	if err != nil {
		return err
	}
	s.command("confit -- nginx -g 'daemon off;'")
	if err := s.served(firstPage); err != nil {
		return err
	}
	s.log(s.container.take())
	to, err := os.Readlink(s.image.in(configFile))
	if err != nil {
		return fmt.Errorf("confit made no link: %w", err)
	}
	s.command("readlink "+configFile, to)
	s.showPage(firstPage)
	if s.pid, err = s.container.nginxPID(); err != nil {
		return err
	}
	s.note(fmt.Sprintf("nginx is process %d.", s.pid))
	return nil
}

// edit is the second act: a good edit, served without a restart.
func (s *show) edit() error {
	s.act("2. An edit", "The kubelet swaps the volume. confit checks the new generation, publishes it, and tells nginx to reload.")
	if err := s.change(line(firstPage), line(secondPage)); err != nil {
		return err
	}
	if err := s.reloaded(secondPage); err != nil {
		return err
	}
	s.log(s.container.take())
	s.showPage(secondPage)
	return s.sameNginx()
}

// breakIt is the third act: an edit that nginx can't read. Left to itself, nginx would go on until its next start, and then
// not come up.
func (s *show) breakIt() error {
	s.act("3. A broken edit", "The same way, with a slip of the pen. The check fails: nothing is published, nginx isn't reloaded.")
	if err := s.change(line(secondPage), misspelt(line(thirdPage))); err != nil {
		return err
	}
	if err := s.until("a rejection", func() bool { return s.container.says(`msg="candidate rejected"`) }); err != nil {
		return err
	}
	if !s.container.says(`unknown directive "retrun"`) {
		return errors.New("nginx's own message is not in the log")
	}
	s.log(s.container.take())
	if err := s.stillServed(secondPage); err != nil {
		return err
	}
	s.showPage(secondPage)
	return s.sameNginx()
}

// fix is the fourth act: nothing has to be reset after a broken edit.
func (s *show) fix() error {
	s.act("4. The edit, fixed", "A later edit is checked like any other: nothing has to be reset or restarted.")
	if err := s.change(misspelt(line(thirdPage)), line(thirdPage)); err != nil {
		return err
	}
	if err := s.reloaded(thirdPage); err != nil {
		return err
	}
	s.log(s.container.take())
	s.showPage(thirdPage)
	return s.sameNginx()
}

// stop is the last act: what a runtime does at the end of a pod.
func (s *show) stop() error {
	s.act("5. The stop", "A pod ends with TERM to PID 1. nginx gets QUIT, its graceful stop; its exit code is the container's.")
	s.command("kubectl delete pod …", "(here: kill -TERM 1)")
	if err := s.container.Send(syscall.SIGTERM); err != nil {
		return fmt.Errorf("cannot send TERM: %w", err)
	}
	select {
	case <-s.container.Ended():
	case <-time.After(patience):
		return fmt.Errorf("nginx did not stop within %v", patience)
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
	s.log(s.container.take())
	code := s.container.State().ExitCode()
	s.note(fmt.Sprintf("Exit code %d.", code))
	if code != 0 {
		return fmt.Errorf("confit ended with %v, want exit code 0", s.container.State())
	}
	return nil
}
