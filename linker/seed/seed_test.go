package seed

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
)

// grow makes a random tree below a directory of the image: files of any size and mode that
// everybody may read, symlinks that lead anywhere, names of any bytes, directories without the right to write.
func (i *image) grow(r *rand.Rand, dir string, depth int) {
	for range r.IntN(6) {
		name := fmt.Sprintf("%s/%d", dir, r.IntN(1000))
		if r.IntN(3) == 0 {
			name += " \n\xff=%s"
		}
		path := i.path("image", name)
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		switch kind := r.IntN(6); {
		case kind == 0:
			i.must(os.Symlink([]string{"a", "/etc/passwd", "..", "nothing\n"}[r.IntN(4)], path))
		case kind < 3 && depth < 4:
			i.must(os.Mkdir(path, 0o755))
			i.grow(r, name, depth+1)
			i.must(unix.Chmod(path, 0o555|uint32(r.IntN(8))<<6|uint32(r.IntN(2))<<9)) // sticky, too
			i.must(os.Chtimes(path, time.Time{}, time.Unix(r.Int64N(2e9), r.Int64N(1e9))))
		default:
			i.put(name, strings.Repeat("x", r.IntN(3)*r.IntN(70000)), 0o444|uint32(r.IntN(0o1000)))
			i.must(os.Chown(path, r.IntN(3), r.IntN(3)))
			i.must(os.Chtimes(path, time.Time{}, time.Unix(r.Int64N(2e9), r.Int64N(1e9))))
			if r.IntN(2) == 0 {
				i.must(unix.Setxattr(path, "user.a", []byte("b"), 0))
			}
		}
	}
}

// TestSeed: a copy is what was copied, whatever that is, and a second run changes nothing, be the copy's
// directory made by it or there already. make check has fifteen trees of each user: TestSeed_often.
func TestSeed(t *testing.T) { seedTrees(t, 2) }

func seedTrees(t *testing.T, trees int) {
	eachUser(t, func(i *image) {
		for n := range trees {
			seed := rand.Uint64()
			i.Logf("tree %d grows from %d", n, seed)
			i.must(os.RemoveAll(i.path("image")))
			i.must(os.Mkdir(i.path("image"), 0o755))
			i.grow(rand.New(rand.NewPCG(seed, 0)), ".", 0)
			i.must(os.Chtimes(i.path("image"), time.Time{}, time.Unix(1e9, 0)))
			to := fmt.Sprintf("%d/etc/nginx", n)
			said := i.seed(to)
			i.same(filepath.Join("volume", to))
			if strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "seeded ") {
				i.Errorf("it says %s", said)
			}
			before := i.tree("volume")
			i.says(i.seed(to), "seeded 0 files, 0 bytes")
			if !maps.Equal(before, i.tree("volume")) {
				i.Error("a second run has changed something")
			}
			there := fmt.Sprint(n, "/there")
			i.must(os.Mkdir(i.path("volume", there), 0o777))
			i.must(os.Chmod(i.path("volume", there), 0o777))
			i.seed(there)
			i.must(os.Chtimes(i.path("volume", there), time.Time{}, time.Unix(1e9, 0)))
			i.must(unix.Chmod(i.path("volume", there), map[int]uint32{0: 0o755, another: 0o555}[i.user]))
			i.same(filepath.Join("volume", there))
		}
	})
}

// TestSeed_keeps: what is there stays, whatever it is, and what is missing beside it comes.
func TestSeed_keeps(t *testing.T) {
	eachUser(t, func(i *image) {
		for _, name := range []string{"a", "b", "c/a", "c/b", "d"} {
			i.put(name, "image", 0o644)
		}
		i.must(os.Mkdir(i.path("volume/to"), 0o777))
		i.must(os.Chmod(i.path("volume/to"), 0o777))
		i.must(os.WriteFile(i.path("volume/to/a"), []byte("app"), 0o600))
		i.must(os.Symlink("nothing", i.path("volume/to/b")))
		i.must(os.Mkdir(i.path("volume/to/c"), 0o700))
		before := i.tree("volume/to")
		i.says(i.seed("to"), "seeded 1 files, 5 bytes")
		after := i.tree("volume/to")
		for path, want := range before {
			if path != "" && after[path] != want {
				i.Errorf("%q was %s and is %s", path, want, after[path])
			}
		}
		if len(after) != len(before)+1 {
			i.Errorf("there are %v", after)
		}
	})
}

