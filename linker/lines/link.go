// Package lines works out what the link lines mean, each and all together, before a volume is
// looked at.
//
// It guarantees that the lines it accepts can live together: each target, each variable and each
// place in a generation is one line's, and no target is in another one, in a volume or in the state
// directory. Each error says where the line stands, and what to write instead.
//
// It does not know how keys are found and targets made. Of the file system it asks only where
// directories of targets lead.
package lines

import (
	"cmp"
	"errors"
	"io/fs"
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
	Mode     fs.FileMode // of Linked: of the copies, whatever their sources or staged keys are like; 0: not said
	Local    bool        // differs from replica to replica
	Optional bool        // the key may be missing
	Direct   bool        // not staged: the target points into the volume
	Where    string      // where the line stands, for messages: "/etc/confit/links:3"
}

// Use is what the keys of a line are for.
type Use int

const (
	Linked   Use = iota // targets point at them
	Input               // only hooks read them
	Variable            // they are variables of the app's environment
)

// parseLink works out a link's paths. Relative sources live in volumes.
func parseLink(l Link, volumes string) (*Line, error) {
	s := &Line{Link: l}
	err := errors.Join(s.parseSource(volumes), s.checkAbsolute())
	switch {
	case err != nil:
		return s, err
	case l.Use == Linked:
		return s, s.parseTarget()
	case s.Kind == WholeDir: // each key below it, as with a target that ends in a slash
		s.Kind = Tree
	}
	if l.Use == Variable {
		return s, s.parseName()
	}
	return s, nil
}

