package linker

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"confit/linker/document"
	"confit/linker/files"
	"confit/linker/mounts"
	"confit/linker/statedir"
	"confit/linker/volume"
)

// Try stages a candidate in a directory of its own below the state directory, beside the confit that
// has that. It shows the candidate to nobody but hooks: it has no lock, writes no note and no
// status, and makes no link.
type Try struct {
	*Linker
	aside    *statedir.Try
	from     string // has volumes in the place of mounted ones
	document bool   // it was laid out of a document
	given    []string
	keys     []volume.Key // of the last stage
}

// WrongDocument is the error of a document that isn't one of volumes.
type WrongDocument = document.Wrong

// OpenTry prepares a try of the volumes in a directory, absolute, laid out like Config.Volumes; or,
// for "", of those of a document, see [Try.Read]. What they lack comes from Config.Volumes. It
// refuses what [Open] refuses, but for a state directory that is locked.
func OpenTry(c Config, dir string) (*Try, error) {
	links, err := c.sources()
	if err != nil {
		return nil, err
	}
	if err := mounts.Read(c.Volumes, c.State, c.Pod).Check(); err != nil {
		return nil, err
	}
	st, err := statedir.OpenTry(c.State)
	if err != nil {
		return nil, err
	}
	t := &Try{Linker: newLinker(c, links, &st.Dir), aside: st, from: dir, document: dir == ""}
	if t.document {
		t.from = st.VolumesDir()
	}
	t.targets.ReadMade()
	return t, nil
}

// Read lays out the volumes of a JSON document, {"VOLUME": {"KEY": "BASE64"}} of at most 4 MiB, for a
// try of those: always in memory. The error is a [*WrongDocument] if the document is to blame.
func (t *Try) Read(in io.Reader) (err error) {
	if !t.aside.Memory {
		return t.aside.MemoryError()
	}
	t.given, err = document.Write(t.aside.Volumes, in)
	if _, wrong := errors.AsType[*WrongDocument](err); err != nil && !wrong {
		err = fmt.Errorf("cannot lay out what comes on stdin in state directory %q: %w", t.state.Path, files.Cause(err))
	}
	return err
}

// ErrNotTried is the error of a directory that holds nothing of what the links name.
var ErrNotTried = volume.ErrNotTried

// Stage stages a candidate as [Linker.Stage] does at a start. The error is [ErrNotTried] if the
// directory has none of the volumes; a document may have none.
func (t *Try) Stage() (c Candidate, err error) {
	err = untilStill(func() error {
		rd, err := t.reader.InTry(t.mount, t.from, t.document)
		switch {
		case err == nil:
		case t.document && errors.Is(err, ErrNotTried):
			rd = t.reader
		default:
			return fmt.Errorf("cannot try %q: %w", t.from, err)
		}
		return t.takeFrom(rd, &Known{}, &c, &t.keys)
	})
	if t.document && IsInvalid(err) { // a volume is called by the path that it will have
		err = files.Invalidf("%s", strings.ReplaceAll(err.Error(), t.from, t.mount))
	}
	return c, err
}

// Plan prints what a start would do with the links, one a line, with the keys of the last stage;
// and which of a document's volumes no line takes.
func (t *Try) Plan(w io.Writer) {
	e := explanation{Linker: t.Linker, w: w}
	e.print(t.keys)
	for _, name := range t.given {
		if !t.takes(name) {
			fmt.Fprintf(w, "note: no line takes a key of volume %q\n", name)
		}
	}
}

// takes reports whether a line may take a key of a document's volume.
func (t *Try) takes(volume string) bool {
	for i := range t.links {
		s := &t.links[i]
		if s.Root == t.mount && (files.Inside(string(s.Prefix), volume) || files.Inside(volume, string(s.Prefix))) {
			return true
		}
	}
	return false
}

// End removes all that the try has made.
func (t *Try) End() { t.aside.End() }
