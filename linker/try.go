package linker

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"confit/linker/document"
	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/mounts"
	"confit/linker/statedir"
	"confit/linker/volume"
)

// Try is a [Linker] that works in a directory of its own below the state directory: whatever is
// written goes with that. Its Stage takes other volumes, and prints the plan.
type Try struct {
	*Linker
	aside    *statedir.Try
	from     string    // has volumes in the place of mounted ones
	document io.Reader // they are laid out of that; nil: they are there
	out      io.Writer // takes the plan
}

// OpenTry prepares a try of the volumes in a directory, absolute, laid out like Config.Volumes; or,
// for "", of those of a JSON document on in: always in memory. What they lack comes from
// Config.Volumes. It refuses what [Open] refuses, but for the lock. The error of [Linker.Stage] may
// be [ErrWrongDocument], and [ErrNotTried] if the directory has none of the volumes.
func OpenTry(c Config, dir string, in io.Reader, out io.Writer) (*Try, error) {
	if err := mounts.Read(c.Volumes, c.State, c.Pod).Check(); err != nil {
		return nil, err
	}
	st, err := statedir.OpenTry(c.State)
	if err != nil {
		return nil, err
	}
	c.Fallback = ""  // a start on that says nothing of what is mounted
	st.View = c.View // links lead there: the plan says which are there
	t := &Try{Linker: newLinker(c, &st.Dir), aside: st, from: dir, out: out}
	if dir == "" {
		t.from, t.document = st.Volumes.Join("."), in
	}
	_ = t.targets.ReadMade() // an error: links into the live generation are known all the same
	t.renew = st.Renew
	t.otherwise, st.Top = t.stage, st.Generations // what else is written goes with them
	return t, nil
}

// read lays out the volumes of the document, and returns their names.
func (t *Try) read() (volumes []string, err error) {
	if !t.aside.Memory {
		return nil, fmt.Errorf(
			"cannot try what comes on stdin in state directory %q: it isn't in memory; name one that is, such as --state /dev/shm/try", t.state.Path)
	}
	volumes, err = document.Write(t.aside.Volumes, t.document)
	if err != nil && !errors.Is(err, ErrWrongDocument) {
		err = fmt.Errorf("cannot lay out what comes on stdin in state directory %q: %w", t.state.Path, err)
	}
	return volumes, err
}

func (t *Try) stage() (c Candidate, err error) {
	var given []string
	if t.document != nil {
		if given, err = t.read(); err != nil {
			return c, err
		}
	}
	rd, err := t.reader.InTry(t.config.Volumes, t.from, t.document != nil)
	switch {
	case t.document != nil && errors.Is(err, ErrNotTried):
		rd = t.reader
	case err != nil:
		return c, fmt.Errorf("cannot try %q: %w", t.from, err)
	}
	look := &volume.Reading{}
	c, err = t.stageFrom(rd, &Known{}, func(r *volume.Reading) error { look = r; return nil })
	c.Fallback = false
	t.plan(look.Keys, given)
	if t.document != nil && IsInvalid(err) { // a volume is called by the path that it will have
		err = files.Invalidf("%s", strings.ReplaceAll(err.Error(), t.from, t.config.Volumes))
	}
	return c, err
}

// plan prints what a start would do with the links, and which of the volumes that a document gives
// no line takes.
func (t *Try) plan(keys []volume.Key, given []string) {
	e := explanation{Linker: t.Linker, w: t.out}
	e.print(keys)
	for _, name := range given {
		takes := func(s *lines.Line) bool {
			prefix := string(s.Prefix)
			return s.Root == t.config.Volumes && (files.Inside(prefix, name) || files.Inside(name, prefix))
		}
		if !slices.ContainsFunc(t.links, takes) {
			fmt.Fprintf(t.out, "note: no line takes a key of volume %q\n", name)
		}
	}
}

// End removes all that the try has made.
func (t *Try) End() { t.aside.End() }
