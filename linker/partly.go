package linker

import "path/filepath"

// Partly is the error of a [Linker.Reject] or [Linker.GoBack] that did the most
// important part: the live link leads to the generation that is gone back to,
// so an app can run on it. What could not be put right besides is mended at a
// later look.
type Partly struct{ err error }

func (e *Partly) Error() string { return e.err.Error() }
func (e *Partly) Unwrap() error { return e.err }

// Owns reports whether a path is inside a generation.
func (l *Linker) Owns(path string) bool {
	return inside(path, filepath.Join(l.state.path, generationsName))
}
