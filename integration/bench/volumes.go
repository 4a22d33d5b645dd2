package main

import (
	"fmt"
	"os"
	"time"

	"confit/integration/volume"
)

// volumes measures one sync of the kubelet that swaps two volumes, one right after the other: the time from the second swap until the
// app was reloaded with both, and how often it was reloaded.
func (b *bench) volumes(rounds int) ([]row, error) {
	s, err := b.newSite(swapKeys)
	if err != nil {
		return nil, err
	}
	second := &site{dir: s.dir, keys: s.keys, name: "w"}
	if err := os.MkdirAll(second.volume(), 0o755); err != nil {
		return nil, err
	}
	if err := volume.Write(second.volume(), second.keys); err != nil {
		return nil, err
	}
	lines := fmt.Sprintf("link %s/ %s/\nlink %s/ %s/\n", volumeName, s.target("v"), second.name, s.target("w"))
	if err := os.WriteFile(s.path("links"), []byte(lines), 0o644); err != nil {
		return nil, err
	}
	t, err := b.startTimed(s, b.confitOn(s, nil, b.app()...))
	if err != nil {
		return nil, err
	}
	reloads := 0
	for range rounds {
		n, err := t.changeBoth(second)
		if err != nil {
			return nil, err
		}
		reloads += n
	}
	return []row{
		{"two volumes swapped together: to the last reload", milliseconds, t.took.median(), alone, "", budget{value, 40}},
		{"  reloads for each", hundredths, float64(reloads) / float64(rounds), alone, "", budget{value, 1}},
	}, nil
}

// changeBoth counts the reloads until there is none for longer than confit ever waits.
func (t *timed) changeBoth(second *site) (reloads int, err error) {
	t.site.edit(swapKeys)
	if _, err := t.site.swap(); err != nil {
		return 0, err
	}
	second.keys = t.site.keys
	at, err := second.swap()
	if err != nil {
		return 0, err
	}
	for last, err := t.heard(); ; last, err = t.heard() {
		if err != nil {
			return 0, err
		}
		reloads++
		time.Sleep(300 * time.Millisecond)
		if len(t.lines) == 0 {
			t.took.add(last - at)
			return reloads, nil
		}
	}
}

// lines measures a start with many link lines beside one with a single line for the same keys.
func (b *bench) lines(rounds int) ([]row, error) {
	const many = 3000
	var each, all life
	for range rounds {
		for l, link := range map[*life]func(*site) error{&each: (*site).linkEach, &all: (*site).linkAll} {
			s, err := b.newSite(many)
			if err != nil {
				return nil, err
			}
			if err := link(s); err != nil {
				return nil, err
			}
			if err := l.live(b.confitOn(s, []string{"--log-level", "warn"}, b.self, "role:first")...); err != nil {
				return nil, err
			}
			_ = os.RemoveAll(s.dir)
		}
	}
	const linear = 2
	return []row{{"start-up with 3,000 link lines", milliseconds, each.first.median(), all.first.median(), "one line", budget{ratio, linear}}}, nil
}
