package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// environment is a row of the table: what runs a container, and where.
type environment struct {
	name     string
	needs    []string // programs without which it can't be had here
	init     []string // process 1, and what stands in front of the app's command
	rootfs   string
	secrets  string // a directory in memory. It is mounted before podman's namespace of a user is made, which sees no later mount
	base     string // what that is a copy of; "": it is built
	goarch   string // of confit and the probe; "": this machine's
	kubelet  string
	lines    string // of the links file, which this environment needs
	orphans  int
	patience time.Duration
	run      func(*box) (container, error)
	skips    map[string]string // scenes that it can't have, with the reason
	counter  bool              // another init stands in confit's place
	memory   int64             // the limit of containers, in bytes, by cgroups of version 2; 0: none
	pids     string            // the namespace of processes that containers share; "": each has its own
	fixed    bool              // the volume never changes
	refused  bool              // only the state directory lies on the place, and confit refuses it
	setUp    func(*environment, string) (place string, end func(), err error)
}

// box is one container.
type box struct {
	name, dir, rootfs string
	pids              string
	memory            int64
	mounts            []mount
	args              []string
}

type mount struct {
	host, inside string
	writable     bool
}

// container is one that was started.
type container interface {
	signal(name string) error // to process 1
	wait(patience time.Duration) (code int, err error)
	ended() bool
	log() string // its end, for an error
}

// outcome is a cell of the table.
type outcome struct {
	Scene  string
	Figure string `json:",omitempty"`
	Err    string `json:",omitempty"`
	Skip   string `json:",omitempty"`
}

// play plays all scenes in one environment.
func (e *environment) play(dir string) (all []outcome) {
	place, end := "", func() {}
	if e.setUp != nil {
		var err error
		if place, end, err = e.setUp(e, dir); err != nil {
			return []outcome{{Scene: "start", Err: err.Error()}}
		}
	}
	defer end()
	p, err := newPod(e, filepath.Join(dir, "pod"), place)
	if err != nil {
		return []outcome{{Scene: "start", Err: err.Error()}}
	}
	defer p.end()
	for _, s := range scenes {
		if why, skipped := e.skips[s.name]; skipped {
			all = append(all, outcome{Scene: s.name, Skip: why})
			continue
		}
		began := time.Now()
		figure, err := s.play(p)
		o := outcome{Scene: s.name, Figure: figure}
		if err != nil {
			o.Err = err.Error()
		}
		all = append(all, o)
		fmt.Fprintf(os.Stderr, "%s: %s: %s (%.1f s)\n", e.name, s.name, o.text(), time.Since(began).Seconds())
	}
	return all
}

// text is a cell's text.
func (o outcome) text() string {
	switch {
	case o.Skip != "":
		return "– " + o.Skip
	case o.Err != "":
		return "✘ " + o.Err
	}
	return strings.TrimSpace("✔ " + o.Figure)
}
