package volume

import (
	"fmt"
	"io/fs"
	"os"

	"confit/linker/files"
	"confit/linker/lines"
)

// LookAtRendered looks at what the renderer made, as at a plain volume: at the keys of the
// given lines, by index, in its directory. What [CheckPlain] refuses isn't looked for.
func (rd *Reader) LookAtRendered(root *os.Root, links []int) (*Reading, error) {
	r := &Reading{from: rd}
	v := &volume{dir: lines.RenderedVolume, root: root, memory: map[uint64]bool{}, nested: map[string]bool{}}
	for _, i := range links {
		keys, err := expand(i, &rd.Links[i], v)
		r.Keys = append(r.Keys, keys...)
		if err != nil && !r.keepInvalid(err) {
			return nil, err
		}
	}
	return r, files.JoinInvalid(r.wrong)
}

// CheckPlain refuses anything but regular files and directories with plain
// names: a link could lead out of the generation, or to one of its keys.
func CheckPlain(root *os.Root) error {
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
