package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"confit/integration/volume"
)

// memoryLimits are tried, in MiB, until an app doesn't even start. They count all that PID 1, its hooks and the app have in memory:
// also what is written to the state directory, as this is a tmpfs, unless -disk is set. The volume is the kubelet's.
var memoryLimits = []int{128, 64, 48, 32, 24, 16, 12, 10, 8, 6, 4, 2}

// littleMemory is a container with little memory: what is the least with which a program still does its work?
var littleMemory = trial{[]figure{
	{"least memory in which an app starts", mebibytes, budget{value, 8}},
	{"  and 100 swaps of ten keys reach it, a bad one doesn't", mebibytes, budget{value, 12}},
	{"  and three swaps of 1,000 keys of 1 KiB do", mebibytes, budget{value, 48}},
}, (*bench).squeeze}

// squeeze returns the least limit for each feat. What fails isn't tried with less.
func (b *bench) squeeze(e entrant, rounds int) (samples, error) {
	least, able := samples{alone, alone, alone}, 1
	if e.swaps {
		able = 2
	}
	if e.copies {
		able = 3
	}
	for _, mib := range memoryLimits[:min(rounds, len(memoryLimits))] {
		var err error
		if able, err = b.perform(e, able, rounds, mib); err != nil {
			return nil, err
		}
		for i := range able {
			least[i] = float64(mib)
		}
	}
	return least, nil
}

// perform returns how many feats were managed within a limit, of those that are asked for.
func (b *bench) perform(e entrant, able, rounds, mib int) (done int, err error) {
	if able == 0 {
		return 0, nil
	}
	under, err := b.within(memoryLimit(mib))
	if err == nil {
		err = evict(e.files(b)...)
	}
	if err != nil {
		return 0, err
	}
	t, _, ok, err := b.launch(under, e)
	if err != nil {
		return 0, err
	}
	defer b.stop(t.box)
	feats := []func(entrant, int) (bool, error){func(entrant, int) (bool, error) { return ok, nil }, t.takeSwaps, t.takeBursts}
	for done < able {
		if ok, err = feats[done](e, rounds); !ok {
			return done, err
		}
		done++
	}
	return done, nil
}

// evict drops the pages of programs that nobody else runs, so that they count for who runs them next. On a node the first of several
// pods pays for them.
func evict(programs ...string) error {
	for _, name := range programs {
		path, err := exec.LookPath(name)
		if err != nil {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		err = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// takeSwaps is 100 swaps, or a few for who is slow.
func (t *timed) takeSwaps(e entrant, rounds int) (bool, error) {
	if e.slow {
		rounds = fewer(rounds, 30)
	}
	lost, err := t.reach(rounds, breath, t.tenKeys)
	if err != nil || lost > 0 || !e.checks {
		return lost == 0, err
	}
	return t.refuse()
}

// refuse lets a key go missing, and come back.
func (t *timed) refuse() (bool, error) {
	t.drain()
	delete(t.site.keys, neededKey)
	if _, err := t.write(); err != nil {
		return false, err
	}
	err := t.Until("a rejection", func() bool {
		log, _ := os.ReadFile(t.log)
		return strings.Contains(string(log), "candidate rejected")
	})
	if err != nil || len(t.lines) > 0 {
		return false, nil
	}
	t.site.keys[neededKey] = volume.File{Mode: 0o644}
	t.site.edit(swapKeys)
	lost, err := t.reach(1, 0, t.write)
	return lost == 0, err
}

// takeBursts is three swaps that change as many keys as a ConfigMap has room for: confit keeps the generation before the accepted one
// while it tries a candidate. In memory each key takes a page of 4 KiB.
func (t *timed) takeBursts(entrant, int) (bool, error) {
	lost, err := t.reach(3, breath, func() (time.Duration, error) {
		const keys, size = 1000, 1 << 10
		t.site.edition++
		for i := range keys {
			data := fmt.Appendf(nil, "%*d\n", size-1, t.site.edition*keys+i)
			t.site.keys[fmt.Sprintf("x%05d", i)] = volume.File{Data: data, Mode: 0o644}
		}
		return t.write()
	})
	return lost == 0, err
}

// write is swap for other keys than before.
func (t *timed) write() (time.Duration, error) {
	at := now()
	return at, volume.Write(t.site.volume(), t.site.keys)
}
