//go:build check

package storm

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// reader reads what the app could read, all the time and in two ways. It knows nothing of confit but where its targets are.
type reader struct {
	pod   *pod
	over  chan struct{}
	done  sync.WaitGroup
	reads [2]int
}

func (p *pod) read() *reader {
	r := &reader{pod: p, over: make(chan struct{})}
	for i, read := range []func() ([]string, error){p.readTargets, p.readLive} {
		r.done.Go(func() { r.loop(&r.reads[i], read) })
	}
	p.t.Cleanup(func() { r.stop() })
	return r
}

// stop returns how many configurations were read whole.
func (r *reader) stop() int {
	select {
	case <-r.over:
	default:
		close(r.over)
	}
	r.done.Wait()
	return r.reads[0] + r.reads[1]
}

func (r *reader) loop(reads *int, read func() ([]string, error)) {
	for {
		select {
		case <-r.over:
			return
		default:
		}
		texts, err := read()
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, errMoved): // another one is live by now
		case err != nil:
			r.pod.t.Errorf("a reader can't read: %v", err)
			return
		case !r.whole(texts):
			r.pod.t.Errorf("a reader found what was never one configuration: %q", texts)
			return
		default:
			*reads++
		}
	}
}

// whole tells whether the texts, two of each volume and the rendered one last, are of one combination that was mounted, and that the
// app may read.
func (r *reader) whole(texts []string) bool {
	rendered := texts[len(texts)-1]
	c, mounted := r.pod.history.find(rendered)
	var each []string
	for i := 0; i+1 < len(texts); i += 2 {
		if texts[i] != texts[i+1] {
			return false
		}
		each = append(each, texts[i])
	}
	return mounted && strings.Join(each, " ") == rendered && c.isReadable()
}

// errMoved says that something was published while the targets were read one after the other.
var errMoved = errors.New("another generation was published")

func (p *pod) readTargets() ([]string, error) {
	before, err := p.published()
	if err != nil {
		return nil, err
	}
	texts, err := readIn(p.path("etc"), p.targets()...)
	if after, moved := p.published(); moved != nil || after != before {
		return nil, errMoved
	}
	return texts, err
}

func (p *pod) readLive() ([]string, error) {
	return readIn(filepath.Join(p.state, "live"), "a/one", "a/two", "b/one", "b/two", "c/one", "c/two", ".rendered/all")
}

// published tells one publish from another: each makes a new link.
func (p *pod) published() (st unix.Stat_t, err error) {
	err = unix.Lstat(filepath.Join(p.state, "live"), &st)
	st.Atim = unix.Timespec{} // that somebody followed it
	return st, err
}

// readIn opens the directory once, so that it can't be exchanged meanwhile.
func readIn(dir string, names ...string) (texts []string, err error) {
	handle, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	for _, name := range names {
		text, err := readAt(handle, name)
		if err != nil {
			return nil, err
		}
		texts = append(texts, strings.TrimSpace(text))
	}
	return texts, nil
}

func readAt(dir *os.File, name string) (string, error) {
	fd, err := unix.Openat(int(dir.Fd()), name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", &fs.PathError{Op: "open", Path: name, Err: err}
	}
	file := os.NewFile(uintptr(fd), name)
	defer file.Close()
	text := make([]byte, 4096) // in one read(2), as a fixed file is exchanged and never written in place
	n, err := file.Read(text)
	return string(text[:n]), err
}
