package linker

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"confit/linker/lines"
	"confit/linker/safedir"
	"confit/linker/statedir"
	"confit/linker/target"
	"confit/linker/volume"
)

// Check reports all that is wrong with the links, without looking at a volume. What it returns has
// them understood, for all others.
func Check(c Config) (_ Config, err error) {
	c.lines, err = lines.Parse(c.Links, c.Volumes, c.State, c.Render)
	return c, err
}

// Bake makes the links whose targets are known without a volume, dangling, and the directories for
// the others: in an image that runs with a read-only root, or whose app isn't root. It covers what
// stands at a target, as at run time, unless the line is optional and optional isn't set. It says
// which lines it made no link for, and why.
func Bake(w io.Writer, c Config, optional bool) error {
	state := &statedir.Dir{Path: c.State, View: c.View}
	t := target.New(state, slog.New(slog.NewTextHandler(w, nil)))
	wanted := map[Target]target.Want{}
	var dirs []string
	count, left := 0, ""
	for _, s := range c.lines {
		if s.Use != Linked {
			continue
		}
		count++
		to := bakedWant(s, state)
		hides := ""
		if s.Optional && !optional {
			hides = t.Hides(s.Target, to.Dest)
		}
		why, todo := whyNotBaked(s, hides)
		if why == "" {
			wanted[s.Target] = to
			continue
		}
		fmt.Fprintf(w, "not baked: %v\n", s.Errorf("source %q: %s; %s", s.Source, why, todo))
		left += fmt.Sprintf(", not %s (%s)", s.Label(), why)
		if !s.Single() {
			dirs = append(dirs, string(s.Target))
		}
	}
	if err := t.Make(wanted); err != nil {
		return err
	}
	for _, dir := range dirs {
		if err := t.MakeDir(dir); err != nil {
			return fmt.Errorf("cannot make directory %q: %w", dir, err)
		}
	}
	fmt.Fprintf(w, "baked %d of %d link lines%s\n", len(wanted), count, left)
	return nil
}

// whyNotBaked says why a line gets no link when the image is built, and what to do instead; "" if
// it gets one. hides is what the link of an optional line would hide, "" for nothing: only at run
// time a link goes away with its key.
func whyNotBaked(s *lines.Line, hides string) (why, todo string) {
	const unknown = "its keys aren't known yet"
	switch {
	case s.Kind == lines.Tree:
		return unknown, fmt.Sprintf(
			"write %q to link the directory as a whole, a line for each key, or mount an emptyDir there", s.Target)
	case s.Kind == lines.Glob:
		return unknown, fmt.Sprintf("write a line for each key, or mount an emptyDir on %q", s.Target)
	case s.Kind == lines.OneKey && hides != "":
		return "it is optional, and without its key it would hide " +
			hides, "write --bake --optional to make it all the same"
	}
	return "", ""
}

// bakedWant is what a target will have to be. The volume of a direct link isn't there yet: it is
// taken to be atomic, where the source says.
func bakedWant(s *lines.Line, st *statedir.Dir) target.Want {
	dest := st.Live(string(s.Prefix))
	if s.Direct {
		name, _ := filepath.Rel(s.Floor, s.Base)
		dest = volume.PathIn(s.Floor, true, name)
	}
	return target.Want{Dest: target.Dest(dest), Dir: s.Kind == lines.WholeDir}
}

// Install copies the running program to a file. A container that starts it at the same moment finds
// the old or the new one.
func Install(to string) error {
	if info, err := os.Stat(to); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("cannot install to %q: it is a directory, or a device; write the file, such as %q", to,
			filepath.Join(to, "confit"))
	}
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("cannot read this program: %w", err)
	}
	var dir *safedir.Dir
	if to, err = filepath.Abs(to); err == nil {
		dir, err = safedir.Open(filepath.Dir(to), false)
	}
	if err == nil {
		defer dir.Close()
		err = dir.Put(filepath.Base(to), safedir.Bytes(program, 0o755))
	}
	if err != nil {
		return fmt.Errorf("cannot install to %q: %w; name a file of a volume that is mounted", to, err)
	}
	return nil
}
