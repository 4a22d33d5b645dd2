package volume_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/safedir"
	"confit/linker/volume"
	"confit/linker/watch"
)

// TestFallback: a volume that the fallback has is read there, whole; the others stay where
// they are, and so does what is direct. The files of the fallback's maker are no keys.
func TestFallback(t *testing.T) {
	m := newMounts(t, "web/", "tls/a", "live/a direct")
	m.write("web", "a", "1", "b", "1")
	m.write("tls", "a", "1")
	m.write("live", "a", "1")
	fallback := m.dir + "/fallback"
	m.must(os.Mkdir(fallback, 0o755))
	for _, dir := range []string{"", fallback, m.dir + "/none"} {
		if _, err := m.reader.InFallback(m.volumes(), dir); err != volume.ErrNoFallback {
			t.Errorf("%q: error %v", dir, err)
		}
	}
	for _, name := range []string{"web", "live"} {
		m.must(os.Mkdir(fallback+"/"+name, 0o755), os.WriteFile(fallback+"/"+name+"/a", []byte("f"), 0o644))
	}
	m.must(os.WriteFile(fallback+"/web/.confit-hash", []byte("1 2\n"), 0o644))
	there, err := m.reader.InFallback(m.volumes(), fallback)
	m.must(err)
	own := m.reader
	m.reader = there
	r := m.look()
	if m.holds(r, "live/a", "1", "tls/a", "1", "web/a", "f"); !r.OfFallback() {
		t.Error("nothing is said to be of the fallback")
	}
	m.reader = own
	if r := m.look(); r.OfFallback() {
		t.Error("what is mounted is said to be of the fallback")
	}
	m.reads("live/a", "1", "tls/a", "1", "web/a", "1", "web/b", "1")
}

// TestFallbackOfTwo: volumes of different configurations don't go together.
func TestFallbackOfTwo(t *testing.T) {
	for hash, words := range map[string]string{"": "", "3 2": "", "3 4": "come from different configurations", "3": "it must hold two words", "3 4 5": "it must hold two words"} {
		m := newMounts(t, "web/", "tls/")
		for name, content := range map[string]string{"web": "1 2\n", "tls": hash} {
			dir := m.dir + "/fallback/" + name
			m.must(os.MkdirAll(dir, 0o755), os.WriteFile(dir+"/a", nil, 0o644))
			if content != "" {
				m.must(os.WriteFile(dir+"/..hash", []byte(content), 0o644), os.Symlink("..hash", dir+"/.confit-hash"))
			}
		}
		var err error
		m.reader, err = m.reader.InFallback(m.volumes(), m.dir+"/fallback")
		m.must(err)
		if words != "" {
			m.refused(words)
		} else {
			m.reads("tls/a", "", "web/a", "")
		}
	}
}

