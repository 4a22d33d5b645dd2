package volume_test

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
	kubelet "confit/integration/volume"
	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/lines"
	"confit/linker/volume"
)

// TestOneState: what is read of an atomic volume is of the directory that was behind ..data
// when it was looked at, also in the middle of a swap. Once that directory goes, no key is
// read in its place from another one.
func TestOneState(t *testing.T) {
	m := newMounts(t, "web/", "web/sub/*", "web/late optional")
	m.put("web/..1/a", "a1")
	m.put("web/..1/sub/b", "b1")
	m.put("web/..2/a", "a2")
	m.put("web/..2/sub/b", "b2")
	m.put("web/..2/late", "l2")
	m.swap("web", "..1")
	before := m.look()
	m.swap("web", "..2")
	m.holds(before, "web/a", "a1", "web/sub/b", "b1")
	m.reads("web/a", "a2", "web/late", "l2", "web/sub/b", "b2")

	again := m.look()
	m.swap("web", "..1")
	m.must(os.RemoveAll(m.volumes("web/..2")))
	if known, err := again.Read(); err == nil && len(known) > 0 {
		t.Errorf("read %v of a directory that is gone", known)
	}
	if err := again.CheckUnmoved(); !errors.Is(err, files.ErrMoved) {
		t.Errorf("error %v, want %v", err, files.ErrMoved)
	}
}

// TestChangesAreNoticed, also while nobody has read a key. What no line asks for is no
// change.
func TestChangesAreNoticed(t *testing.T) {
	for name, tt := range map[string]struct {
		change  func(m *mounts)
		noticed bool
	}{
		"nothing":                 {func(*mounts) {}, false},
		"a swap":                  {func(m *mounts) { m.write("web", "a", "2") }, true},
		"a swap of the same keys": {func(m *mounts) { m.must(os.RemoveAll(m.volumes("web"))); m.write("web", "a", "1") }, true},
		"a lost ..data":           {func(m *mounts) { m.must(os.Remove(m.volumes("web/..data"))) }, true},
		"a lost volume":           {func(m *mounts) { m.must(os.RemoveAll(m.volumes("web"))) }, true},
		"a file by rename":        {func(m *mounts) { m.put("plain/b", "1") }, true},
		"a file in its place":     {func(m *mounts) { m.must(os.WriteFile(m.volumes("plain/b"), []byte("22"), 0)) }, true},
		"a file more":             {func(m *mounts) { m.put("plain/sub/new", "1") }, true},
		"a file less":             {func(m *mounts) { m.must(os.Remove(m.volumes("plain/sub/c"))) }, true},
		"a volume more":           {func(m *mounts) { m.put("late/x", "1") }, true},
		"of another file":         {func(m *mounts) { m.put("plain/other", "1") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMounts(t, "web/a", "plain/b", "plain/sub/", "late/x optional")
			m.write("web", "a", "1")
			m.put("plain/b", "1")
			m.put("plain/sub/c", "1")
			before := m.look()
			tt.change(m)
			if err := before.CheckUnmoved(); errors.Is(err, files.ErrMoved) != tt.noticed || !tt.noticed && err != nil {
				t.Errorf("error %v, want that it is noticed: %v", err, tt.noticed)
			}
			now := m.look()
			if beside := now.Fingerprint.Without(before.Fingerprint); (now.Fingerprint != before.Fingerprint) != tt.noticed || len(beside) > 0 && !tt.noticed {
				t.Errorf("%q was not there before", beside)
			}
		})
	}
}

// TestHowVolumesChange: it depends on what is mounted whether a whole swap is all there is to
// wait for, and whether a look may go on with directories that are watched only now.
func TestHowVolumesChange(t *testing.T) {
	m := newMounts(t, "web/a", "tls/a optional")
	m.write("web", "a", "1")
	m.write("tls", "a", "1")
	if r := m.look(); r.Writing() != volume.SwapBySwap || !r.Swaps().Hold() || r.Fresh() {
		t.Errorf("two atomic volumes: %v, holds %v, fresh %v", r.Writing(), r.Swaps().Hold(), r.Fresh())
	}
	m = newMounts(t, "web/a", "web/b optional")
	m.write("web", "a", "1")
	r := m.look()
	if r.Writing() != volume.OneSwap || !r.Swaps().Hold() {
		t.Errorf("one: %v, holds %v", r.Writing(), r.Swaps().Hold())
	}
	if m.write("web", "a", "2"); r.Swaps().Hold() {
		t.Error("a volume that was swapped is said to be as it was")
	}
	m = newMounts(t, "web/a", "plain/a")
	m.write("web", "a", "1")
	m.put("plain/a", "1")
	if r := m.look(); r.Writing() != volume.FileByFile || r.Swaps().Hold() {
		t.Errorf("a plain one: %v, holds %v", r.Writing(), r.Swaps().Hold())
	}
}

