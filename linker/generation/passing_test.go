package generation_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
	"confit/linker/files"
	"confit/linker/generation"
)

// TestPassing: where any call fails that looks at a generation, no hook is blamed for that, and no key is lost. What isn't as it was
// written is found by the next look.
func TestPassing(t *testing.T) {
	for name, look := range map[string]func(s *shelf, g *generation.Stored) error{
		"check":   func(s *shelf, g *generation.Stored) error { return s.store.Check(g) },
		"compare": func(s *shelf, g *generation.Stored) error { return s.store.Compare(g, false) },
		"restore": func(s *shelf, g *generation.Stored) error { return s.store.Restore(g) },
	} {
		n := 1
		for passes(t, name, look, n) {
			n++
		}
		t.Logf("%s: %d calls", name, n-1)
	}
}

// passes has the nth call fail, and reports whether there were so many.
func passes(t *testing.T, name string, look func(*shelf, *generation.Stored) error, n int) bool {
	t.Helper()
	s := newShelf(t, t.TempDir(), "web/", "/etc/web/")
	g := s.write("web/a", "1", "web/sub/c", "3")
	s.must(s.store.Check(g))
	again := &generation.Stored{Generation: g.Generation, Files: g.Files, Targets: g.Targets} // whose files nobody has read yet
	var err error
	seen := 0
	testfs.Failing(t, func(call testfs.Call) syscall.Errno {
		if strings.HasPrefix(call.Path, g.Dir) {
			if seen++; seen == n {
				return unix.EIO
			}
		}
		return 0
	}, func() { err = look(s, again) })
	_, isDamaged := errors.AsType[*generation.Damaged](err)
	if files.IsInvalid(err) || isDamaged || err != nil && !errors.Is(err, unix.EIO) {
		t.Errorf("%s, call %d fails: %v (%T)", name, n, err, err)
	}
	if err := look(s, again); err != nil {
		t.Errorf("%s after call %d has failed: %v", name, n, err)
	}
	return seen >= n
}
