package linker

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// asNobody makes a process another user's, in a group of its own.
func asNobody() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

// TestMain plays the stranger, who is another user, if it is asked to.
func TestMain(m *testing.M) {
	if dir := os.Getenv("STRANGER"); dir != "" {
		stranger(dir, os.Getenv("VICTIM"))
	}
	if dir := os.Getenv("USURPER"); dir != "" {
		fmt.Println("ready")
		usurper(dir, os.Getenv("VICTIM"))
	}
	os.Exit(m.Run())
}

// stranger puts links to the victim in the place of all that confit makes in a
// directory of his, and of all that it may make, as fast as he can.
func stranger(dir, victim string) {
	fixed := []string{"live", "generations", "lock", "notify", "note.json", "targets.json", "trial", "status.json"}
	fmt.Println("ready")
	for n := 0; ; n++ {
		names := fixed
		if entries, err := os.ReadDir(dir); err == nil {
			for _, e := range entries {
				names = append(names, e.Name())
			}
		}
		for i, name := range names {
			path := filepath.Join(dir, name)
			to := []string{victim, "generations", "note.json", filepath.Dir(victim)}[(n+i)%4]
			switch (n + i) % 4 {
			case 0:
				_ = os.Rename(path, filepath.Join(dir, fmt.Sprint("taken", n%7)))
			case 1:
				_ = os.Remove(path)
			}
			_ = os.Symlink(to, path)
			if n%3 == 0 {
				_ = os.Remove(path)
			}
		}
	}
}

// TestStranger: in a directory of a user who puts links in the place of
// whatever confit makes, confit may fail to work, but changes nothing outside
// of it: no mode, no owner, no byte.
func TestStranger(t *testing.T) {
	h := newFixture(t, "web/ web/")
	h.must(os.MkdirAll(h.path("victims/dir"), 0o700))
	h.must(os.WriteFile(h.path("victims/a"), []byte("secret"), 0o600))
	h.must(os.Mkdir(h.path("state"), 0o755))
	h.must(os.Chown(h.path("state"), 65534, 65534))
	before := h.tree("victims")
	h.release("STRANGER=" + h.config.State)
	h.write("web", "a", "a1", "b", "b1")
	worked := 0
	for n := range often(300) {
		h.write("web", "a", fmt.Sprint(n), fmt.Sprint("key", n%3), "x")
		if h.hurry() {
			worked++
		}
		if got := h.tree("victims"); !maps.Equal(got, before) {
			t.Fatalf("start %d changed the victim:\n%v\nwas\n%v", n, got, before)
		}
	}
	t.Logf("%d of %d confits opened the directory", worked, often(300))
}

// often is how many times a test tries what chance decides: a tenth of them with -short, as make test has it.
func often(times int) int {
	if testing.Short() {
		return times / 10
	}
	return times
}

// release starts another user, and waits until he is at work.
func (h *fixture) release(role string) {
	h.Helper()
	for dir := h.dir; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		h.must(os.Chmod(dir, 0o755))
	}
	program, err := os.ReadFile("/proc/self/exe")
	h.must(err)
	h.must(os.WriteFile(h.path("stranger"), program, 0o755))
	ready, started, err := os.Pipe()
	h.must(err)
	defer ready.Close()
	c := exec.Command(h.path("stranger"))
	c.Env = []string{role, "VICTIM=" + h.path("victims/a")}
	c.Stdout, c.SysProcAttr = started, asNobody()
	h.must(c.Start())
	started.Close()
	h.Cleanup(func() { _ = unix.Kill(-c.Process.Pid, unix.SIGKILL); _ = c.Wait() })
	if _, err := ready.Read(make([]byte, 16)); err != nil {
		h.Fatal(err)
	}
}

// hurry goes through a confit's life, as far as it comes.
func (h *fixture) hurry() bool {
	opened, former, err := Open(h.checked())
	if err != nil {
		return false
	}
	h.begins(opened, former)
	defer h.close()
	_ = opened.WriteStatus([]byte("{}"))
	c, err := h.tryStage()
	if err == nil {
		err = opened.Publish(c.Number, false)
	}
	if err == nil {
		h.accepts(true)
		_ = opened.WriteNote(h.note)
	}
	_ = h.goBack()
	h.collect()
	opened.Close()
	return true
}
