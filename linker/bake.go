package linker

import (
	"fmt"
	"io"
	"path/filepath"
)

// Check reports everything that is wrong with the links themselves, without
// looking at a volume. The errors are joined. Of the configuration that it returns
// the links are worked out already.
func Check(c Config) (Config, error) {
	var err error
	c.checked, err = parseLinks(c)
	return c, err
}

// Bake makes the links whose targets are known without a volume, dangling, and
// the directories for the others. It is for the build of an image that runs
// with a read-only root file system, or whose app isn't root. It covers what
// stands at a target, as at run time. It makes no state directory. It says which
// lines it made no link for, and why.
func Bake(w io.Writer, c Config) error {
	links, err := c.sources()
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
		s := &links[i]
		if s.single() {
			continue
		}
		fmt.Fprintln(w, "not baked:", s.errorf("source %q: %s", s.Source, s.whyNotBaked()))
		if s.Use != Linked {
			continue
		}
		if err := makeParents(string(s.Target)); err != nil {
			return fmt.Errorf("cannot make directory %q: %w", s.Target, cause(err))
		}
	}
	return nil
}

// whyNotBaked says what to do instead about a line without a single target.
func (s *source) whyNotBaked() string {
	switch {
	case s.Use == Input:
		return "an input has no target"
	case s.Use == Variable:
		return "a variable has no target"
	case s.kind == tree:
		return fmt.Sprintf("its keys aren't known yet; write %q to link the directory as a whole, a line for each key, or mount an emptyDir there", s.Target)
	}
	return fmt.Sprintf("its keys aren't known yet; write a line for each key, or mount an emptyDir on %q", s.Target)
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
