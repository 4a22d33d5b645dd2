package linker

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"path/filepath"
	"strings"

	"confit/linker/files"
)

// Link is one line that names a source: which keys are staged, and what for.
type Link struct {
	Use      Use
	Source   string      // VOLUME/KEY, a glob, or a directory with a final slash; as written
	Target   Target      // of Linked: absolute; with a final slash it gets a link for each key
	Name     string      // of Variable: its name; with one *, a variable for each key: * is the key's base name
	Mode     fs.FileMode // of Linked, below Rendered: of the files, whatever staged keys are like; 0: not said
	Local    bool        // differs from replica to replica
	Optional bool        // the key may be missing
	Direct   bool        // not staged: the target points into the volume
	Where    string      // where the line stands, for messages: "/etc/confit/links:3"
}

// Config is what a [Linker] is made of.
type Config struct {
	Links     []Link
	Volumes   string       // where relative sources live, absolute
	Fallback  string       // laid out like Volumes: see [Linker.StageFallback]; absolute, or "" for none
	State     string       // the state directory, absolute
	Render    bool         // a hook makes files of the staged keys; see [Linker.Complete]
	AllowDisk bool         // keys of memory-backed volumes may be copied to a disk
	Pod       bool         // this is a pod of Kubernetes
	Space     int          // how many bytes of variables execve(2) takes beside what confit was started with; 0: not known
	Log       *slog.Logger // for what is no decision, such as polling

	checked []source // what [Check] made of the links; nil: they aren't checked
}

// Use is what the keys of a line are for.
type Use int

const (
	Linked   Use = iota // targets point at them
	Input               // only hooks read them
	Variable            // they are variables of the app's environment
)

// kind tells what the source of a link stands for.
type kind int

const (
	oneKey   kind = iota // web/nginx.conf  →  /etc/nginx/nginx.conf
	glob                 // web/*.conf      →  /etc/nginx/conf.d/
	tree                 // tls/            →  /etc/nginx/tls/
	wholeDir             // tls/            →  /etc/nginx/tls
)

// source is a link with its paths worked out.
type source struct {
	Link
	kind       kind
	base       string       // absolute path of the key, or of the directory in front of the first pattern element
	pattern    string       // for a glob: the rest, below base
	prefix     Key          // where base stands in a generation: base, below root
	root       string       // the volumes, or / for a source outside of them
	floor      string       // the volume when no directory above holds ..data
	ceiling    string       // the last directory that may be a volume
	rendered   bool         // its keys are made by the renderer
	real       string       // the target by its real directory, see realTarget
	exempt     map[Key]bool // of a glob or a tree: keys, by path in a generation, that a line of their own names
	inFallback bool         // it leads to the fallback
}

// parseLink works out a link's paths. Relative sources live in volumes.
func parseLink(l Link, volumes string) (source, error) {
	s := source{Link: l}
	if err := s.parseSource(volumes); err != nil {
		return s, errors.Join(err, s.checkAbsolute())
	}
	if l.Use != Linked {
		return s, s.parseUse()
	}
	return s, s.parseTarget()
}

