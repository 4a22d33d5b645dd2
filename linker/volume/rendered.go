package volume

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/safedir"
)

// LookAtRendered looks at what the renderer made in a directory, as at a plain volume. It refuses anything but regular files and directories with plain names, wherever they are.
func (rd *Reader) LookAtRendered(dir *safedir.Dir) (*Reading, error) {
	root, err := os.OpenRoot(dir.Join(".")) // which follows links there
	if err != nil {
		return nil, err
	}
	v := &volume{dir: lines.RenderedVolume, root: root, memory: map[uint64]bool{}, once: map[string]bool{}}
	r := &Reading{from: rd, volumes: []*volume{v}, of: make([]*volume, len(rd.Links))}
	for _, i := range rd.Rendered {
		r.of[i] = v
	}
	if err := r.lookAtRendered(v, dir); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Reading) lookAtRendered(v *volume, dir *safedir.Dir) error {
	info, err := v.root.Stat(".")
	if err != nil {
		return err
	}
	if st := info.Sys().(*syscall.Stat_t); st.Dev != dir.St.Dev || st.Ino != dir.St.Ino {
		return files.ErrMoved
	}
	if err := checkPlain(v.root); err != nil {
		return err
	}
	if err := r.expand(r.from.Rendered, false); err != nil {
		return err
	}
	return files.JoinInvalid(r.wrong)
}

// checkPlain refuses all else: a link could lead out of the generation, or to one of its keys.
func checkPlain(root *os.Root) error {
	var wrong []error
	err := fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch flaw := files.NameFlaw(d.Name()); {
		case err != nil:
			return err
		case flaw != "":
			wrong = append(wrong, fmt.Errorf("the renderer made %q, a name that %s", p, flaw))
		case p != "." && !visible(d.Name()):
			wrong = append(wrong, fmt.Errorf("the renderer made %q, and names that begin with two dots are the kubelet's", p))
		case !d.IsDir() && !d.Type().IsRegular():
			wrong = append(wrong, fmt.Errorf("the renderer made %s, %q: only regular files and directories can be a part of a generation", files.Describe(d.Type()), p))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return files.JoinInvalid(wrong)
}
