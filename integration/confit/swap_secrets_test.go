package confit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// confit never writes a value of a key, be the candidate accepted, rejected or unreadable, at any log level and in both formats;
// nor is one in its own files, beside the generations.
func TestSecrets_never_told(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			const value = "hunter2-is-the-value"
			s := newSetup(t)
			s.line("link web/password %s", s.target("password"))
			s.line("link web/*.conf %s/ optional", s.target("conf.d"))
			s.line("validate sh -c 'test ! -e {candidate}/web/bad.conf'")
			s.line("rescan 100ms")
			s.flag("--log-format", format, "--log-level", "debug")
			web := s.volume("web")
			web.swap(keys{"password": value + "1"})
			c := s.start(app()...)
			c.Says("ready", 1)
			web.swap(keys{"password": value + "2", "a.conf": value})
			c.Says("signal HUP", 1)
			web.swap(keys{"password": value + "3", "bad.conf": value})
			c.wantMentioned("candidate rejected", 1)
			web.swapRaw(keys{"a.conf": value}, func(dir string) error { return unix.Mkfifo(dir+"/password", 0o600) })
			c.wantMentioned("candidate rejected", 2)
			web.swapRaw(keys{"password": value}, func(dir string) error { return os.Symlink("/"+value, dir+"/"+"link.conf") })
			c.wantMentioned("candidate rejected", 3)
			web.swapRaw(keys{"password": value + "4"}, func(string) error { return nil })
			c.Says("signal HUP", 2)
			if c.Contains(value) {
				t.Error("a key's value was written out")
			}
			files, _ := filepath.Glob(s.state + "/*.json")
			for _, path := range files {
				if content, err := os.ReadFile(path); err != nil || strings.Contains(string(content), value) {
					t.Errorf("%q holds a key's value (%v)", path, err)
				}
			}
		})
	}
}

// wantMentioned waits until n lines hold a text, in whatever format.
func (c *confit) wantMentioned(text string, n int) {
	c.t.Helper()
	c.Eventually(text, func() bool {
		count := 0
		for _, line := range c.Texts("stderr", "") {
			if strings.Contains(line, text) {
				count++
			}
		}
		return count >= n
	})
}

// The copies of a volume in memory don't go to a disk: confit refuses and says what to mount, unless a flag allows it.
func TestSecrets_stay_in_memory(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.state = filepath.Join(diskDir(t), "state")
	memory := memoryDir(t)
	newVolume(t, memory).swap(keys{"password": "hunter2"})
	s.line("link %s/password %s", memory, s.target("password"))

	c := s.start(app()...)
	c.Ends(71)
	for _, hint := range []string{s.state, memory, "emptyDir", "medium: Memory", "--allow-disk"} {
		c.wantMention(hint)
	}
	c.wantCount("apps that ran", len(c.Texts("stdout", "")), 0)
	if copies, _ := filepath.Glob(s.state + "/generations/*"); len(copies) != 0 {
		t.Errorf("copies on disk: %q", copies)
	}

	s.flag("--allow-disk")
	c = s.start(app("-print", s.target("password"))...)
	c.Says("read hunter2", 1)
	c.Says("ready", 1)
}

// With the state in memory too, no flag is needed.
func TestSecrets_state_in_memory(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	memory := memoryDir(t)
	newVolume(t, memory).swap(keys{"password": "hunter2"})
	s.line("link %s/password %s", memory, s.target("password"))
	s.mkdir("state")
	s.box.Mounts = []harness.Mount{harness.Tmpfs(s.state, "mode=0777")}
	c := s.start(app("-print", s.target("password"))...)
	c.Says("read hunter2", 1)
	info, err := os.Stat(c.inside(s.state))
	if err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the state directory's mode is %v (%v), want it tightened to 0755", info.Mode(), err)
	}
}

// memoryDir is on the tmpfs that every Linux has at /dev/shm, diskDir where no Linux has one.
func memoryDir(t *testing.T) string {
	t.Helper()
	return dirOn(t, "/dev/shm", true)
}

func diskDir(t *testing.T) string {
	t.Helper()
	return dirOn(t, "/var/tmp", false)
}

func dirOn(t *testing.T, parent string, memory bool) string {
	t.Helper()
	var stat unix.Statfs_t
	if err := unix.Statfs(parent, &stat); err != nil || (stat.Type == unix.TMPFS_MAGIC) != memory {
		t.Fatalf("%q is in memory: want %v (%v)", parent, memory, err)
	}
	dir, err := os.MkdirTemp(parent, "confit-integration-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