func (s *source) parseSource(volumes string) error {
	written := s.Source
	if written == Rendered {
		return s.errorf("source %q names no file: write one below it, or %q for all", s.Source, Rendered+"/")
	}
	if rest, rendered := strings.CutPrefix(written, Rendered+"/"); rendered {
		s.rendered, written, volumes = true, renderedVolume+"/"+rest, renderedVolume
	} else if strings.Contains("/"+written, "/"+dataLink+"/") {
		return s.errorf("source %q leads through %s, which is the kubelet's: leave it out", s.Source, dataLink)
	} else if !filepath.IsAbs(written) {
		if !filepath.IsLocal(written) {
			return s.errorf("source %q leaves the volumes: write VOLUME/KEY, or an absolute path", s.Source)
		}
		written = filepath.Join(volumes, written)
		if strings.HasSuffix(s.Source, "/") {
			written += "/"
		}
	}
	if err := s.checkPattern(); err != nil {
		return err
	}
	dir, isDir := strings.CutSuffix(written, "/")
	fixed, pattern := splitPattern(filepath.Clean(dir))
	s.base, s.pattern = fixed, pattern
	switch {
	case pattern != "" && isDir:
		return s.errorf("source %q is a pattern for directories: write a pattern for keys, such as %q", s.Source, s.Source+"*")
	case pattern != "":
		s.kind = glob
		if _, err := path.Match(pattern, ""); err != nil {
			return s.errorf("source %q is not a pattern: close every [, or put \\ in front of it", s.Source)
		}
	case isDir && strings.HasSuffix(string(s.Target), "/"):
		s.kind = tree
	case isDir:
		s.kind = wholeDir
	}
	return s.locate(volumes)
}

// checkPattern refuses what the patterns of other programs have, and path.Match
// hasn't.
func (s *source) checkPattern() error {
	if before, _, found := strings.Cut(s.Source, "**"); found {
		dir := before[:strings.LastIndex(before, "/")+1]
		if dir == "" {
			dir = "VOLUME/"
		}
		return s.errorf("source %q: ** is no pattern: write %q for all keys below it, and a target that ends in a slash; or a line for each depth, such as %q and %q",
			s.Source, dir, dir+"*.conf", dir+"*/*.conf")
	}
	_, rest, _ := strings.Cut(strings.TrimPrefix(s.Source, Rendered), "{")
	inside, after, closed := strings.Cut(rest, "}")
	if !closed || !strings.Contains(inside, ",") {
		return nil
	}
	each := strings.Split(inside, ",")
	for i, word := range each {
		each[i] = strings.TrimSuffix(s.Source, "{"+rest) + word + after
	}
	return s.errorf("source %q: {,} is no pattern: write a line for each, %q", s.Source, each)
}

// locate works out what the volume may be, and where the keys stand in a
// generation: at the source as it was written.
func (s *source) locate(volumes string) error {
	dir := s.base
	if s.kind == oneKey {
		dir = filepath.Dir(s.base)
	}
	s.floor, s.ceiling, s.root = dir, "/", "/"
	s.prefix = Key(strings.TrimPrefix(s.base, "/"))
	rel, err := filepath.Rel(volumes, s.base)
	local := err == nil && filepath.IsLocal(rel)
	if s.rendered {
		s.prefix, s.root, s.floor = Key(path.Join(renderedName, rel)), Rendered, renderedVolume
		return s.checkRendered(local)
	}
	if s.Mode != 0 {
		return s.errorf("source %q can't have the option mode: a key has that of its volume, set defaultMode there", s.Source)
	}
	if !local {
		return nil
	}
	if rel == "." && (s.kind != glob || strings.Contains(s.pattern, "/")) {
		return s.errorf("source %q names no volume: write VOLUME/KEY", s.Source)
	}
	first, _, _ := strings.Cut(rel, "/")
	if first == renderedName {
		return s.errorf("source %q: %s is where confit puts what is rendered: mount the volume elsewhere", s.Source, renderedName)
	}
	s.prefix, s.ceiling, s.root = Key(rel), volumes, volumes
	s.floor = filepath.Join(volumes, first)
	if s.kind == oneKey && rel == first {
		s.floor = volumes
	}
	return nil
}

// checkAbsolute refuses a relative target, whatever the source.
func (s *source) checkAbsolute() error {
	if filepath.IsAbs(string(s.Target)) || s.Use != Linked {
		return nil
	}
	if filepath.IsAbs(s.Source) {
		return s.errorf("target %q is not absolute, and source %q is: the source comes first, write link %s %s", s.Target, s.Source, s.Target, s.Source)
	}
	return s.errorf("target %q is not absolute: write the path that the app opens, from / on", s.Target)
}

