package volume_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	kubelet "confit/integration/volume"
	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/statedir"
	"confit/linker/volume"
)

// mounts is a directory with volumes, and their reader.
type mounts struct {
	*testing.T
	dir    string
	reader *volume.Reader
}

// newMounts makes one for sources, each of which may be followed by options. With a final
// slash a source has a link for each key.
func newMounts(t *testing.T, sources ...string) *mounts {
	t.Helper()
	m := &mounts{T: t, dir: t.TempDir()}
	var all []lines.Link
	for i, line := range sources {
		words := strings.Fields(line)
		target := fmt.Sprintf("/none/%d", i)
		if strings.HasSuffix(words[0], "/") || strings.Contains(words[0], "*") {
			target += "/"
		}
		options := strings.Join(words[1:], " ")
		all = append(all, lines.Link{Source: words[0], Target: lines.Target(target),
			Direct: strings.Contains(options, "direct"), Optional: strings.Contains(options, "optional")})
	}
	parsed, err := lines.Parse(all, m.volumes(), m.dir+"/state", true)
	m.must(err, os.Mkdir(m.volumes(), 0o755))
	state, err := statedir.Open(m.dir + "/state")
	m.must(err)
	t.Cleanup(func() { state.Lock.Close() })
	m.reader = volume.NewReader(files.NewCopier(), parsed, state, true)
	m.reader.MaxSize = 1 << 20
	return m
}

// volumes is a path below the directory of all volumes.
func (m *mounts) volumes(elements ...string) string {
	return filepath.Join(append([]string{m.dir, "volumes"}, elements...)...)
}

func (m *mounts) must(errs ...error) {
	m.Helper()
	if err := errors.Join(errs...); err != nil {
		m.Fatal(err)
	}
}

// write makes an atomic volume hold just these keys, in the kubelet's way.
func (m *mounts) write(name string, keyContent ...string) {
	m.Helper()
	m.must(os.MkdirAll(m.volumes(name), 0o755), kubelet.Write(m.volumes(name), kubelet.Strings(keyContent...)))
}

// put makes a file of a plain volume, by rename.
func (m *mounts) put(name, content string) {
	m.Helper()
	path, tmp := m.volumes(name), m.dir+"/new"
	m.must(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(tmp, []byte(content), 0o644), os.Rename(tmp, path))
}

// swap makes an atomic volume lead to a directory that is there, and removes nothing.
func (m *mounts) swap(name, to string) {
	m.Helper()
	tmp := m.volumes(name, "..data_tmp")
	m.must(os.Symlink(to, tmp), os.Rename(tmp, m.volumes(name, lines.DataLink)))
}

// look looks at the volumes.
func (m *mounts) look() *volume.Reading {
	m.Helper()
	r, err := m.reader.Look()
	m.must(err)
	m.Cleanup(r.Close)
	return r
}

// reads looks at the volumes and checks what all keys hold: PATH, CONTENT, ….
func (m *mounts) reads(pathContent ...string) {
	m.Helper()
	m.holds(m.look(), pathContent...)
}

// holds checks what a look reads of all keys.
func (m *mounts) holds(r *volume.Reading, pathContent ...string) {
	m.Helper()
	known, err := r.Read()
	m.must(err)
	var got []string
	for _, k := range r.FirstKeys() {
		var to strings.Builder
		m.must(r.Copy(k, &to, known[k.Path]))
		got = append(got, string(k.Path), to.String())
	}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", pathContent) {
		m.Errorf("read %q, want %q", got, pathContent)
	}
}

// refused looks at the volumes and reads them, which must not block and fails with an
// [files.Invalid] that says these words.
func (m *mounts) refused(words string) {
	m.Helper()
	var err error
	m.inTime(func() {
		var r *volume.Reading
		if r, err = m.reader.Look(); err == nil {
			_, err = r.Read()
			r.Close()
		}
	})
	if !files.IsInvalid(err) || !strings.Contains(err.Error(), words) {
		m.Errorf("error %v (%T), want %q", err, err, words)
	}
}

// inTime fails if something blocks.
func (m *mounts) inTime(do func()) {
	m.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		m.Fatal("it blocks")
	}
}

