package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Scenes that need containers of their own.

// restarts: a container that starts again beside a bad edit goes on with what was accepted, and takes the next good one; so does one that was
// killed. A new pod has nothing to start on, and ends.
func restarts(p *pod) error {
	start := func() error { return p.start("/probe") }
	return first(
		func() error { return p.edit("r1") },
		start,
		func() error { return p.says("start r1") },
		p.accepted,
		func() error { return p.edit("bad2") },
		func() error { return p.shows(3) },
		func() error { return p.runs.signal("KILL") },
		func() error { return p.ends(137) },
		start,
		func() error { return p.says("start r1") },
		func() error { return p.shows(3) },
		func() error { return p.takes("r2") },
		func() error { return p.runs.signal("KILL") },
		func() error { return p.ends(137) },
		start,
		func() error { return p.says("start r2") },
		func() error { return p.shows(0) },
		func() error { p.stop(); return p.edit("bad3") },
		p.forget,
		start,
		func() error { return p.ends(78) })
}

// forget empties the state directory, as that of a new pod is.
func (p *pod) forget() error {
	all, err := filepath.Glob(p.path("state") + "/*")
	for _, name := range all {
		err = errors.Join(err, os.RemoveAll(name))
	}
	return err
}

// rollsBack: an edit that the app dies of is taken back in the same container.
func rollsBack(p *pod) error {
	return first(
		p.forget,
		func() error { return p.edit("b1") },
		func() error { return p.start("/probe") },
		func() error { return p.says("start b1") },
		p.accepted,
		func() error { return p.edit("deadly1") },
		func() error { return p.says("hup deadly1") },
		func() error {
			return p.until(func() (bool, string) { return p.times("start b1") == 2, "the app isn't started on what was accepted" })
		},
		func() error { return p.shows(3) },
		func() error { return p.takes("b2") })
}

// entrypoint: an edit doesn't end the work of a script in front of the app.
func entrypoint(p *pod) error {
	return first(
		func() error { p.stop(); return p.edit("n1") },
		func() error { return p.start("/bin/sh", "/entry.sh") },
		func() error { return p.says("works") },
		func() error { return p.edit("n2") },
		func() error { return os.WriteFile(p.path("ctl")+"/worked", nil, 0o644) },
		func() error { return p.says("worked") },
		func() error {
			return p.until(func() (bool, string) { return p.times("start n2")+p.times("hup n2") > 0, "the app hasn't the edit" })
		},
		func() error {
			if n := p.times("works"); n != 1 {
				return fmt.Errorf("the script worked %d times", n)
			}
			return nil
		})
}

// offDisks: what may be a Secret isn't copied to a disk.
func offDisks(p *pod) error {
	p.stop()
	p.lines = "link secret/token /etc/app/token reload=none\n"
	keep := p.environment.lines
	p.environment.lines = ""
	defer func() { p.lines, p.environment.lines = "", keep }()
	return first(
		p.forget,
		func() error { return p.edit("s1") },
		func() error { return os.WriteFile(p.path("secret")+"/token", []byte("t"), 0o644) },
		func() error { return p.start("/probe") },
		func() error { return p.ends(71) })
}

// autos tells what auto does to an app that takes HUP.
func autos(p *pod) (string, error) {
	p.stop()
	p.reload = "auto"
	defer func() { p.reload = "signal:HUP" }()
	how := ""
	err := first(
		p.forget,
		func() error { return p.edit("a1") },
		func() error { return p.start("/probe") },
		func() error { return p.says("start a1") },
		p.accepted,
		func() error { return p.edit("a2") },
		func() error {
			return p.until(func() (bool, string) {
				how = map[bool]string{true: "HUP", false: "restarts"}[p.times("hup a2") > 0]
				return p.times("hup a2")+p.times("start a2") > 0, "the app hasn't the edit"
			})
		})
	return how, err
}
