package linker

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"confit/linker/lines"
	"confit/linker/mounts"
	"confit/linker/statedir"
	"confit/linker/target"
)

// explanation is what --check prints of the links, and what it finds.
type explanation struct {
	*Linker
	w     io.Writer
	pod   bool
	notes []string
	wrong []error         // what a start would fail of
	said  map[string]bool // the texts of wrong
}

// Explain prints what confit would do with the links, one a line, with the keys
// that are there, and changes nothing. What a start would fail of is joined in
// the error. An image is built before anything is mounted: what only a pod may
// have is noted, unless this is a pod.
func Explain(w io.Writer, c Config) error {
	links, err := c.sources()
	if err != nil {
		return err
	}
	e := explanation{Linker: newLinker(c, links, &statedir.Dir{Path: c.State}), w: w, pod: c.Pod, said: map[string]bool{}}
	if len(links) == 0 {
		e.notef("%s; %s", nothingLinked, firstLine)
	}
	e.reader.allowDisk = true // nobody knows yet whether the state directory will be on one
	table := mounts.Read(c.Volumes, c.State, c.Pod)
	e.fail(table.Check())
	fallback, err := e.fallbackReader()
	e.skipUnmounted(table)
	keys := e.look(&e.reader)
	e.print(keys)
	e.checkTargets(keys)
	e.checkVariables(keys)
	e.checkFallback(fallback, err)
	e.checkState()
	for _, n := range e.notes {
		fmt.Fprintln(w, "note:", n)
	}
	return errors.Join(e.wrong...)
}

func (e *explanation) fail(err error) {
	if err != nil && !e.said[err.Error()] { // of the volumes, and again of the fallback
		e.said[err.Error()] = true
		e.wrong = append(e.wrong, err)
	}
}

func (e *explanation) notef(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(e.notes, n) {
		e.notes = append(e.notes, n)
	}
}

// skipUnmounted takes the links out whose volumes aren't there yet. As soon as one
// of the volumes is mounted, all of them are expected, also when no link names that
// one: a name may be misspelt.
func (e *explanation) skipUnmounted(table *mounts.Table) {
	some := table.Some()
	for i := range e.links {
		some = some || e.links[i].Root == e.mount && e.isMounted(&e.links[i])
	}
	var kept []int
	for _, i := range e.reader.mounted {
		s := &e.links[i]
		if e.pod || s.Root == e.mount && some || s.Root != e.mount && e.isMounted(s) {
			kept = append(kept, i)
		} else {
			e.noteSkipped(s)
		}
	}
	e.reader.mounted = kept
}

func (e *explanation) noteSkipped(s *lines.Line) {
	dir := s.Floor
	if s.Root == e.mount {
		dir = e.mount
	}
	e.notef("no key was looked at, as nothing is mounted in %q", dir)
	if s.Floor == e.mount {
		e.notef("%v", s.Errorf("source %q names no volume: write %q, or %q for all keys of that volume", s.Source, "VOLUME/"+s.Source, s.Source+"/"))
	}
}

// isMounted reports whether a link's volume holds anything: an image may have an
// empty directory in its place. In the one of all volumes only files count.
func (e *explanation) isMounted(s *lines.Line) bool {
	entries, _ := os.ReadDir(s.Floor)
	for _, d := range entries {
		if s.Floor != e.mount || !d.IsDir() {
			return true
		}
	}
	return false
}

// look finds the keys, as a start would.
func (e *explanation) look(rd *reader) []keyFile {
	r, err := rd.look()
	if err != nil {
		e.fail(err)
		return nil
	}
	defer r.close()
	e.fail(r.expand(rd, true))
	for _, err := range r.wrong {
		e.fail(err)
	}
	if len(r.wrong) > 0 {
		e.noteNames(r.volumes)
	}
	e.noteOptional(rd, r)
	e.fail(r.checkHashes())
	e.fail(rd.checkSize(r.keys))
	for _, k := range r.keys {
		f, _, err := k.open()
		if err != nil {
			e.fail(err)
			continue
		}
		f.Close()
	}
	return r.keys
}

// noteOptional names lines that have no key, and need none: a name may be misspelt.
func (e *explanation) noteOptional(rd *reader, r *reading) {
	has := map[int]bool{}
	for _, k := range r.keys {
		has[k.link] = true
	}
	for _, i := range rd.mounted {
		if s := &rd.links[i]; s.Optional && !has[i] && r.of[i] != nil {
			e.notef("%v", s.Errorf("%s; it is optional", whatIsMissing(s, r.of[i])))
		}
	}
}

// maxNames bounds how many names of a volume are shown.
const maxNames = 20

// noteNames shows what the volumes hold instead: a name may be misspelt.
func (e *explanation) noteNames(volumes []*volume) {
	for _, v := range volumes {
		if v.root != nil {
			entries, _ := v.readDir(".")
			e.notef("volume %q holds %q", v.dir, firstNames(entries))
		} else if entries, _ := os.ReadDir(e.mount); filepath.Dir(v.dir) == e.mount && len(entries) > 0 {
			e.notef("volume %q holds %q", e.mount, firstNames(entries))
		}
	}
}

func firstNames(entries []fs.DirEntry) (names []string) {
	for _, d := range entries {
		if visible(d.Name()) && len(names) < maxNames {
			names = append(names, d.Name())
		}
	}
	return names
}

// print prints a line for each link, and for each key of a link with several.
func (e *explanation) print(keys []keyFile) {
	for i := range e.links {
		s := &e.links[i]
		e.printLine(s)
		for _, k := range keys {
			if k.link == i && s.Kind != lines.OneKey {
				fmt.Fprintf(e.w, "      %s%s\n", k.path, e.result(s, k))
			}
		}
	}
}

// result is what becomes of a key.
func (e *explanation) result(s *lines.Line, k keyFile) string {
	switch {
	case s.Use == Variable:
		name, _ := s.VariableOf(k.path)
		return "  " + name
	case k.target == "":
		return ""
	}
	return "  " + string(k.target) + e.targets.Foretell(k.target, target.Want{Dest: e.destOf(k)})
}

func (e *explanation) printLine(s *lines.Line) {
	switch {
	case s.Use == Input:
		fmt.Fprintf(e.w, "input  %s\n", s.Source)
	case s.Use == Variable:
		fmt.Fprintf(e.w, "env  %s  %s\n", s.Source, s.Name)
	case s.Single():
		fmt.Fprintf(e.w, "link  %s  %s%s\n", s.Source, s.Target, e.targets.Foretell(s.Target, target.Want{Dest: bakedDest(s, e.state), Dir: s.Kind == lines.WholeDir}))
	default:
		fmt.Fprintf(e.w, "link  %s  %s/\n", s.Source, s.Target)
	}
}

// checkFallback looks at the keys as a first start would that needs the fallback.
func (e *explanation) checkFallback(rd *reader, err error) {
	switch {
	case errors.Is(err, ErrNoFallback):
		if e.fallback != "" {
			e.notef("%v: %q", err, e.fallback)
		}
		return
	case err != nil:
		e.fail(err)
		return
	}
	var kept []int
	for _, i := range rd.mounted {
		if rd.links[i].InFallback || slices.Contains(e.reader.mounted, i) {
			kept = append(kept, i)
		}
	}
	rd.mounted = kept
	e.look(rd)
}
