package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// belongings is what a process could gather over time.
type belongings struct{ rss, descriptors, threads, files float64 }

// growth swaps a volume over and over, as fast as the writer can, and compares what confit has afterwards with what it had after
// the first tenth: by then its heap has its working size. A hundred bytes lost in each swap would show. It also checks that the
// app reads the last swap in the end.
func (b *bench) growth(rounds int) ([]row, error) {
	x, err := b.newTimed(swapKeys, (*site).linkEach, func(s *site) []string {
		return b.confitOn(s, []string{"--log-level", "warn"}, b.self, "role:app")
	})
	if err != nil {
		return nil, err
	}
	warm := max(1, rounds/10)
	before, err := x.swapMany(warm)
	if err != nil {
		return nil, err
	}
	after, err := x.swapMany(rounds - warm)
	if err != nil {
		return nil, err
	}
	name, yardstick := strconv.Itoa(rounds)+" swaps: ", "after "+strconv.Itoa(warm)
	return []row{
		{"memory, idle after " + strconv.Itoa(warm) + " swaps: VmRSS", kibibytes, before.rss, alone, "", budget{value, 7 * mebibyte}},
		{name + "VmRSS", kibibytes, after.rss, before.rss, yardstick, budget{onTop, mebibyte}},
		{name + "descriptors", count, after.descriptors, before.descriptors, yardstick, budget{onTop, 0}},
		{name + "threads", count, after.threads, before.threads, yardstick, budget{onTop, 1}}, // the runtime's choice
		{name + "files in the state directory", count, after.files, before.files, yardstick, budget{onTop, 0}},
	}, nil
}

// swapMany makes n swaps and takes stock when confit has come to rest.
func (t *timed) swapMany(swaps int) (belongings, error) {
	for range swaps {
		t.site.edit(swapKeys)
		if _, err := t.site.swap(); err != nil {
			return belongings{}, err
		}
		t.drain()
	}
	if err := quiet(idleTime, t.box); err != nil {
		return belongings{}, err
	}
	t.drain()
	if read, err := os.ReadFile(t.site.target("k00000")); err != nil || string(read) != string(t.site.content()) {
		return belongings{}, t.fault("lost the last swap")
	}
	return t.takeStock()
}

// drain drops what the app printed at its signals, so that it never blocks.
func (t *timed) drain() {
	for len(t.lines) > 0 {
		<-t.lines
	}
}

func (t *timed) takeStock() (belongings, error) {
	numbers, err := ofProcess(t.PID, "VmRSS", "Threads")
	if err != nil {
		return belongings{}, err
	}
	descriptors, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(t.PID), "fd"))
	if err != nil {
		return belongings{}, err
	}
	files := 0
	err = filepath.WalkDir(t.site.path("state"), func(_ string, _ fs.DirEntry, err error) error {
		files++
		return err
	})
	return belongings{float64(numbers[0]), float64(len(descriptors)), float64(numbers[1]), float64(files)}, err
}
