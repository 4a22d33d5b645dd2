package linker

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/lines"
	"confit/linker/mounts"
	"confit/linker/statedir"
	"confit/linker/target"
	"confit/linker/volume"
)

// explanation is what --check prints of the links, and what it finds.
type explanation struct {
	*Linker
	w     io.Writer
	notes []string
	wrong []error // what a start would fail of
}

// Explain prints what confit would do with the links, one a line, with the keys that are there, and
// changes nothing. What a start would fail of is joined in the error. What only a pod may have is
// noted, unless this is one.
func Explain(w io.Writer, c Config) error {
	e := explanation{Linker: newLinker(c, &statedir.Dir{Path: c.State, View: c.View}), w: w}
	if len(c.lines) == 0 {
		e.notef("%s; %s", nothingLinked, firstLine)
	}
	e.reader.AllowDisk = true // nobody knows yet whether the state directory will be on one
	table := mounts.Read(c.Volumes, c.State, c.Pod)
	e.fail(table.Check())
	fallback, err := e.fallback()
	e.skipUnmounted(table)
	keys := e.reader.Check(e.config.Volumes, e.fail, e.notef)
	e.print(keys)
	e.noteDirectories()
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
	isSame := func(said error) bool { return said.Error() == err.Error() } // of the volumes, and again of the fallback
	if err != nil && !slices.ContainsFunc(e.wrong, isSame) {
		e.wrong = append(e.wrong, err)
	}
}

func (e *explanation) notef(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(e.notes, n) {
		e.notes = append(e.notes, n)
	}
}

// skipUnmounted takes the links out whose volumes aren't there yet, as in the build of an image. As
// soon as one of the volumes is mounted, all of them are expected, also when no link names that
// one, or has one of its own: a name may be misspelt.
func (e *explanation) skipUnmounted(table *mounts.Table) {
	some := table.Some()
	for _, s := range e.links {
		some = some || s.Root == e.config.Volumes && e.isMounted(s)
	}
	e.reader.Mounted = slices.DeleteFunc(slices.Clone(e.reader.Mounted), func(s *lines.Line) bool {
		if e.config.Pod || some || s.Root != e.config.Volumes && e.isMounted(s) {
			return false
		}
		dir, held := s.Floor, []string(nil)
		if s.Root == e.config.Volumes {
			dir, held = s.Root, heldBelow(s.Root)
		}
		if len(held) > 0 {
			e.notef("no key was looked at, as no line names a volume that %q holds: %q", dir, held)
		} else {
			e.notef("no key was looked at, as nothing is mounted in %q", dir)
		}
		if s.Floor == e.config.Volumes {
			e.notef("%v", s.Errorf("source %q names no volume: write %q, or %q for all keys of that volume", s.Source,
				"VOLUME/"+s.Source, s.Source+"/"))
		}
		return true
	})
}

// heldBelow lists the directories below another that hold anything: a line may have misspelt the
// name of one.
func heldBelow(dir string) (names []string) {
	entries, _ := os.ReadDir(dir)
	for _, d := range entries {
		below, _ := os.ReadDir(filepath.Join(dir, d.Name()))
		if len(below) > 0 {
			names = append(names, d.Name())
		}
	}
	return names[:min(len(names), maxHeld)]
}

// maxHeld bounds a line.
const maxHeld = 20

// isMounted reports whether a link's volume holds anything, or can't be listed: an image may have
// an empty directory there. In the directory of all volumes only files count.
func (e *explanation) isMounted(s *lines.Line) bool {
	entries, err := os.ReadDir(s.Floor)
	for _, d := range entries {
		if s.Floor != e.config.Volumes || !d.IsDir() {
			return true
		}
	}
	return files.Ignoring(err, fs.ErrNotExist) != nil
}

// print prints a line for each link, and for each key of a link with several.
func (e *explanation) print(keys []volume.Key) {
	for _, s := range e.links {
		e.printLine(s)
		for _, k := range keys {
			if k.Line.Index == s.Index && s.Kind != lines.OneKey {
				fmt.Fprintf(e.w, "      %s%s\n", k.Path, e.result(s, k))
			}
		}
	}
}

