package statedir

import (
	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// Names reports whether a name is one of those that confit works in: when it goes somebody has
// emptied the directory.
func Names(name string) bool {
	return name == generationsName || name == lockName || name == socketName
}

// Renew compares the names that confit works in with what it holds open, and makes anew what isn't
// there any more: an entrypoint may have emptied the directory, or another user of the pod renamed
// what is in it. What stands in the way is moved aside. It returns the names that were not as
// confit had made them, those of small files among them: who wrote one writes it again.
func (s *Dir) Renew() (moved []string, err error) {
	hold := func(name string, holds func() bool, renew func() error) {
		if err == nil && !holds() {
			moved = append(moved, s.Top.Join(name))
			err = renew()
		}
	}
	hold(".", func() bool { return s.Top.Leads(s.Path) }, s.renewTop)
	hold(lockName, s.holdsLock, s.renewLock)
	hold(generationsName, func() bool { return s.Top.Is(generationsName, s.Generations.St) }, s.renewGenerations)
	if s.Socket != nil {
		hold(socketName, s.Socket.Holds, s.renewSocket)
	}
	for _, name := range s.lost() {
		moved = append(moved, s.Top.Join(name))
	}
	return moved, err
}

func (s *Dir) renewTop() error {
	other, err := open(s.Path)
	if err != nil {
		return err
	}
	if err = s.Top.Become(other.Top); err == nil {
		s.tighten()
		s.Memory = other.Memory
	}
	return err
}

func (s *Dir) holdsLock() bool {
	st, err := files.Raw(s.Lock.Fd()).Stat()
	return err == nil && s.Top.Is(lockName, st)
}

func (s *Dir) renewLock() error {
	held := s.Lock
	s.clear(lockName, unix.S_IFREG)
	err := s.takeLock()
	if err == nil {
		held.Close()
	}
	return err
}

// renewGenerations takes the directory back that somebody has renamed, as it is still confit's,
// with all that is in it. Another user can't rename it to somewhere else.
func (s *Dir) renewGenerations() error {
	entries, _ := s.Top.List()
	for _, e := range entries {
		if s.Top.Is(e.Name(), s.Generations.St) {
			s.clear(generationsName, none)
			return s.Top.Rename(e.Name(), generationsName, 0)
		}
	}
	s.clear(generationsName, unix.S_IFDIR)
	other, err := s.openDir(generationsName, files.DirMode)
	if err != nil {
		return err
	}
	if err = s.Generations.Become(other); err == nil {
		s.Memory = files.OnMemory(s.Path) && files.OnMemory(s.Generations.Join("."))
	}
	return err
}

func (s *Dir) renewSocket() error {
	s.clear(socketName, unix.S_IFSOCK)
	return s.Socket.Renew()
}

// none is no kind of a file.
const none = 0

// clear moves aside what stands at a name, unless it is of that kind and confit's own.
func (s *Dir) clear(name string, kind uint32) {
	if st, err := s.Top.Stat(name); err == nil && (st.Mode&unix.S_IFMT != kind || files.CheckTrusted(&st) != nil) {
		_ = s.moveAside(name) // who needs the name says why not
	}
}