// TestMirrored: a volume whose ..data is older than what it leads to wasn't changed by one rename. It is looked at as a plain one: what is
// written to it is noticed, whichever of the keys that is.
func TestMirrored(t *testing.T) {
	m := newMounts(t, "web/")
	m.put("web/..1/a", "a1")
	m.swap("web", "..1")
	if r := m.look(); r.Writing() != volume.OneSwap {
		t.Errorf("a swap is written %v", r.Writing())
	}
	m.swap("web", "..2")
	later := time.Now().Add(time.Second) // than the link, by a clock that ticks every four milliseconds
	m.must(os.Mkdir(m.volumes("web/..2"), 0o755), os.WriteFile(m.volumes("web/..2/a"), []byte("a"), 0o644), os.Chtimes(m.volumes("web/..2"), later, later))
	r := m.look()
	if r.Writing() != volume.FileByFile || r.Swaps().Hold() || !slices.Contains(r.Dirs(), m.volumes("web/..2")) {
		t.Errorf("written %v, holds %v, hints come of %q", r.Writing(), r.Swaps().Hold(), r.Dirs())
	}
	m.holds(r, "web/a", "a")
	m.must(r.CheckUnmoved(), os.WriteFile(m.volumes("web/..2/a"), []byte("a2"), 0o644))
	if err := r.CheckUnmoved(); !errors.Is(err, files.ErrMoved) {
		t.Errorf("a key was written: error %v", err)
	}
	m.reads("web/a", "a2")
}

// TestTornDown: a volume that was atomic and is no longer isn't taken for an empty plain one.
func TestTornDown(t *testing.T) {
	m := newMounts(t, "web/ optional", "plain/ optional")
	m.write("web", "a", "1")
	m.write("plain/tls", "b", "1")
	m.reads("plain/tls/b", "1", "web/a", "1")
	m.must(os.RemoveAll(m.volumes("web")), os.Mkdir(m.volumes("web"), 0o755))
	m.refused(`web" lost its ..data link`)
	m.write("web", "a", "2")
	m.reads("plain/tls/b", "1", "web/a", "2")
	m.must(os.RemoveAll(m.volumes("plain/tls")), os.Mkdir(m.volumes("plain/tls"), 0o755))
	m.refused(`plain/tls" lost its ..data link`)
	m.write("plain/tls", "b", "2")
	m.reads("plain/tls/b", "2", "web/a", "2")
	m.must(os.RemoveAll(m.volumes("web")), os.WriteFile(m.volumes("web"), nil, 0o644))
	m.refused(`web" lost its ..data link`)
}

// TestMemoryStaysInMemory: of a volume that lives in memory, or of a file that does, nothing
// gets to a disk, unless that is allowed or nothing is copied.
func TestMemoryStaysInMemory(t *testing.T) {
	for name, tt := range map[string]struct {
		source, secret string // what is in memory
		keys           []string
	}{
		"a volume":          {"web/", "web", []string{"web/a", "s"}},
		"a directory in it": {"plain/", "plain/tls", []string{"plain/harmless", "h", "plain/tls/a", "s"}},
		"none of its keys":  {"web/none optional", "web", []string{}},
		"a direct volume":   {"web/ direct", "web", nil},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMounts(t, tt.source)
			m.put("plain/harmless", "h")
			m.must(os.MkdirAll(m.volumes(tt.secret), 0o755))
			if files.OnMemory(m.dir) {
				t.Fatal("the temporary directory is memory-backed: this test needs a disk")
			}
			testfs.Mount(t, "tmpfs", m.volumes(tt.secret), "tmpfs", "")
			m.must(kubelet.Write(m.volumes(tt.secret), kubelet.Strings("a", "s")))
			m.reader.AllowDisk = false
			r, err := m.reader.Look()
			if err == nil {
				defer r.Close()
				_, err = r.Read()
			}
			if tt.keys == nil {
				m.must(err)
				return
			}
			if err == nil || files.IsInvalid(err) || !strings.Contains(err.Error(), `cannot stage volume "`+m.volumes(tt.secret)+`" on disk`) || !strings.Contains(err.Error(), "--allow-disk") {
				t.Errorf("error %v (%T)", err, err)
			}
			m.reader.AllowDisk = true
			m.reads(tt.keys...)
		})
	}
}

