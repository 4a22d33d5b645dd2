package confit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// newPlain is a setup with a plain volume, which is linked whole and holds one key.
func newPlain(t *testing.T) (s *setup, volume string) {
	t.Helper()
	s = newSetup(t)
	volume = s.mkdir("volumes", "plain")
	s.line("link plain/ %s/", s.target("plain"))
	s.line("reload signal:HUP")
	s.write(volume+"/a", "first")
	return s, volume
}

// Whoever may write to a plain volume can put a FIFO in the place of a directory or a key at any moment. confit never waits for a
// writer: the change that comes after all that reloads the app.
func TestVolume_never_blocks(t *testing.T) {
	t.Parallel()
	s, volume := newPlain(t)
	s.line("rescan 100ms")
	s.line("retry 100ms")
	c := s.start(app("-print", s.target("plain/a"))...)
	c.Says("ready", 1)
	stop := make(chan struct{})
	var flippers sync.WaitGroup
	for name, put := range map[string][]func(string) error{
		"sub": {makeDir, makeFIFO},
		"b":   {makeFile, makeFIFO, makeDir},
	} {
		flippers.Go(func() { flip(stop, filepath.Join(volume, name), put) })
	}
	c.wantRejected("stage", 4)
	close(stop)
	flippers.Wait()
	if err := errors.Join(os.RemoveAll(volume+"/sub"), os.RemoveAll(volume+"/b")); err != nil {
		t.Fatal(err)
	}
	s.replace(volume+"/a", "last")
	c.Says("read last", 1)
	c.wantHealthy()
}

func makeDir(path string) error  { return os.Mkdir(path, 0o755) }
func makeFIFO(path string) error { return unix.Mkfifo(path, 0o644) }
func makeFile(path string) error { return os.WriteFile(path, nil, 0o644) }

func flip(stop chan struct{}, path string, put []func(string) error) {
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		default:
			_ = os.RemoveAll(path)
			_ = put[n%len(put)](path)
		}
	}
}

// A Secret is mounted below a plain directory: its copies don't go to a disk either, and the error says where it is mounted.
func TestVolume_secret_below_plain(t *testing.T) {
	t.Parallel()
	s, volume := newPlain(t)
	s.state = filepath.Join(diskDir(t), "state")
	secret := newVolume(t, memoryDir(t))
	secret.swap(keys{"tls.crt": "hunter2"})
	disk, tls := diskDir(t), filepath.Join(volume, "tls")
	s.write(disk+"/a", "first")
	if err := os.Mkdir(disk+"/tls", 0o755); err != nil {
		t.Fatal(err)
	}
	s.box.Mounts = []harness.Mount{harness.Bind(disk, volume), harness.Bind(secret.dir, tls)}
	c := s.start(app()...)
	c.Ends(71)
	c.wantMention(fmt.Sprintf("cannot stage volume %q on disk", tls))
	if c.Contains(fmt.Sprintf("%q", volume)) || c.Contains("hunter2") {
		t.Error("the error names the whole volume, or the value")
	}
	if copies, _ := filepath.Glob(s.state + "/generations/*"); len(copies) != 0 {
		t.Errorf("copies on disk: %q", copies)
	}
}

// A volume of the kubelet's is mounted below a plain directory: its swap reloads the app at once, with all keys.
func TestVolume_atomic_below_plain(t *testing.T) {
	t.Parallel()
	s, _ := newPlain(t)
	tls := s.volume("plain/tls")
	tls.swap(keys{"tls.crt": "crt 0", "sub/key": "key 0"})
	c := s.start(app("-print", s.target("plain/tls/tls.crt")+","+s.target("plain/tls/sub/key"))...)
	c.Says("ready", 1)
	for n := 1; n <= 5; n++ {
		tls.swap(keys{"tls.crt": fmt.Sprintf("crt %d", n), "sub/key": fmt.Sprintf("key %d", n), fmt.Sprintf("new%d", n): "new"})
		c.Says(fmt.Sprintf("read crt %d", n), 1)
		c.Says(fmt.Sprintf("read key %d", n), 1)
		c.Eventually("the links of the new keys", func() bool {
			return exists(s.target(fmt.Sprintf("plain/tls/new%d", n))) && !exists(s.target(fmt.Sprintf("plain/tls/new%d", n-1)))
		})
	}
	c.wantLogged("candidate rejected", 0)
	c.wantHealthy()
}

