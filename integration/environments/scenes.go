package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// scene is one promise, as it is tried in every environment. Those of one life share a container.
type scene struct {
	name   string
	ofInit bool // another init keeps it, too
	play   func(p *pod) (figure string, err error)
}

// plain makes a scene of what gives no figure.
func plain(f func(p *pod) error) func(*pod) (string, error) {
	return func(p *pod) (string, error) { return "", f(p) }
}

// scenes are in the order of the table's columns.
var scenes = []scene{
	{"start", false, plain(begins)},
	{"edit", false, plain(edits)},
	{"refuse", false, plain(refuses)},
	{"cover", false, plain(covers)},
	{"touch", false, plain(touches)},
	{"no way out", false, plain(staysIn)},
	{"500 orphans", true, plain(reaps)},
	{"signals", true, plain(signals)},
	{"notify", false, plain(notifies)},
	{"hook hangs", false, plain(hangs)},
	{"try", false, plain(tries)},
	{"RSS, MiB", true, sizes},
	{"TERM", true, plain(terminates)},
	{"restart", false, plain(restarts)},
	{"roll back", false, plain(rollsBack)},
	{"entrypoint", false, plain(entrypoint)},
	{"exit codes", true, plain(exitCodes)},
	{"Secret off disks", false, plain(offDisks)},
	{"auto", false, autos},
}

// first does some things until one fails.
func first(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func begins(p *pod) error {
	if p.refused {
		return first(
			func() error { return p.edit("e1") },
			func() error { return p.start("/probe") },
			func() error { return p.ends(71) })
	}
	return first(
		func() error { return p.edit("e1") },
		func() error { return p.start("/probe") },
		func() error { return p.says("start e1") },
		p.accepted,
		func() error { return p.shows(0) })
}

func edits(p *pod) error {
	err := p.takes("e2")
	if err == nil && p.times("start e2") > 0 {
		err = errors.New("the app was restarted")
	}
	return err
}

func refuses(p *pod) error {
	return first(
		func() error { return p.edit("bad1") },
		func() error { return p.shows(3) },
		func() error { return p.answers("read /etc/app/key", "e2") },
		func() error { return p.edit("e2") },
		func() error { return p.shows(0) },
		func() error { return p.takes("e3") })
}

func covers(p *pod) error {
	covered := func(want string) func() error {
		return func() error {
			return p.until(func() (bool, string) {
				got, err := p.ask("read /etc/app/covered")
				return err == nil && got == want, fmt.Sprintf("/etc/app/covered holds %q, not %q", got, want)
			})
		}
	}
	return first(
		func() error { return p.edit("e3", "covered=c1") },
		covered("c1"),
		func() error { return p.edit("e3") },
		covered("image"),
		func() error { return p.answers("put /etc/app/key", "<nil>") },
		func() error { return p.takes("e4") },
		func() error { return p.answers("read /etc/app/key", "e4") })
}

func touches(p *pod) error {
	was := p.times("hup e4")
	err := first(
		func() error { return p.edit("e4", "touched=t1") },
		func() error { return p.says("touched t1") },
		func() error { return p.edit("e4", "touched=t2") },
		func() error { return p.says("touched t2") },
		p.accepted)
	if err == nil && p.times("hup e4") > was {
		err = errors.New("the app got HUP")
	}
	return err
}

// staysIn: a link in a volume that leads out of it is refused.
func staysIn(p *pod) error {
	link := filepath.Join(p.path("plain"), "d")
	return first(
		func() error { return os.Symlink("../../outside", link) },
		func() error { return p.shows(3) },
		func() error { return p.answers("read /etc/app/out", "open /etc/app/out: no such file or directory") },
		func() error { return os.Remove(link) },
		func() error { return p.shows(0) })
}

func reaps(p *pod) error { return p.answers("orphans "+strconv.Itoa(p.orphans), "0") }

func signals(p *pod) error {
	if err := p.runs.signal("USR1"); err != nil {
		return err
	}
	return p.says("usr1")
}

func notifies(p *pod) error {
	return first(
		func() error { return p.answers("notify STATUS=well", "<nil>") },
		func() error {
			return p.until(func() (bool, string) {
				s, err := p.status()
				return err == nil && s.App.Text == "well", fmt.Sprintf("confit has heard %q", s.App.Text)
			})
		})
}

func hangs(p *pod) error {
	return first(
		func() error { return p.edit("hang1") },
		func() error { return p.shows(3) },
		signalsAgain(p),
		func() error { return p.takes("e5") },
		func() error { return p.shows(0) })
}

// signalsAgain: signals don't wait for a hook.
func signalsAgain(p *pod) func() error {
	return func() error { return p.answers("read /etc/app/key", "e4") }
}

func tries(p *pod) error {
	const try = `confit --try - --state /dev/shm/try < {"web": {"key": "%s"}}`
	return first(
		func() error { return p.answers(fmt.Sprintf(try, "Z29vZA=="), "0") },
		func() error { return p.answers(fmt.Sprintf(try, "YmFkCg=="), "78") })
}

func sizes(p *pod) (string, error) {
	kib, err := p.ask("size")
	n, wrong := strconv.Atoi(kib)
	for _, bound := range []int{16, 32, 64} { // coarse, so that each run writes the same
		if n < bound<<10 {
			return fmt.Sprint("< ", bound), errors.Join(err, wrong)
		}
	}
	return "", fmt.Errorf("%d KiB are resident", n)
}

func terminates(p *pod) error {
	return first(
		func() error { return p.runs.signal("TERM") },
		func() error { return p.ends(7) },
		func() error { return p.says("term") })
}

// proved waits until the edition is accepted, as in its probation it would be rolled back. Another init accepts none.
func (p *pod) proved() error {
	if p.counter {
		return nil
	}
	return p.accepted()
}

// exitCodes: the container ends with the app's code.
func exitCodes(p *pod) error {
	p.lines = "soak 0\n"
	defer func() { p.lines = "" }()
	for what, code := range map[string]int{"exit 3": 3, "exit 0": 0, "die": 137} {
		err := first(
			func() error { return p.start("/probe") },
			func() error {
				return p.until(func() (bool, string) {
					return strings.Contains(strings.Join(p.said()[p.heard:], "\n"), "start "), "the app doesn't start"
				})
			},
			p.proved,
			func() error { _, err := p.ask(what); return err },
			func() error { return p.ends(code) })
		if err != nil {
			return err
		}
	}
	return nil
}
