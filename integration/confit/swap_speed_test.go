package confit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"testing"
)

// speedKeys all carry the number of the swap, so that a mix of two swaps shows.
const speedKeys = 5

// A thousand swaps as fast as the kubelet's writer can make them: the last one is in force at the end and the app has read it; a
// reader in a tight loop never sees two generations at once; there are no more reloads than swaps.
func TestSpeed_thousand_swaps(t *testing.T) {
	t.Parallel()
	const swaps = 1000
	s := newSetup(t)
	web := s.volume("web")
	s.line("link web/*.conf %s/", s.target("conf.d"))
	s.line("reload signal:HUP")
	web.swap(generation(0))
	last := s.target("conf.d", "key0.conf")
	c := s.start(app("-print", last)...)
	c.Says("ready", 1)

	r := startReader(s)
	for i := 1; i <= swaps; i++ {
		web.swap(generation(i))
	}
	want := fmt.Sprintf("swap %d", swaps)
	c.Eventually("the last swap being read by the app", func() bool {
		read := c.Texts("stdout", "read ")
		return read[len(read)-1] == "read "+want
	})
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	t.Logf("%d reloads, %d whole generations read", len(c.Texts("stdout", "signal HUP")), r.whole.Load())
	if reloads := len(c.entries("app reloaded")); reloads > swaps || reloads < 1 {
		t.Errorf("%d swaps made %d reloads", swaps, reloads)
	}
	if r.whole.Load() < 10 {
		t.Errorf("the reader read only %d generations: it proves nothing", r.whole.Load())
	}
	c.wantNoErrors()
}

func generation(n int) keys {
	k := keys{}
	for i := range speedKeys {
		k[fmt.Sprintf("key%d.conf", i)] = fmt.Sprintf("swap %d", n)
	}
	return k
}

// reader reads all targets in a tight loop beside the app.
type reader struct {
	setup *setup
	quit  chan struct{}
	fault chan error
	whole atomic.Int64 // rounds during which live stood still
}

func startReader(s *setup) *reader {
	r := &reader{setup: s, quit: make(chan struct{}), fault: make(chan error, 1)}
	go func() { r.fault <- r.loop() }()
	return r
}

func (r *reader) stop() error {
	close(r.quit)
	return <-r.fault
}

func (r *reader) loop() error {
	for {
		select {
		case <-r.quit:
			return nil
		default:
			if err := r.round(); err != nil {
				return err
			}
		}
	}
}

// round reads where live points before and after all keys: when it stood still, every key must be of one generation.
// When it moved, they may differ, and a file of the generation before may be gone by now.
func (r *reader) round() error {
	live := r.setup.state + "/live"
	before, err := os.Readlink(live)
	if err != nil {
		return fmt.Errorf("live is never absent: %w", err)
	}
	var read []string
	var missing error
	for i := range speedKeys {
		content, err := os.ReadFile(r.setup.target("conf.d", fmt.Sprintf("key%d.conf", i)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		missing = errors.Join(missing, err)
		read = append(read, string(content))
	}
	if after, err := os.Readlink(live); err != nil || after != before {
		return err
	}
	r.whole.Add(1)
	if missing != nil {
		return fmt.Errorf("a target is absent in %s: %w", before, missing)
	}
	for _, text := range read {
		if text != read[0] {
			return fmt.Errorf("%s is a mix: %s", before, strings.Join(read, ", "))
		}
	}
	return nil
}

// The same with two volumes that change at full speed and a validator: the last one of both is in force at the end.
func TestSpeed_two_volumes_validated(t *testing.T) {
	t.Parallel()
	const swaps = 150
	s := newSetup(t)
	web, tls := s.volume("web"), s.volume("tls")
	s.line("link web/a %s", s.target("a"))
	s.line("link tls/k %s", s.target("k"))
	s.line("validate grep -q swap {candidate}/web/a {candidate}/tls/k")
	s.line("reload signal:HUP")
	s.line("settle 1ms")
	write := func(n int) {
		web.swap(keys{"a": fmt.Sprintf("web swap %d", n)})
		tls.swap(keys{"k": fmt.Sprintf("tls swap %d", n)})
	}
	write(0)
	c := s.start(app("-print", s.target("a")+","+s.target("k"))...)
	c.Says("ready", 1)
	for i := 1; i <= swaps; i++ {
		write(i)
	}
	c.Says(fmt.Sprintf("read web swap %d", swaps), 1)
	c.Says(fmt.Sprintf("read tls swap %d", swaps), 1)
	if reloads := len(c.entries("app reloaded")); reloads > 2*swaps {
		t.Errorf("%d swaps made %d reloads", 2*swaps, reloads)
	}
	c.wantNoErrors()
}