// A key in a directory that has just appeared reloads the app without a rescan, even if the directory was empty for a while.
func TestVolume_new_directories(t *testing.T) {
	t.Parallel()
	s, volume := newPlain(t)
	s.line("link plain/late/deep/key %s optional", s.target("key"))
	c := s.start(app("-print", s.target("plain/one/two/b")+","+s.target("key"))...)
	c.Says("ready", 1)
	for _, dir := range []string{"one", "late", "one/two", "late/deep"} {
		s.mkdir("volumes", "plain", dir)
		c.wantWatched(filepath.Join(volume, dir))
	}
	s.write(volume+"/one/two/b", "b1")
	c.Says("read b1", 1)
	s.write(volume+"/late/deep/key", "key1")
	c.Says("read key1", 1)
	c.wantHealthy()
}

// wantWatched waits until the kernel lists confit's watch on a directory: proc_pid_fdinfo(5).
func (c *confit) wantWatched(dir string) {
	c.t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		c.t.Fatal(err)
	}
	want := fmt.Sprintf(" ino:%x ", st.Ino)
	c.Eventually("a watch on "+dir, func() bool {
		infos, _ := filepath.Glob(c.Proc("fdinfo/*"))
		for _, path := range infos {
			info, _ := os.ReadFile(path)
			if strings.Contains(string(info), "inotify ") && strings.Contains(string(info), want) {
				return true
			}
		}
		return false
	})
}

// confit refuses names that no status, note or hook could carry, and quotes them. When they are gone, all is well.
func TestVolume_names(t *testing.T) {
	for name, quoted := range map[string]string{"a\xffb": `a\xffb`, "a\nb": `a\nb`, "\x1b[2J": `\x1b[2J`} {
		t.Run(quoted, func(t *testing.T) {
			t.Parallel()
			s, volume := newPlain(t)
			c := s.start(app("-print", s.target("plain/a"))...)
			c.Says("ready", 1)
			s.write(volume+"/"+name, "x")
			c.wantRejected("stage", 1)
			c.wantMention("rename it")
			if c.Contains(name) || !c.Contains(strings.ReplaceAll(quoted, `\`, `\\`)) {
				t.Errorf("the name isn't quoted")
			}
			if err := os.Remove(volume + "/" + name); err != nil {
				t.Fatal(err)
			}
			s.replace(volume+"/a", "second")
			c.Says("read second", 1)
			c.wantHealthy()
		})
	}
}

// A key that is too large is refused at once, and so is one that grows while it is read.
func TestVolume_key_that_grows(t *testing.T) {
	t.Parallel()
	s, volume := newPlain(t)
	s.line("rescan 100ms")
	c := s.start(app("-print", s.target("plain/a"))...)
	c.Says("ready", 1)
	stop := make(chan struct{})
	var grower sync.WaitGroup
	grower.Go(func() {
		for n := int64(0); ; n++ {
			select {
			case <-stop:
				return
			default:
				_ = os.Truncate(volume+"/a", []int64{5, 1 << 40, 1000, 60 << 20}[n%4])
			}
		}
	})
	c.wantMentioned("a generation would hold more than 64 MiB", 3)
	close(stop)
	grower.Wait()
	s.replace(volume+"/a", "last")
	c.Says("read last", 1)
	c.wantHealthy()
}

// Somebody writes to a plain volume without a pause, as a program does that keeps its log there. Links are fixed all the same.
func TestVolume_restless(t *testing.T) {
	t.Parallel()
	s, volume := newPlain(t)
	s.line("rescan 2s")
	c := s.start(app("-print", s.target("plain/a"))...)
	c.Says("ready", 1)
	c.accepts(1)
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() { flip(stop, filepath.Join(volume, "..log"), []func(string) error{makeFile}) })
	if err := os.Remove(s.target("plain/a")); err != nil {
		t.Fatal(err)
	}
	c.logs("target restored", 1)
	close(stop)
	writer.Wait()
	s.wantFiles(keys{"plain/a": "first"})
}