// TestTry: a try finds all that a start would fail of, and what is odd, and reads nothing.
func TestTry(t *testing.T) {
	m := newMounts(t, "web/a", "web/b.conf", "tls/x", "web/late optional")
	m.write("web", "a", "1", "b.cnf", "1")
	if _, err := m.reader.InTry(m.volumes(), m.dir, false); !errors.Is(err, volume.ErrNotTried) {
		t.Errorf("error %v", err)
	}
	var wrong, odd []string
	fail := func(err error) {
		if err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	note := func(format string, args ...any) { odd = append(odd, fmt.Sprintf(format, args...)) }
	keys := m.reader.Check(m.volumes(), fail, note)
	for _, words := range []string{`key "b.conf" is missing from volume "` + m.volumes("web") + `"; did you mean "b.cnf"?`, `"tls/x" needs volume "` + m.volumes("tls") + `", which is not mounted`} {
		if !strings.Contains(strings.Join(wrong, "\n"), words) {
			t.Errorf("wrong is %q, not %q", wrong, words)
		}
	}
	if all := strings.Join(odd, "\n"); len(keys) != 1 || keys[0].Path != "web/a" || !strings.Contains(all, `holds ["a" "b.cnf"]`) || !strings.Contains(all, "it is optional") {
		t.Errorf("%d keys, odd is %q", len(keys), odd)
	}
	tried := m.dir + "/tried"
	m.must(os.MkdirAll(tried+"/tls", 0o755), os.WriteFile(tried+"/tls/x", []byte("t"), 0o644))
	m.write("web", "a", "1", "b.conf", "1")
	there, err := m.reader.InTry(m.volumes(), tried, false)
	m.must(err)
	m.reader = there
	m.reads("tls/x", "t", "web/a", "1", "web/b.conf", "1")
}

// TestRendered: what the renderer made is read like a plain volume. What could lead out of a
// generation, or has a name that can't be told, is refused.
func TestRendered(t *testing.T) {
	m := newMounts(t, "web/a", "{rendered}/r", "{rendered}/sub/*")
	m.must(os.MkdirAll(m.dir+"/made/sub", 0o755), os.WriteFile(m.dir+"/made/r", []byte("1"), 0o644))
	look := func() (*volume.Reading, error) {
		made, err := safedir.At(m.dir + "/made")
		m.must(err)
		return m.reader.LookAtRendered(made)
	}
	if _, err := look(); !files.IsInvalid(err) || !strings.Contains(err.Error(), `the renderer made no "{rendered}/sub/*"`) {
		t.Errorf("error %v", err)
	}
	m.must(os.WriteFile(m.dir+"/made/sub/x", []byte("2"), 0o644))
	r, err := look()
	m.must(err)
	defer r.Close()
	known, err := r.Hash()
	if m.must(err); len(known) != 2 || known[".rendered/r"].Size != 1 || known[".rendered/sub/x"].Sum == (files.Hash{}) {
		t.Errorf("it made %+v", known)
	}
	for name, words := range map[string]string{"link": "a symlink", "fifo": "a FIFO", "..data": "begin with two dots are the kubelet's", "a\nb": "holds a control character"} {
		path := m.dir + "/made/sub/" + name
		switch name {
		case "link":
			m.must(os.Symlink("x", path))
		case "fifo":
			m.must(unix.Mkfifo(path, 0o644))
		default:
			m.must(os.WriteFile(path, nil, 0o644))
		}
		if _, err := look(); !files.IsInvalid(err) || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: error %v, want %q", name, err, words)
		}
		m.must(os.Remove(path))
	}
}

// TestStatus: what each volume is, and which directories tell of its changes.
func TestStatus(t *testing.T) {
	m := newMounts(t, "web/b", "web/a", "web/c direct optional", "plain/sub/*", "none/x optional")
	m.write("web", "a", "1", "b", "1")
	m.put("plain/sub/x", "1")
	r := m.look()
	dirs := r.Dirs()
	if want := []string{m.volumes("none"), m.volumes("plain"), m.volumes("plain/sub"), m.volumes("web")}; !slices.Equal(dirs, want) {
		t.Errorf("hints come of %q, want %q", dirs, want)
	}
	data, err := os.Readlink(m.volumes("web", lines.DataLink))
	m.must(err)
	want := []volume.Status{
		{Path: m.volumes("web"), Kind: "atomic", Watched: "polling", Mounted: data, Prefix: "web", Patterns: []string{"a", "b", "c"}},
		{Path: m.volumes("plain"), Kind: "plain", Watched: "polling", Prefix: "plain", Patterns: []string{"sub/*"}},
		{Path: m.volumes("none"), Kind: "missing", Watched: "polling", Prefix: "none", Patterns: []string{"x"}},
	}
	if got := r.Status(new(watch.Changes), dirs); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	m.holds(r, "plain/sub/x", "1", "web/a", "1", "web/b", "1")
	for _, k := range r.FirstKeys() {
		if _, err := os.Stat(k.InPlace()); errors.Is(err, fs.ErrNotExist) || k.Path == "web/a" && k.InPlace() != m.volumes("web/..data/a") {
			t.Errorf("%s is in its place at %q (%v)", k.Path, k.InPlace(), err)
		}
	}
}
