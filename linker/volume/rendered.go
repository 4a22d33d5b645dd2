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
	wrong, err := v.checkRendered(".", nil)
	if err == nil {
		err = files.JoinInvalid(wrong)
	}
	if err == nil {
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

// checkRendered adds what can't be a part of a generation, in a directory and below: a link could
// lead out of the generation, or to one of its keys.
func (v *volume) checkRendered(dir string, wrong []error) ([]error, error) {
	in, entries, err := v.readDir(dir)
	in.Close()
	if err != nil {
		return nil, fmt.Errorf("directory %q: %w", dir, err)
	}
	for _, e := range entries {
		p := path.Join(dir, e.Name())
		switch flaw := files.NameFlaw(e.Name()); {
		case flaw != "":
			wrong = append(wrong, fmt.Errorf("the renderer made %q, a name that %s", p, flaw))
		case !visible(e.Name()):
			wrong = append(wrong,
				fmt.Errorf("the renderer made %q, and names that begin with two dots are the kubelet's", p))
		case !e.IsDir() && !e.Type().IsRegular():
			wrong = append(wrong,
				fmt.Errorf("the renderer made %s, %q: only regular files and directories can be a part of a generation",
					files.Describe(e.Type()), p))
		}
		if e.IsDir() {
			if wrong, err = v.checkRendered(p, wrong); err != nil {
				return nil, err
			}
		}
	}
	return wrong, nil
}