// result is what becomes of a key.
func (e *explanation) result(s *lines.Line, k volume.Key) string {
	switch {
	case s.Use == Variable:
		name, _ := s.VariableOf(k.Path)
		return "  " + name
	case k.Target == "":
		return ""
	}
	return "  " + string(k.Target) + e.targets.Foretell(k.Target, target.Want{Dest: e.destOf(k)})
}

func (e *explanation) printLine(s *lines.Line) {
	switch {
	case s.Use == Input:
		fmt.Fprintf(e.w, "input  %s\n", s.Source)
	case s.Use == Variable:
		fmt.Fprintf(e.w, "env  %s  %s\n", s.Source, s.Name)
	case s.Single():
		fmt.Fprintf(e.w, "link  %s  %s%s\n", s.Source, s.Target, e.targets.Foretell(s.Target, bakedWant(s, e.state)))
	default:
		fmt.Fprintf(e.w, "link  %s  %s/\n", s.Source, s.Target)
	}
}

// checkFallback looks at the keys as a first start would that needs the fallback.
func (e *explanation) checkFallback(rd *volume.Reader, err error) {
	switch {
	case errors.Is(err, ErrNoFallback) && e.config.Fallback == "":
	case errors.Is(err, ErrNoFallback):
		e.notef("%v: %q", err, e.config.Fallback)
	case err != nil:
		e.fail(err)
	default:
		rd.Mounted = slices.DeleteFunc(rd.Mounted, func(s *lines.Line) bool {
			return !s.InFallback && !slices.Contains(e.reader.Mounted, s)
		})
		rd.Check(e.config.Volumes, e.fail, e.notef)
	}
}

// checkTargets refuses targets that can't be linked.
func (e *explanation) checkTargets(keys []volume.Key) {
	wanted, err := e.wanted(keys)
	e.fail(err)
	optional := map[Target]target.Want{}
	for _, s := range e.links {
		if _, known := wanted[s.Target]; !s.Single() || known {
			continue
		}
		into := wanted
		if s.Optional {
			into = optional
		}
		into[s.Target] = bakedWant(s, e.state)
	}
	e.checkPlan(wanted, e.fail)
	e.checkPlan(optional, func(err error) {
		if err != nil {
			e.notef("%v; a start goes well until the optional key is there", err)
		}
	})
}

func (e *explanation) checkPlan(wanted map[Target]target.Want, refuse func(error)) {
	p := e.targets.Plan(wanted)
	refuse(p.Err())
	for _, s := range p.Links {
		e.checkDir(s.Target.Dir(), refuse)
	}
}

// checkVariables refuses keys that can't be variables by their names.
func (e *explanation) checkVariables(keys []volume.Key) {
	g := generation.Stored{Files: map[Key]generation.File{}}
	for _, k := range keys {
		f := g.Files[k.Path]
		f.Links = append(f.Links, k.Line.Index)
		g.Files[k.Path] = f
	}
	variables, err := e.variables(&g)
	e.fail(err)
	for _, name := range files.SortedKeys(variables) {
		if !isShellName(name) {
			e.notef("key %q becomes variable %q, which no shell can read: only letters, digits and _ can",
				variables[name], name)
		}
		if strings.HasSuffix(string(variables[name]), ".env") {
			e.notef("key %q becomes one variable, %q, with all that it holds: give each variable a key",
				variables[name], name)
		}
	}
}

// isShellName reports a name as the Shell Command Language has it, 3.235 Name.
func isShellName(name string) bool {
	for i, r := range name {
		if r != '_' && (r|0x20 < 'a' || r|0x20 > 'z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return true
}

// checkState finds out whether the state directory can be used. It need not be there yet.
func (e *explanation) checkState() {
	dir := e.state.Path
	err := unix.Faccessat(unix.AT_FDCWD, files.AsDir(dir), unix.W_OK|unix.X_OK, unix.AT_EACCESS)
	switch {
	case err == nil, err == unix.ENOENT:
	case err == unix.ENOTDIR, e.config.Pod:
		e.fail(statedir.Unusable(dir, err))
	default:
		e.notef("%v", statedir.Unusable(dir, err))
	}
}
