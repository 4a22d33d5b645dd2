package seed

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// another is a user who is neither root nor the owner of the image.
const another = 65534

// role says that this process is a user's run: its arguments are the pairs.
const role = "SEED_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(role) == "" {
		os.Exit(m.Run())
	}
	var pairs []Pair
	for _, text := range os.Args[1:] {
		p, err := Parse(text)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(64)
		}
		pairs = append(pairs, p)
	}
	if err := Run(os.Stderr, pairs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(71)
	}
	os.Exit(0)
}

// image is a directory of an image, and a volume to which it is copied.
type image struct {
	testing.TB
	dir  string
	user int
}

// newImage makes both, which every user may enter. The volume is as an emptyDir.
func newImage(t testing.TB, user int) *image {
	t.Helper()
	i := &image{t, t.TempDir(), user}
	for dir := i.dir; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		i.must(os.Chmod(dir, 0o755))
	}
	program, err := os.ReadFile("/proc/self/exe")
	i.must(err)
	i.must(errors.Join(os.WriteFile(i.path("program"), program, 0o755), os.Chmod(i.path("program"), 0o755)))
	for _, dir := range []string{"image", "volume"} {
		i.must(os.Mkdir(i.path(dir), 0o755))
	}
	i.must(os.Chmod(i.path("image"), 0o755))
	i.must(os.Chmod(i.path("volume"), 0o777))
	return i
}

func (i *image) path(elements ...string) string {
	return filepath.Join(append([]string{i.dir}, elements...)...)
}

func (i *image) must(err error) {
	i.Helper()
	if err != nil {
		i.Fatal(err)
	}
}

// put makes a file of the image, whatever the umask.
func (i *image) put(name, content string, mode uint32) {
	i.Helper()
	path := i.path("image", name)
	i.must(os.MkdirAll(filepath.Dir(path), 0o755))
	i.must(os.WriteFile(path, []byte(content), 0o644))
	i.must(unix.Chmod(path, mode))
}

// run copies as the image's user does, and returns what is said and the exit code.
func (i *image) run(pairs ...string) (said string, code int) {
	i.Helper()
	c := exec.Command(i.path("program"), pairs...)
	var out bytes.Buffer
	c.Env, c.Stderr = []string{role + "=1"}, &out
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(i.user), Gid: uint32(i.user)}}
	if err := c.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		i.Fatal(err)
	}
	return out.String(), c.ProcessState.ExitCode()
}

// seed copies the image to a name in the volume, which must go well.
func (i *image) seed(to string) (said string) {
	i.Helper()
	said, code := i.run(i.path("image") + "=" + i.path("volume", to))
	if code != 0 {
		i.Fatalf("exit code %d: %s", code, said)
	}
	return said
}

// tree describes all that is in a directory, but for what its user can't keep: the owner, and the right of root alone to write,
// unless root copies.
func (i *image) tree(dir string) map[string]string {
	i.Helper()
	found := map[string]string{}
	i.must(filepath.WalkDir(i.path(dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		i.must(err)
		mode := info.Mode()
		if i.user != 0 && dir == "image" && mode&fs.ModeSymlink == 0 && mode&0o002 == 0 {
			mode &^= 0o222
		}
		text := mode.String()
		switch {
		case info.Mode().IsRegular():
			content, err := os.ReadFile(path)
			i.must(err)
			text += fmt.Sprintf(" %q %v %q", content, info.ModTime().UnixNano(), xattrsOf(path))
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			i.must(err)
			text += " " + to
		case d.IsDir():
			text += fmt.Sprintf(" %v", info.ModTime().UnixNano())
		}
		if st := info.Sys().(*syscall.Stat_t); i.user == 0 {
			text += fmt.Sprintf(" %d:%d", st.Uid, st.Gid)
		}
		found[strings.TrimPrefix(path, i.path(dir))] = text
		return nil
	}))
	return found
}

func xattrsOf(path string) string {
	list := make([]byte, 1000)
	n, _ := unix.Listxattr(path, list)
	var text strings.Builder
	for name := range strings.SplitSeq(string(list[:max(n, 0)]), "\x00") {
		value := make([]byte, 1000)
		if n, err := unix.Getxattr(path, name, value); err == nil {
			fmt.Fprintf(&text, "%s=%x ", name, value[:n])
		}
	}
	return text.String()
}

// same checks that a copy is what was copied.
func (i *image) same(copied string) {
	i.Helper()
	want, got := i.tree("image"), i.tree(copied)
	if maps.Equal(want, got) {
		return
	}
	for path := range want {
		if got[path] != want[path] {
			i.Errorf("%q is\n%s, want\n%s", path, got[path], want[path])
		}
	}
	for path := range got {
		if _, known := want[path]; !known {
			i.Errorf("%q is new: %s", path, got[path])
		}
	}
}

// says checks that something is said.
func (i *image) says(said string, words ...string) {
	i.Helper()
	for _, w := range words {
		if !strings.Contains(said, w) {
			i.Errorf("it doesn't say %q:\n%s", w, said)
		}
	}
}

// eachUser runs a test as root and as another user.
func eachUser(t *testing.T, test func(*image)) {
	for _, user := range []int{0, another} {
		t.Run(fmt.Sprint("user ", user), func(t *testing.T) { test(newImage(t, user)) })
	}
}
