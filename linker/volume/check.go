package volume

import (
	"confit/linker/lines"
	"math"
	"os"
	"path/filepath"
)

// Check finds the keys, as a start would, and reads none. It calls fail with each error that a
// start would fail of, and with nil, and notef with what is odd. mount is the directory of all
// volumes.
func (rd *Reader) Check(mount string, fail func(error), notef func(format string, args ...any)) []Key {
	r, err := rd.Look()
	if err != nil {
		fail(err)
		return nil
	}
	defer r.Close()
	fail(r.expand(rd.Mounted, true))
	for _, err := range r.wrong {
		fail(err)
	}
	if len(r.wrong) > 0 {
		r.noteNames(mount, notef)
	}
	r.noteOptional(notef)
	fail(r.checkHashes())
	left := rd.MaxSize
	for _, k := range r.FirstKeys() {
		f, _, err := k.open()
		if err == nil {
			f.Close()
		}
		fail(err)
		if !k.Line.Direct {
			left -= k.st.Size
		}
		if left < 0 {
			fail(rd.tooLargeError(k))
			left = math.MaxInt64 // which is said once
		}
	}
	return r.Keys
}

// noteOptional names lines that have no key, and need none: a name may be misspelt.
func (r *Reading) noteOptional(notef func(string, ...any)) {
	has := map[*lines.Line]bool{}
	for _, k := range r.Keys {
		has[k.Line] = true
	}
	for _, s := range r.from.Mounted {
		if s.Optional && !has[s] {
			notef("%v", s.Errorf("%s; it is optional", whatIsMissing(s, r.of[s.Index])))
		}
	}
}

// noteNames shows what the volumes hold instead: a name may be misspelt.
func (r *Reading) noteNames(mount string, notef func(string, ...any)) {
	first := func(names []string) []string { return names[:min(len(names), 20)] }
	for _, v := range r.volumes {
		if v.root != nil {
			notef("volume %q holds %q", v.dir, first(v.names(".")))
		} else if entries, _ := os.ReadDir(mount); filepath.Dir(v.dir) == mount && len(entries) > 0 {
			notef("volume %q holds %q", mount, first(visibleNames(entries)))
		}
	}
}
