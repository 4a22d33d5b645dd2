package statedir

import (
	"fmt"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/safedir"
)

// ReadFile reads a file of a state directory that is another confit's, maybe in another
// container. It takes no lock, which could keep a confit from starting, and waits for
// nothing that it opens.
func ReadFile(dir, name string) ([]byte, error) {
	top, err := safedir.At(dir)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	return top.Read(name, func(st *unix.Stat_t) error { return checkOwner(top, st.Uid) })
}

// checkOwner refuses a file that isn't confit's: the kubelet makes an
// emptyDir 0777, and where confit may not tighten that, anybody in the pod can
// put a file there. The reader can't know confit's user. But confit refuses
// generations that are somebody else's, so their owner is confit's user.
func checkOwner(top *safedir.Dir, by uint32) error {
	if files.Own(by) {
		return nil
	}
	if generations, err := top.Stat(generationsName); err == nil && generations.Uid == by {
		return nil
	}
	return fmt.Errorf("user %d owns it: not root, not you, and not the owner of the generations", by)
}
