package statedir

import (
	"fmt"
	"io"
	"io/fs"
	"os"

	"confit/linker/files"
)

// ReadFile reads a file of a state directory that is another confit's, maybe in another
// container. It takes no lock, which could keep a confit from starting, and waits for
// nothing that it opens.
func ReadFile(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(files.AsDir(dir))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, info, err := files.OpenRegular(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := checkOwner(root, info); err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}

// checkOwner refuses a file that isn't confit's: the kubelet makes an
// emptyDir 0777, and where confit may not tighten that, anybody in the pod can
// put a file there. The reader can't know confit's user. But confit refuses
// generations that are somebody else's, so their owner is confit's user.
func checkOwner(root *os.Root, file fs.FileInfo) error {
	by := files.Owner(file)
	if files.Own(by) {
		return nil
	}
	if generations, err := root.Lstat(generationsName); err == nil && files.Owner(generations) == by {
		return nil
	}
	return fmt.Errorf("user %d owns it: not root, not you, and not the owner of the generations", by)
}
