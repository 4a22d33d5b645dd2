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

// LookAtRendered looks at what the renderer made in a directory, as at a plain volume. It refuses anything but regular files and
// directories with plain names, wherever they are.
func (rd *Reader) LookAtRendered(dir *safedir.Dir) (*Reading, error) {
	root, err := os.OpenRoot(dir.Join(".")) // which follows links there
	if err != nil {
		return nil, err
	}
	v := &volume{dir: lines.RenderedVolume, memory: map[uint64]bool{}}
	if err := v.take(root); err != nil {
		return nil, err
	}
	r := rd.reading()
	r.volumes = []*volume{v}
	for _, i := range rd.Rendered {
		r.of[i] = v
	}
	if err = checkRendered(root, dir); err == nil {
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

// checkRendered refuses another directory than the one that was entered, and what can't be a part of a generation: a link could lead out of
// it, or to one of its keys.
func checkRendered(root *os.Root, dir *safedir.Dir) error {
	info, err := root.Stat(".")
	if err != nil {
		return err
	}
	if st := info.Sys().(*syscall.Stat_t); st.Dev != dir.St.Dev || st.Ino != dir.St.Ino {
		return files.ErrMoved
	}
	var wrong []error
	err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil { // d may be nil: see fs.WalkDirFunc
			return err
		}
		switch flaw := files.NameFlaw(d.Name()); {
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