func (s *Line) parseSource(volumes string) error {
	written := s.Source
	if written == Rendered {
		return s.Errorf("source %q names no file: write one below it, or %q for all", s.Source, Rendered+"/")
	}
	if rest, rendered := strings.CutPrefix(written, Rendered+"/"); rendered {
		s.Rendered, written, volumes = true, RenderedVolume+"/"+rest, RenderedVolume
	} else if strings.Contains("/"+written, "/"+DataLink+"/") {
		return s.Errorf("source %q leads through %s, which is the kubelet's: leave it out", s.Source, DataLink)
	} else if !filepath.IsAbs(written) {
		if !filepath.IsLocal(written) {
			return s.Errorf("source %q leaves the volumes: write VOLUME/KEY, or an absolute path", s.Source)
		}
		written = volumes + "/" + written
	}
	if err := s.checkPattern(); err != nil {
		return err
	}
	dir, isDir := strings.CutSuffix(written, "/")
	s.Base = filepath.Clean(dir)
	if special := strings.IndexAny(s.Base, `*?[\`); special >= 0 { // of path.Match
		slash := strings.LastIndex(s.Base[:special], "/")
		s.Base, s.Pattern = cmp.Or(s.Base[:slash], "/"), s.Base[slash+1:]
	}
	switch {
	case s.Pattern != "" && isDir:
		return s.Errorf("source %q is a pattern for directories: write a pattern for keys, such as %q", s.Source,
			s.Source+"*")
	case s.Pattern != "":
		s.Kind = Glob
		if _, err := path.Match(s.Pattern, ""); err != nil {
			return s.Errorf("source %q is not a pattern: close every [, or put \\ in front of it", s.Source)
		}
	case isDir && strings.HasSuffix(string(s.Target), "/"):
		s.Kind = Tree
	case isDir:
		s.Kind = WholeDir
	}
	return s.locate(volumes)
}

// checkPattern refuses what the patterns of other programs have, and path.Match hasn't.
func (s *Line) checkPattern() error {
	if before, _, found := strings.Cut(s.Source, "**"); found {
		dir := cmp.Or(before[:strings.LastIndex(before, "/")+1], "VOLUME/")
		return s.Errorf(
			"source %q: ** is no pattern: write %q for all keys below it, and a target that ends in a slash; or a line for each depth, such as %q and %q",
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
	return s.Errorf("source %q: {,} is no pattern: write a line for each, %q", s.Source, each)
}

// locate works out what the volume may be, and where the keys stand in a generation: at the source
// as it was written.
func (s *Line) locate(volumes string) error {
	s.Floor, s.Root = s.SearchFrom(), "/"
	s.Prefix = Key(strings.TrimPrefix(s.Base, "/"))
	rel, err := filepath.Rel(volumes, s.Base)
	local := err == nil && filepath.IsLocal(rel)
	switch {
	case s.Rendered && !local:
		return s.Errorf("source %q leaves %s: write a path below it", s.Source, Rendered)
	case s.Rendered && s.Direct:
		return s.Errorf("source %q can't be direct: what is rendered is a part of the generation, remove the option",
			s.Source)
	case s.Rendered:
		s.Prefix, s.Root, s.Floor = Key(path.Join(RenderedDir, rel)), Rendered, RenderedVolume
		return nil
	case s.Mode != 0 && s.Direct:
		return s.Errorf("source %q can't have the option mode: a direct key has no copy, set defaultMode of its volume",
			s.Source)
	case !local:
		return nil
	}
	if rel == "." && (s.Kind != Glob || strings.Contains(s.Pattern, "/")) {
		return s.Errorf("source %q names no volume: write VOLUME/KEY", s.Source)
	}
	first, _, _ := strings.Cut(rel, "/")
	if first == RenderedDir {
		return s.Errorf("source %q: %s is where confit puts what is rendered: mount the volume elsewhere", s.Source,
			RenderedDir)
	}
	s.Prefix, s.Root, s.Floor = Key(rel), volumes, filepath.Join(volumes, first)
	if s.Kind == OneKey && rel == first {
		s.Floor = volumes
	}
	return nil
}

// checkAbsolute refuses a relative target, whatever the source.
func (s *Line) checkAbsolute() error {
	if filepath.IsAbs(string(s.Target)) || s.Use != Linked {
		return nil
	}
	if filepath.IsAbs(s.Source) {
		return s.Errorf("target %q is not absolute, and source %q is: the source comes first, write link %s %s",
			s.Target, s.Source, s.Target, s.Source)
	}
	return s.Errorf("target %q is not absolute: write the path that the app opens, from / on", s.Target)
}

func (s *Line) parseTarget() error {
	switch isDir := strings.HasSuffix(string(s.Target), "/"); {
	case filepath.Clean(string(s.Target)) == "/":
		return s.Errorf("target %q is the root directory: write the path that the app opens", s.Target)
	case s.Kind == OneKey && isDir:
		return s.Errorf("target %q is a directory: write the file, such as %q", s.Target,
			s.Target+Target(path.Base(s.Source)))
	case s.Kind == Glob && !isDir:
		return s.Errorf("target %q takes the keys of a pattern: end it in a slash, %q", s.Target, s.Target+"/")
	}
	s.Target = Target(filepath.Clean(string(s.Target)))
	if files.IsOwnName(string(s.Target)) {
		return s.Errorf("target %q has a name that confit gives to what it keeps: write another path", s.Target)
	}
	return nil
}

// parseName refuses a name that no variable can have, or that means something to confit, the app or
// the platform.
func (s *Line) parseName() error {
	stars := strings.Count(s.Name, "*")
	switch {
	case s.Name == "" || strings.ContainsAny(s.Name, "=\x00"):
		return s.Errorf("%q is no name of a variable: write one without =, such as LOG_LEVEL", s.Name)
	case strings.Contains(s.Name, "/") && !strings.Contains(s.Source, "/"):
		return s.Errorf("%q is no name of a variable: the source comes first, write env %s %s", s.Name, s.Name,
			s.Source)
	case s.Kind == OneKey && stars > 0:
		return s.Errorf(
			"variable %q has a *, and source %q is one key: write the name out, or %q for all keys below it", s.Name,
			s.Source, s.Source+"/")
	case s.Kind != OneKey && stars != 1:
		return s.Errorf("variable %q is for many keys: write one * for the key's name, such as %q", s.Name, "APP_*")
	case isReserved(s.Name):
		return s.Errorf("variable %q has a meaning of its own for confit or the app: write another name", s.Name)
	}
	return nil
}

// isReserved reports a variable that no key may be: confit's own, those that it gives to hooks, and
// those that the app speaks with confit by, sd_notify(3) and sd_listen_fds(3).
func isReserved(name string) bool {
	return strings.HasPrefix(name, "CONFIT_") || strings.HasPrefix(name, "LISTEN_") || name == "NOTIFY_SOCKET"
}
