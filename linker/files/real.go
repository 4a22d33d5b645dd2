package files

import "path/filepath"

// Resolver remembers the real paths of directories, so that many links below
// one ask the file system once.
type Resolver map[string]string

// Path follows the links in the part of a path that exists, except for the last
// element: /var/run/x is /run/x on most systems.
func (r Resolver) Path(path string) string {
	dir, name := filepath.Dir(path), filepath.Base(path)
	if dir == path {
		return path
	}
	if r[dir] == "" {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			real = r.Path(dir)
		}
		r[dir] = real
	}
	return filepath.Join(r[dir], name)
}

// Dir is a directory's real path. Unlike Path, it follows the last element,
// too.
func (r Resolver) Dir(path string) string { return filepath.Dir(r.Path(filepath.Join(path, "x"))) }
