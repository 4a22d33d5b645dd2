package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// scene is what is shown in a namespace of its name.
type scene struct {
	name, heading string
	show          func(*stage) error
	section       string // of the page, all of whose code is used
	alone         bool
}

// scenes are all that is shown. Most are shown together, the longest first. Those that need the node for themselves come last, one
// after the other.
var scenes = []scene{
	{name: "fleet", heading: "The example of a fleet: edits that one replica tries first", show: showFleet},
	{name: "inject", heading: "Automatic injection: the pods of others follow edits, too", show: showInject},
	{name: "database", heading: "A StatefulSet's database: an edit, and a roll-out, while its entrypoint makes it", show: showDatabase},
	{name: "example", heading: "The example: edits good and bad, beside subPath", show: showExample},
	{name: "kustomize", heading: "The component of kustomize, and names with hashes", show: showKustomize},
	{name: "page-subpath", heading: "The page: from subPath to confit", show: showMove, section: moveSection},
	{name: "page-script", heading: "The page: an entrypoint script", show: showScript, section: scriptSection},
	{name: "page-install", heading: "The page: an init container", show: showInstall, section: "Images that aren't rebuilt"},
	{name: "page-locked", heading: "The page: no rights, and a Secret", show: showLocked, section: lockedSection},
	{name: "page-time", heading: "The page: an edit that is hurried", show: showHurry, section: "How long a change takes"},
	{name: "monitoring", heading: "The example's Deployment with the exporter beside it", show: showMonitoring},
	{name: "keys", heading: "Keys that come and go", show: showKeys},
	{name: "volumes", heading: "ConfigMaps that come and go: optional, deleted, immutable", show: showVolumes},
	{name: "subpath", heading: "subPath beside confit, through a restart of the container", show: showSubPath},
	{name: "shared", heading: "shareProcessNamespace: confit isn't PID 1", show: showShared},
	{name: "late", heading: "An app that dies of an edit late", show: showLate},
	{name: "stop", heading: "The grace period: a slow stop, and one that is too slow", show: showStop},
	{name: "refusals", heading: "Pods that refuse to start, and say why", show: showRefusals},
	{name: "pairs", heading: "Injected pods beside plain ones, in all pairs of what a pod may have", show: showPairs, alone: true},
	{name: "latency", heading: "How long an edit takes", show: showLatency, alone: true},
	{name: "sync", heading: "Five volumes that are edited at once", show: showSync, alone: true},
	{name: "kubelet", heading: "The kubelet is killed in the midst of swaps", show: showKubelet, alone: true},
	{name: "verdict", heading: "A verdict in seconds: kubectl confit", show: showVerdict, alone: true},
	{name: "trouble", heading: "An edit that kills late, and an API server that is away: kubectl confit", show: showTrouble, alone: true},
}

// together is how many scenes are shown at a time.
const together = 4

// playScenes shows all, or the one that was asked for, and returns what went wrong in any.
func (n *node) playScenes() error {
	page, err := readPages(n.Source)
	wrong := []error{err, page.covered()}
	var lock sync.Mutex // of wrong, and of the output
	play := func(i int) {
		evidence, err := n.play(i)
		lock.Lock()
		defer lock.Unlock()
		fmt.Print(evidence)
		wrong = append(wrong, err)
	}
	var all sync.WaitGroup
	places := make(chan struct{}, together)
	for i, s := range scenes {
		switch {
		case n.Only != "" && n.Only != s.name:
		case s.alone:
			all.Wait()
			wrong = append(wrong, n.quiet())
			play(i)
		default:
			places <- struct{}{}
			all.Go(func() { play(i); <-places })
		}
	}
	all.Wait()
	fmt.Println()
	return errors.Join(wrong...)
}

// play shows one scene.
func (n *node) play(i int) (evidence string, err error) {
	begin := time.Now()
	s, err := n.enter(scenes[i].name)
	if err != nil {
		return "", err
	}
	if s.page, err = readPages(n.Source); err != nil {
		return "", err
	}
	s.section = s.page.section(scenes[i].section)
	if err = scenes[i].show(s); err == nil {
		err = s.section.done()
	}
	if err != nil {
		s.explain()
		err = fmt.Errorf("scene %s: %w", scenes[i].name, err)
	}
	if !s.Hold {
		err = errors.Join(err, s.leave())
	}
	return fmt.Sprintf("\n== %s: %s, %.1f s\n%s", scenes[i].name, scenes[i].heading, time.Since(begin).Seconds(), s.evidence), err
}

// quiet waits until nothing is left of the scenes that were shown.
func (n *node) quiet() error {
	if n.Hold {
		return nil
	}
	return until(n.api.ctx, "the pods of other scenes are gone", func() error {
		text, err := n.api.get("/api/v1/pods?limit=1")
		if err == nil && !noItems(text) {
			err = errors.New("there are some")
		}
		return err
	})
}

// covered holds that a scene shows each section that has code in it.
func (p page) covered() error {
	var wrong []error
	for _, section := range p {
		if len(section.blocks) > 0 && !slices.Contains(besides, section.heading) && !slices.ContainsFunc(scenes, func(s scene) bool { return s.section == section.heading }) {
			wrong = append(wrong, fmt.Errorf("no scene shows section %q of %s", section.heading, pagePath))
		}
	}
	return errors.Join(wrong...)
}

// noItems reports whether a list is empty.
func noItems(list []byte) bool {
	var l struct{ Items []struct{} }
	return json.Unmarshal(list, &l) == nil && len(l.Items) == 0
}