// TestMemoryUntold: what a file system doesn't tell counts as memory, when it is read.
func TestMemoryUntold(t *testing.T) {
	m := newMounts(t, "web/")
	m.write("web", "a", "s")
	look := func() (err error) {
		testfs.Appearing(t, unix.V9FS_MAGIC, func() {
			var r *volume.Reading
			if r, err = m.reader.Look(); err == nil {
				r.Close()
			}
		})
		return err
	}
	m.must(look())
	if m.reader.AllowDisk = false; files.OnMemory(m.dir) {
		t.Fatal("the temporary directory is memory-backed: this test needs a disk")
	}
	if err := look(); err == nil || !strings.Contains(err.Error(), "may be memory-backed (9p doesn't tell)") || !strings.Contains(err.Error(), "--allow-disk") {
		t.Errorf("error %v", err)
	}
}

// TestCopiesAreNotMoreReadable: nobody may write to a copy, and its group has no more rights
// than others where the copy can't be given to the key's group.
func TestCopiesAreNotMoreReadable(t *testing.T) {
	for mode, want := range map[fs.FileMode][2]fs.FileMode{ // given, and not
		0o644: {0o444, 0o444}, 0o666: {0o444, 0o444}, 0o640: {0o440, 0o400}, 0o660: {0o440, 0o400}, 0o750: {0o550, 0o500},
		0o400: {0o400, 0o400}, 0o070: {0o050, 0}, 0o604: {0o404, 0o404}, 0o654: {0o454, 0o444},
	} {
		for i, refuse := range []uint32{unix.SYS_FCHMODAT2, unix.SYS_FCHOWN} {
			m := newMounts(t, "plain/a")
			m.put("plain/a", "1")
			m.must(os.Chown(m.volumes("plain/a"), 1234, 2345), os.Chmod(m.volumes("plain/a"), mode))
			var known map[lines.Key]generation.File
			var err error
			testfs.Refusing(t, unix.EPERM, refuse, func() {
				var r *volume.Reading
				if r, err = m.reader.Look(); err == nil {
					known, err = r.Read()
					r.Close()
				}
			})
			m.must(err)
			if f := known["plain/a"]; f.Mode != want[i] || f.Owner != 1234 || f.Group != 2345 {
				t.Errorf("of %03o: copied as %03o of %d:%d, want %03o", mode, f.Mode, f.Owner, f.Group, want[i])
			}
		}
	}
}

// TestTooLarge: a generation has its bound, also for keys that grow once they were looked at. A
// direct key has none, and is read as long as it was.
func TestTooLarge(t *testing.T) {
	m := newMounts(t, "plain/a", "plain/b", "plain/large direct")
	m.put("plain/a", strings.Repeat("a", 600<<10))
	m.put("plain/b", strings.Repeat("b", 300<<10))
	m.put("plain/large", strings.Repeat("l", 2<<20))
	r := m.look()
	if known, err := r.Hash(); err != nil || !known["plain/large"].Direct || known["plain/large"].Size != 2<<20 {
		t.Fatalf("%v, %+v", err, known["plain/large"])
	}
	m.must(os.WriteFile(m.volumes("plain/b"), make([]byte, 600<<10), 0))
	if _, err := r.Hash(); !files.IsInvalid(err) || !strings.Contains(err.Error(), `more than 1 MiB, with key "b"`) {
		t.Errorf("it has grown: %v", err)
	}
	m.refused(`more than 1 MiB, with key "b"`)
}
