package lines

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// Kind tells what the source of a link stands for.
type Kind int

// Of a line without a target each directory is a Tree.
const (
	OneKey   Kind = iota // web/nginx.conf  →  /etc/nginx/nginx.conf
	Glob                 // web/*.conf      →  /etc/nginx/conf.d/
	Tree                 // tls/            →  /etc/nginx/tls/
	WholeDir             // tls/            →  /etc/nginx/tls
)

// Line is a link with its paths worked out.
type Line struct {
	Link
	Index      int // of the line among all of them
	Kind       Kind
	Base       string       // absolute path of the key, or of the directory in front of the first pattern element
	Pattern    string       // for a glob: the rest, below base
	Prefix     Key          // where base stands in a generation: base, below root
	Root       string       // the volumes, or / for a source outside of them: the last directory that may be a volume
	Floor      string       // the volume when no directory above holds ..data
	Rendered   bool         // its keys are made by the renderer
	Exempt     map[Key]bool // of a glob or a tree: keys, by path in a generation, that a line of their own names
	InFallback bool         // it leads to the fallback
}

// Errorf makes an error of the line, as [fmt.Errorf] does, that says where it stands.
func (s *Line) Errorf(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if s.Where == "" {
		return err
	}
	return fmt.Errorf("%s: %w", s.Where, err)
}

// Label names a link in the error of another one.
func (s *Line) Label() string { return fmt.Sprintf("source %q%s", s.Source, s.At()) }

// At says where the line stands, to be added to a text; "" if that isn't known.
func (s *Line) At() string {
	if s.Where == "" {
		return ""
	}
	return " at " + s.Where
}

// Single reports whether the link has one target, which is known without the volume.
func (s *Line) Single() bool { return s.Use == Linked && (s.Kind == OneKey || s.Kind == WholeDir) }

// TargetOf is where a link puts a key; "" without a target of its own.
func (s *Line) TargetOf(key Key) Target {
	switch {
	case s.Kind == OneKey:
		return s.Target
	case s.Kind == WholeDir, s.Use != Linked:
		return ""
	}
	below, _ := filepath.Rel(string(s.Prefix), string(key))
	return Target(path.Join(string(s.Target), below))
}

// WholeDirectory reports whether the line is one link to a directory, not one to each key: beside
// its target nothing happens at a change.
func (l Link) WholeDirectory() bool {
	return l.Use == Linked && strings.HasSuffix(l.Source, "/") && !strings.HasSuffix(string(l.Target), "/")
}

// VariableOf is the name of the variable that a key becomes. The error says why it can't have that
// name.
func (s *Line) VariableOf(key Key) (string, error) {
	name := strings.Replace(s.Name, "*", path.Base(string(key)), 1)
	switch {
	case strings.Contains(name, "="):
		return "", s.Errorf("key %q can't be variable %q: its name holds a =", key, name)
	case isReserved(name):
		return "", s.Errorf(
			"key %q can't be variable %q, which has a meaning of its own for confit or the app: rename it", key, name)
	}
	return name, nil
}

// SearchFrom is the directory where the search for the volume begins.
func (s *Line) SearchFrom() string {
	if s.Kind == OneKey {
		return filepath.Dir(s.Base)
	}
	return s.Base
}

// Key is the path of a key in a generation: web/nginx.conf.
type Key string

// Target is the absolute path where an app looks.
type Target string

// Dir is the directory of the target.
func (t Target) Dir() string { return path.Dir(string(t)) }

// Base is its name there.
func (t Target) Base() string { return path.Base(string(t)) }

// DataLink is the link that the kubelet swaps, dataDirName of atomic_writer.go.
const DataLink = "..data"

// Rendered stands in a source for the directory that the renderer fills.
const Rendered = "{rendered}"

// What the renderer makes.
const (
	RenderedDir    = ".rendered"    // where that stands in a generation
	RenderedVolume = "/" + Rendered // what it is called as a volume
)

// IsRendered reports that the renderer makes the key.
func IsRendered(key Key) bool { return strings.HasPrefix(string(key), RenderedDir+"/") }
