package volume

import (
	"fmt"
	"path"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/safedir"
)

// LookAtRendered looks at what the renderer made in a directory, as at a plain volume. It refuses
// anything but regular files and directories with plain names, wherever they are. The directory
// is the look's: that closes it.
func (rd *Reader) LookAtRendered(dir *safedir.Dir) (*Reading, error) {
	v := &volume{dir: lines.RenderedVolume, memory: map[uint64]string{}, root: dir}
	r := rd.reading()
	r.volumes = []*volume{v}
	for _, s := range rd.Rendered {
		r.of[s.Index] = v
	}
	err := r.checkRendered(v, ".")
	if err == nil && len(r.wrong) == 0 {
		err = r.expand(rd.Rendered, false)
	}
	if err == nil {
		err = files.JoinInvalid(r.wrong)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// checkRendered takes what can't be a part of a generation, in a directory and below: a link could
// lead out of the generation, or to one of its keys.
func (r *Reading) checkRendered(v *volume, dir string) error {
	in, entries, err := v.readDir(dir)
	in.Close()
	if err != nil {
		return fmt.Errorf("directory %q: %w", dir, err)
	}
	for _, e := range entries {
		p := path.Join(dir, e.Name())
		var wrong error
		switch flaw := files.NameFlaw(e.Name()); {
		case flaw != "":
			wrong = fmt.Errorf("the renderer made %q, a name that %s", p, flaw)
		case !visible(e.Name()):
			wrong = fmt.Errorf("the renderer made %q, and names that begin with two dots are the kubelet's", p)
		case !e.IsDir() && !e.Type().IsRegular():
			wrong = fmt.Errorf("the renderer made %s, %q: only regular files and directories can be a part of a generation",
				files.Describe(e.Type()), p)
		}
		if wrong != nil {
			r.wrong = append(r.wrong, wrong)
		}
		if e.IsDir() {
			err = r.checkRendered(v, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