// TestSeed_leaves_out: what gives rights, is no file, or can't be read is named, and the rest is
// copied.
func TestSeed_leaves_out(t *testing.T) {
	eachUser(t, func(i *image) {
		i.put("good", "good", 0o644)
		i.put("setuid", "s", 0o4755)
		i.put("setgid", "s", 0o2755)
		i.put("locked", "l", 0o600)
		i.put("shut/a", "l", 0o644)
		i.must(os.Chmod(i.path("image/shut"), 0o700))
		i.must(unix.Mkfifo(i.path("image/fifo"), 0o644))
		i.must(unix.Mknod(i.path("image/device"), unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))))
		i.must(unix.Mknod(i.path("image/socket"), unix.S_IFSOCK|0o666, 0))
		capability := []byte{1, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
		i.must(unix.Setxattr(i.path("image/good"), "security.capability", capability, 0))
		said := i.seed("to")
		want := map[string]uint32{"good": 0o644, "setuid": 0o755, "setgid": 0o755, "locked": 0o600, "shut": 0o700}
		i.says(said, `left out: "`+i.path("image/fifo")+`": it is a device, a FIFO or a socket`, `left out: "`+i.path("image/device"), `left out: "`+i.path("image/socket"),
			`not kept: "`+i.path("image/setuid")+`": the bits set-user-ID and set-group-ID`, `not kept: "`+i.path("image/setgid"), `not kept: "`+i.path("image/good")+`": security.capability`)
		if i.user != 0 {
			want = map[string]uint32{"good": 0o444, "setuid": 0o555, "setgid": 0o555}
			i.says(said, `left out: "`+i.path("image/locked")+`": permission denied`, `left out: "`+i.path("image/shut")+`": permission denied`)
		}
		entries, err := os.ReadDir(i.path("volume/to"))
		i.must(err)
		for _, e := range entries {
			var st unix.Stat_t
			i.must(unix.Lstat(i.path("volume/to", e.Name()), &st))
			if mode, known := want[e.Name()]; !known || st.Mode&0o7777 != mode {
				i.Errorf("%s has mode %o", e.Name(), st.Mode)
			}
		}
		if len(entries) != len(want) || xattrsOf(i.path("volume/to/good")) != "" {
			i.Errorf("copied %v", entries)
		}
	})
}

// TestSeed_alone: a copy of root's key that its group may read is another user's alone, as programs refuse such a key of their own user's.
func TestSeed_alone(t *testing.T) {
	i := newImage(t, another)
	want := map[string]uint32{}
	for name, mode := range map[string]struct{ of, copy uint32 }{
		"key": {0o640, 0o400}, "run": {0o750, 0o500}, "written": {0o660, 0o600}, "public": {0o644, 0o444}, "only by its group": {0o040, 0o400},
	} {
		i.put(name, name, 0o644)
		i.must(errors.Join(os.Chown(i.path("image", name), 0, another), unix.Chmod(i.path("image", name), mode.of)))
		want[name] = mode.copy
	}
	i.seed("to")
	for name, mode := range want {
		var st unix.Stat_t
		i.must(unix.Lstat(i.path("volume/to", name), &st))
		if st.Mode&0o7777 != mode || st.Uid != another {
			i.Errorf("%s has mode %o, and is of %d; want %o", name, st.Mode, st.Uid, mode)
		}
	}
}

// TestSeed_mounts: what something else is mounted on below the directory is left out, and the directory itself may be a mount.
func TestSeed_mounts(t *testing.T) {
	i := newImage(t, another)
	i.put("hosts", "image", 0o644)
	i.put("run/token", "image", 0o644)
	i.put("a", "image", 0o644)
	i.must(os.WriteFile(i.path("secret"), []byte("of the pod"), 0o644))
	for _, bound := range [][2]string{{"image", "image"}, {"secret", "image/hosts"}, {"volume", "image/run"}} {
		i.must(unix.Mount(i.path(bound[0]), i.path(bound[1]), "", unix.MS_BIND, ""))
		t.Cleanup(func() { _ = unix.Unmount(i.path(bound[1]), unix.MNT_DETACH) })
	}
	said := i.seed("to")
	i.says(said, `left out: "`+i.path("image/hosts")+`": something is mounted there`, `left out: "`+i.path("image/run")+`"`, "seeded 1 files, 5 bytes")
	if got := i.tree("volume/to"); len(got) != 2 || got["/a"] == "" {
		t.Errorf("copied %v", got)
	}
}

// TestSeed_everywhere: also where renameat2(2) can't be used, and on an overlay.
func TestSeed_everywhere(t *testing.T) {
	testfs.Everywhere(t, func(t *testing.T, dir string, seal func()) {
		from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
		for _, d := range []string{from, to, filepath.Join(from, "a")} {
			if err := os.Mkdir(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		seal()
		for _, target := range []string{to, filepath.Join(dir, "new")} {
			if err := Run(t.Output(), []Pair{{from, target}}); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(filepath.Join(target, "a")); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestSeed_no_rights: what a user couldn't write to in the image he can't write to in the copy, nor in a directory that the image
// doesn't have; what he could he can.
func TestSeed_no_rights(t *testing.T) {
	i := newImage(t, another)
	i.put("passwd", "root", 0o644)
	i.put("shut/a", "a", 0o644)
	i.put("open/a", "a", 0o666)
	i.must(os.Chmod(i.path("image/open"), 0o777))
	i.put("own/a", "a", 0o644)
	i.must(errors.Join(os.Chown(i.path("image/own"), another, another), os.Chown(i.path("image/own/a"), another, another)))
	i.seed("to")
	if said, code := i.run(i.path("image/none") + "=" + i.path("volume/none")); code != 0 {
		t.Fatal(said)
	}
	for name, want := range map[string]bool{"to": false, "to/passwd": false, "to/shut": false, "to/shut/a": false, "none": false,
		"to/open": true, "to/open/a": true, "to/own": true, "to/own/a": true} {
		c := exec.Command("test", "-w", i.path("volume", name))
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: another, Gid: another}}
		if got := c.Run() == nil; got != want {
			t.Errorf("%s: the user may write: %v, want %v", name, got, want)
		}
	}
}