func (s *source) parseTarget() error {
	isDir := strings.HasSuffix(string(s.Target), "/")
	if err := s.checkAbsolute(); err != nil {
		return err
	}
	switch {
	case filepath.Clean(string(s.Target)) == "/" && s.kind != glob && s.kind != tree:
		return s.errorf("target %q is the root directory: write the path that the app opens", s.Target)
	case s.kind == oneKey && isDir:
		return s.errorf("target %q is a directory: write the file, such as %q", s.Target, s.Target+Target(path.Base(s.Source)))
	case s.kind == glob && !isDir:
		return s.errorf("target %q takes the keys of a pattern: end it in a slash, %q", s.Target, s.Target+"/")
	}
	s.Target = Target(filepath.Clean(string(s.Target)))
	if files.IsOwnName(string(s.Target)) {
		return s.errorf("target %q has a name that confit gives to what it keeps: write another path", s.Target)
	}
	return nil
}

// parseUse is parseTarget for a line without a target.
func (s *source) parseUse() error {
	if s.kind == wholeDir { // each key below it, as with a target that ends in a slash
		s.kind = tree
	}
	if s.Use == Variable {
		return s.parseName()
	}
	return nil
}

// parseName refuses a name that no variable can have, or that means something
// to confit, the app or the platform.
func (s *source) parseName() error {
	stars := strings.Count(s.Name, "*")
	switch {
	case s.Name == "" || strings.ContainsAny(s.Name, "=\x00"):
		return s.errorf("%q is no name of a variable: write one without =, such as LOG_LEVEL", s.Name)
	case strings.Contains(s.Name, "/") && !strings.Contains(s.Source, "/"):
		return s.errorf("%q is no name of a variable: the source comes first, write env %s %s", s.Name, s.Name, s.Source)
	case s.kind == oneKey && stars > 0:
		return s.errorf("variable %q has a *, and source %q is one key: write the name out, or %q for all keys below it", s.Name, s.Source, s.Source+"/")
	case s.kind != oneKey && stars != 1:
		return s.errorf("variable %q is for many keys: write one * for the key's name, such as %q", s.Name, "APP_*")
	case isReserved(s.Name):
		return s.errorf("variable %q has a meaning of its own for confit or the app: write another name", s.Name)
	}
	return nil
}

// isReserved reports a variable that no key may be: confit's own, those that it
// gives to hooks, and those that the app speaks with confit by, sd_notify(3)
// and sd_listen_fds(3).
func isReserved(name string) bool {
	return strings.HasPrefix(name, "CONFIT_") || strings.HasPrefix(name, "LISTEN_") || name == "NOTIFY_SOCKET"
}

// checkRendered refuses what a source below {rendered} can't be.
func (s *source) checkRendered(local bool) error {
	switch {
	case !local:
		return s.errorf("source %q leaves %s: write a path below it", s.Source, Rendered)
	case s.Direct:
		return s.errorf("source %q can't be direct: what is rendered is a part of the generation, remove the option", s.Source)
	}
	return nil
}

// splitPattern cuts a path before its first element that has a special
// character of path.Match.
func splitPattern(p string) (fixed, pattern string) {
	elements := strings.Split(p, "/")
	for i, e := range elements {
		if strings.ContainsAny(e, `*?[\`) {
			return path.Join("/", strings.Join(elements[:i], "/")), strings.Join(elements[i:], "/")
		}
	}
	return p, ""
}

func (s *source) errorf(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if s.Where == "" {
		return err
	}
	return fmt.Errorf("%s: %w", s.Where, err)
}

// label names a link in the error of another one.
func (s *source) label() string { return fmt.Sprintf("source %q%s", s.Source, s.at()) }

func (s *source) at() string {
	if s.Where == "" {
		return ""
	}
	return " at " + s.Where
}

// single reports whether the link has one target, which is known without the
// volume.
func (s *source) single() bool { return s.Use == Linked && (s.kind == oneKey || s.kind == wholeDir) }
