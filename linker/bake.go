package linker

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
)

// Check reports everything that is wrong with the links themselves, without
// looking at a volume. The errors are joined.
func Check(c Config) error {
	_, err := parseLinks(c)
	return err
}

// Bake makes the links whose targets are known without a volume, dangling, and
// the directories for the others. It is for the build of an image that runs
// with a read-only root file system, or whose app isn't root. It covers what
// stands at a target, as at run time. It makes no state directory.
func Bake(c Config) error {
	links, err := parseLinks(c)
	if err != nil {
		return err
	}
	t := targets{state: &state{path: c.State}}
	wanted := map[Target]want{}
	for i := range links {
		if links[i].single() {
			wanted[links[i].Target] = want{dest: links[i].bakedDest(t.state), dir: links[i].kind == wholeDir}
		}
	}
	steps, err := t.plan(wanted)
	if err != nil {
		return err
	}
	if err := t.doSteps(steps, false); err != nil {
		return err
	}
	for i := range links {
		if links[i].Use == Linked && !links[i].single() {
			if err := makeParents(string(links[i].Target)); err != nil {
				return fmt.Errorf("cannot make directory %q: %w", links[i].Target, cause(err))
			}
		}
	}
	return nil
}

// bakedDest is what a target will have to point at. The volume of a direct link
// isn't there yet: it is taken to be atomic, and to be where the source says.
func (s *source) bakedDest(st *state) destination {
	if !s.Direct {
		return st.liveDest(s.prefix)
	}
	name, _ := filepath.Rel(s.floor, s.base)
	return directDest(s.floor, true, name)
}

// Explain prints what confit would do with the links, one a line, and changes
// nothing. The errors of links that can't be made are joined.
func Explain(w io.Writer, c Config) error {
	links, err := parseLinks(c)
	if err != nil {
		return err
	}
	t := targets{state: &state{path: c.State}}
	refused := []error{readMountTable(c).check()}
	for i := range links {
		s := &links[i]
		if s.Use != Linked {
			explainUse(w, s)
			continue
		}
		slash := ""
		if !s.single() {
			slash = "/"
		}
		now := ""
		if s.single() {
			p := t.find(s.Target, s.bakedDest(t.state))
			if _, err := plan(map[Target]want{s.Target: {dir: s.kind == wholeDir}}, nil, func(Target) place { return p }); err != nil {
				refused = append(refused, err)
			}
			now = [...]string{"", "", "  (is there)", "  (covers what is there)", "  (covers an empty directory)", "  (refused)"}[p.standing]
		}
		fmt.Fprintf(w, "link  %s  %s%s%s\n", s.Source, s.Target, slash, now)
	}
	return errors.Join(refused...)
}

// explainUse prints a line that links nothing.
func explainUse(w io.Writer, s *source) {
	if s.Use == Input {
		fmt.Fprintf(w, "input  %s\n", s.Source)
		return
	}
	fmt.Fprintf(w, "env  %s  %s\n", s.Source, s.Name)
}