// TestNothingBlocks: a FIFO, to which nobody ever writes, may stand in the place of
// whatever is opened.
func TestNothingBlocks(t *testing.T) {
	fifo := func(m *mounts, path string) { m.must(os.RemoveAll(path), unix.Mkfifo(path, 0o644)) }
	for name, tt := range map[string]struct {
		source string
		where  []string
		words  string
	}{
		"a key":            {"plain/a", []string{"plain", "a"}, `key "a" in volume`},
		"a key of many":    {"plain/", []string{"plain", "a"}, "is a FIFO, not a regular file"},
		"a directory":      {"plain/sub/", []string{"plain", "sub"}, "not a directory"},
		"a volume":         {"plain/", []string{"plain"}, "is no directory: mount"},
		"behind ..data":    {"web/", []string{"web", "..1"}, "cannot follow its ..data link: not a directory"},
		"the link ..data":  {"web/", []string{"web", lines.DataLink}, "cannot read its ..data link"},
		"a key in ..data":  {"web/a", []string{"web", "..1", "a"}, "is a FIFO, not a regular file"},
		"the mount itself": {"web/a", []string{"web"}, "is no directory: mount"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMounts(t, tt.source)
			m.put("plain/a", "1")
			m.put("plain/sub/b", "2")
			m.put("web/..1/a", "3")
			m.must(os.Symlink("..1", m.volumes("web", lines.DataLink)))
			fifo(m, m.volumes(tt.where...))
			m.refused(tt.words)
		})
	}
}

// TestNothingBlocksMeanwhile: a key is a FIFO by the time in which it is read.
func TestNothingBlocksMeanwhile(t *testing.T) {
	m := newMounts(t, "plain/a", "plain/b")
	m.put("plain/a", "1")
	m.put("plain/b", "2")
	r := m.look()
	known, err := r.Hash()
	m.must(err)
	m.must(os.Remove(m.volumes("plain/a")), unix.Mkfifo(m.volumes("plain/a"), 0o644))
	m.inTime(func() {
		if _, err := r.Hash(); !errors.Is(err, files.ErrMoved) {
			t.Errorf("read anew: %v", err)
		}
		if some := r.ReadSome(); len(some) != 1 {
			t.Errorf("of one that is left, read %v", some)
		}
		for _, k := range r.FirstKeys() {
			_ = r.Copy(k, io.Discard, known[k.Path])
		}
	})
}

// TestNoLinkLeadsOut of a volume, and what is refused is named.
func TestNoLinkLeadsOut(t *testing.T) {
	for to, words := range map[string]string{
		"/etc/passwd":        "is a link out of the volume: put the file itself there",
		"../../secret":       "is a link out of the volume",
		"sub/../../../other": "is a link out of the volume",
		"none":               "is a link that leads nowhere",
		"key":                "too many levels of symbolic links",
	} {
		for _, source := range []string{"plain/key", "plain/", "plain/k*", "plain/key direct"} {
			m := newMounts(t, source)
			m.put("plain/sub/x", "1")
			m.must(os.WriteFile(m.dir+"/secret", nil, 0o644), os.WriteFile(m.dir+"/other", nil, 0o644), os.Symlink(to, m.volumes("plain/key")))
			m.refused(words)
		}
	}
	m := newMounts(t, "plain/")
	m.put("plain/sub/x", "1")
	m.must(os.Symlink("sub/x", m.volumes("plain/key")), os.Symlink("/etc", m.volumes("plain/dir")))
	m.refused("is a link out of the volume")
	m.must(os.Remove(m.volumes("plain/dir")))
	m.reads("plain/key", "1", "plain/sub/x", "1")
}

// TestDataLeadsNowhereElse: ..data names a directory of its volume, and no other.
func TestDataLeadsNowhereElse(t *testing.T) {
	for to, words := range map[string]string{
		"/etc": "not to a directory of the volume", "../plain": "not to a directory of the volume", "..": "not to a directory of the volume",
		".": "not to a directory of the volume", "..1/sub": "not to a directory of the volume", "..none": "no such file or directory", "..out": "path escapes from parent",
	} {
		m := newMounts(t, "web/")
		m.put("plain/a", "1")
		m.put("web/..1/sub/a", "1")
		m.must(os.Symlink("../plain", m.volumes("web/..out")), os.Symlink(to, m.volumes("web", lines.DataLink)))
		m.refused(words)
	}
}
