package files_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// TestMayPass: what the system may fix by itself is never an [files.Invalid], however it is
// wrapped; anything else is, and says the same as before.
func TestMayPass(t *testing.T) {
	for _, err := range []error{unix.EIO, unix.EMFILE, unix.ENFILE, unix.ENOMEM, unix.ESTALE, unix.EINTR, unix.EAGAIN} {
		wrapped := &fs.PathError{Op: "open", Path: "x", Err: err}
		if got := files.AsInvalid(wrapped); files.IsInvalid(got) || !errors.Is(got, err) {
			t.Errorf("%v became %v (%T)", err, got, got)
		}
		if got := files.Invalidf("cannot read: %w", wrapped); files.IsInvalid(got) {
			t.Errorf("%v became %v (%T)", err, got, got)
		}
		if got := files.JoinInvalid([]error{unix.ENOENT, wrapped, unix.EACCES}); files.IsInvalid(got) || !errors.Is(got, err) {
			t.Errorf("%v among others became %v (%T)", err, got, got)
		}
	}
	for _, err := range []error{unix.ENOENT, unix.EACCES, unix.ENOTDIR, unix.ELOOP, errors.New("it is a FIFO")} {
		got := files.AsInvalid(err)
		if !files.IsInvalid(got) || !files.IsInvalid(fmt.Errorf("again: %w", got)) || !errors.Is(got, err) || got.Error() != err.Error() {
			t.Errorf("%v became %v (%T)", err, got, got)
		}
	}
}

// TestJoinInvalid: many problems are one error, which tells the first and how many more
// there are.
func TestJoinInvalid(t *testing.T) {
	if err := files.JoinInvalid(nil); err != nil {
		t.Errorf("no problem: %v", err)
	}
	var wrong []error
	for n := range files.MaxProblems + 5 {
		wrong = append(wrong, fmt.Errorf("problem %d", n))
	}
	lines := strings.Split(files.JoinInvalid(wrong).Error(), "\n")
	if len(lines) != files.MaxProblems+1 || lines[0] != "problem 0" || lines[files.MaxProblems] != "and 5 more" {
		t.Errorf("%q", lines)
	}
	if lines := strings.Split(files.JoinInvalid(wrong[:files.MaxProblems]).Error(), "\n"); len(lines) != files.MaxProblems {
		t.Errorf("%q", lines)
	}
}

// TestCause: the bare reason, without a path that would be said twice.
func TestCause(t *testing.T) {
	for _, err := range []error{unix.ENOENT, &fs.PathError{Err: unix.ENOENT}} {
		if got := files.Cause(err); got != unix.ENOENT {
			t.Errorf("%v: %v", err, got)
		}
	}
	if files.Ignoring(unix.ENOENT, fs.ErrNotExist) != nil || files.Ignoring(unix.EIO, fs.ErrNotExist) != unix.EIO || files.Ignoring(nil) != nil {
		t.Error("another error than the harmless one was ignored, or that one wasn't")
	}
}

// TestOwnNames: a name that confit gives is its own, no app's include finds it, and the
// longest name has one beside it, too, which is another for each.
func TestOwnNames(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("ä", 127)
	names := map[string]bool{}
	for _, name := range []string{"a", ".a", long, long + "x", "y" + long} {
		for _, prefix := range []string{files.KeptPrefix, files.ReplacedPrefix} {
			names[files.Sibling(name, prefix)] = true
		}
	}
	for range 10 {
		names[files.TmpName()] = true
	}
	if len(names) != 20 {
		t.Errorf("%d names, want 20", len(names))
	}
	for name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Error(err)
		}
		if !files.IsOwnName("/etc/"+name) || !files.IsOwnName("/etc/"+name+"/x") || !strings.HasPrefix(name, ".") || files.NameFlaw(name) != "" {
			t.Errorf("%q isn't known", name)
		}
	}
	for _, path := range []string{"/etc/a", "/etc/.confit", "/etc/a.confit-tmp-x", "/"} {
		if files.IsOwnName(path) {
			t.Errorf("%q is taken for confit's own", path)
		}
	}
}

// TestNameFlaw: what fits in JSON and on a line has none.
func TestNameFlaw(t *testing.T) {
	for name, want := range map[string]string{
		"nginx.conf": "", "größe": "", "with blank": "", "a\xff": "isn't UTF-8", "a\nb": "holds a control character", "\x7f": "holds a control character",
	} {
		if got := files.NameFlaw(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// TestCopy: a copy has the bytes and their hash. What is copied up to a limit shows by one byte that
// there was more.
func TestCopy(t *testing.T) {
	c := files.NewCopier()
	for _, size := range []int{0, 1, 16 << 10, 100_000} {
		var to bytes.Buffer
		data := bytes.Repeat([]byte("x"), size)
		sum, n, err := c.CopyUpTo(bytes.NewReader(data), &to, 100_000)
		if err != nil || n != int64(size) || !bytes.Equal(to.Bytes(), data) || sum != files.Hash(sha256.Sum256(data)) {
			t.Errorf("%d bytes: %d, %v (%v)", size, to.Len(), sum, err)
		}
	}
	var to bytes.Buffer
	if _, n, err := c.CopyUpTo(strings.NewReader("12345"), &to, 3); n != 4 || err != nil || to.String() != "1234" {
		t.Errorf("copied %q, %d bytes (%v)", to.String(), n, err)
	}
}

// TestHash: what is written of a hash gives that hash again, and nothing else gives any.
func TestHash(t *testing.T) {
	h := files.Hash(sha256.Sum256([]byte("x")))
	var read files.Hash
	must(t, read.UnmarshalText([]byte(h.Hex())))
	if read != h || len(h.Hex()) != 64 || !strings.HasPrefix(h.Hex(), h.String()) || h.LogValue().String() != h.String() {
		t.Errorf("%q and %q of %x", h.Hex(), h, h[:])
	}
	for _, s := range []string{"", h.String(), h.Hex()[:63], h.Hex() + "00", strings.Repeat("g", 64)} {
		read := h
		if read.UnmarshalText([]byte(s)) != nil || read != (files.Hash{}) {
			t.Errorf("%q gives %v", s, read)
		}
	}
}

// TestResolver: the directories of a path are real, its last element is as written. What
// isn't there stays as written, too.
func TestResolver(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err, os.MkdirAll(dir+"/real/sub", 0o755), os.Symlink("real", dir+"/alias"), os.Symlink("x", dir+"/real/link"))
	r := files.Resolver{}
	for path, want := range map[string]string{
		"/alias/sub/x": "/real/sub/x", "/alias/link": "/real/link", "/alias": "/alias", "/alias/none/deep/x": "/real/none/deep/x", "/none/x": "/none/x",
	} {
		for range 2 {
			if got := r.Path(dir + path); got != dir+want {
				t.Errorf("%s: %s, want %s", path, got, dir+want)
			}
		}
	}
	if got := r.Dir(dir + "/alias"); got != dir+"/real" {
		t.Errorf("the directory is %s", got)
	}
	if !files.Inside("/a/b", "/a") || !files.Inside("/a", "/a") || files.Inside("/ab", "/a") || !files.Inside("/a", "/") {
		t.Error("a path is inside a directory if it is that or below it")
	}
}
