package target

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"confit/linker/files"
	"confit/linker/safedir"
)

// TestExchangeInBetween: exchange gives back what doesn't fit, and others may write to the
// target before exchange does. What they wrote last stays at the target.
func TestExchangeInBetween(t *testing.T) {
	const beside = files.KeptPrefix + "a"
	odd := errors.New("it doesn't fit")
	for name, tt := range map[string]struct {
		meanwhile func(m *moment)
		holds     []string
	}{
		"nothing":  {func(*moment) {}, []string{beside, "key", "a", "app"}},
		"replaced": {func(m *moment) { m.put(m.target, "newer") }, []string{beside, "app", "a", "newer"}},
		"removed":  {func(m *moment) { m.must(os.Remove(m.target)) }, []string{"a", "app"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMoment(t, t.TempDir())
			m.put(m.target, "app")
			in, err := safedir.Open(filepath.Dir(m.target), false)
			m.must(err)
			defer in.Close()
			m.must(in.Symlink(m.dest, beside))
			err = act{in: in, name: "a"}.exchange(beside, func(string) error {
				m.holds(beside, "app", "a", "key")
				tt.meanwhile(m)
				return odd
			})
			if err != odd {
				t.Errorf("error %v, want %v", err, odd)
			}
			m.holds(tt.holds...)
		})
	}
}
