package linker

import "path/filepath"

// Partly is the error of a [Linker.Reject] or [Linker.GoBack] that did the most
// important part: the live link leads to the generation that is gone back to,
// so an app can run on it. What could not be put right besides is mended at a
// later look.
type Partly struct{ err error }

// Error lists all that could not be put right, one a line.
func (e *Partly) Error() string { return e.err.Error() }

// Unwrap is what could not be put right, joined.
func (e *Partly) Unwrap() error { return e.err }

// Owns reports whether a path, such as an app's working directory as the kernel
// knows it, is inside a generation: it goes away with that. It asks nothing of
// the file system, so it may be called from any goroutine.
func (l *Linker) Owns(path string) bool {
	for _, dir := range l.grounds {
		if path != dir && inside(path, dir) {
			return true
		}
	}
	return false
}

// grounds lists where generations are: below the state directory as it was
// given, and as it really is.
func (s *state) grounds() []string {
	dirs := []string{filepath.Join(s.path, generationsName), filepath.Join(s.path, liveName)}
	if real, err := filepath.EvalSymlinks(s.path); err == nil {
		dirs = append(dirs, filepath.Join(real, generationsName), filepath.Join(real, liveName))
	}
	return dirs
}
