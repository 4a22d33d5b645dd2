package confit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// Events are only hints. These tests bring them in unusual numbers and orders; none has a rescan to help it.

// For a pod's fsGroup the kubelet changes owner and mode of everything in the volume before each swap, which makes a storm of
// events. One swap is one reload all the same, and the copies belong to the group.
func TestHint_fsgroup(t *testing.T) {
	t.Parallel()
	const group, swaps = 4321, 10
	s := newSetup(t)
	web := newVolume(t, s.mkdir("volumes", "web"), "--fsgroup", strconv.Itoa(group))
	s.line("link web/a %s", s.target("a"))
	s.line("link web/sub/ %s/", s.target("sub"))
	s.line("reload signal:HUP")
	payload := func(n int) keys {
		k := keys{"a": fmt.Sprintf("swap %d", n)}
		for i := range 20 {
			k[fmt.Sprintf("sub/%d", i)] = "same"
		}
		return k
	}
	web.swap(payload(0))
	c := s.start(app("-print", s.target("a"))...)
	c.Says("ready", 1)
	for n := 1; n <= swaps; n++ {
		web.swap(payload(n))
		c.Says(fmt.Sprintf("read swap %d", n), 1)
	}
	c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), swaps)
	info, err := os.Stat(s.target("a"))
	if err != nil || info.Sys().(*syscall.Stat_t).Gid != group {
		t.Errorf("the copy doesn't belong to the volume's group: %v", err)
	}
}

// While confit is stopped, more events come in than the kernel keeps (16,384). The swap is among those that the kernel drops.
func TestHint_overflow(t *testing.T) {
	t.Parallel()
	s, web := newReload(t, "signal:HUP")
	c := s.start(app("-print", s.target("a"))...)
	c.Says("ready", 1)
	c.Signal(syscall.SIGSTOP)
	for range 10000 { // two events each
		noise := filepath.Join(web.dir, "noise")
		if err := errors.Join(os.WriteFile(noise, nil, 0o644), os.Remove(noise)); err != nil {
			t.Fatal(err)
		}
	}
	web.swap(keys{"a": "second"})
	c.Signal(syscall.SIGCONT)
	c.Says("read second", 1)
	web.swap(keys{"a": "third"})
	c.Says("read third", 1)
	c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), 2)
}

// A swap that comes at any moment of confit's start isn't lost. WINCH does no harm to an app that has no handler for it yet. HUP
// would end this one, as the Go runtime catches it before the app does.
func TestHint_swap_during_start(t *testing.T) {
	t.Parallel()
	for n := range 20 {
		s := newSetup(t)
		web := s.volume("web")
		s.line("link web/a %s", s.target("a"))
		s.line("reload signal:WINCH")
		web.swap(keys{"a": "swap 0"})
		c := s.start(app("-reload", "WINCH", "-print", s.target("a"))...)
		for i := range n {
			web.swap(keys{"a": fmt.Sprintf("swap %d", i+1)})
		}
		c.Says(fmt.Sprintf("read swap %d", n), 1)
		c.Kill()
	}
}

// A volume that appears again after it was gone, with the directory above it.
func TestHint_parent_replaced(t *testing.T) {
	t.Parallel()
	s, _ := newReload(t, "signal:HUP")
	s.line("rescan 200ms")
	c := s.start(app("-print", s.target("a"))...)
	c.Says("ready", 1)
	if err := os.Rename(s.path("volumes"), s.path("volumes-away")); err != nil {
		t.Fatal(err)
	}
	c.wantRejected("stage", 1)
	web := s.volume("web")
	web.swap(keys{"a": "second"})
	c.Says("read second", 1)
}

// These users have no other process, so a test each can use up their inotify instances without harm to others.
const inotifyUser, otherInotifyUser = 61234, 61235

// hog is a part: it takes every inotify instance that its user may have, and keeps them until its input ends.
func hog() int {
	limit, err := os.ReadFile("/proc/sys/fs/inotify/max_user_instances")
	for taken := 0; err == nil; taken++ {
		_, err = unix.InotifyInit1(unix.IN_CLOEXEC)
		if errors.Is(err, unix.EMFILE) && fmt.Sprintln(taken) == string(limit) { // and it isn't the limit of open files
			fmt.Println("full")
			_, _ = io.Copy(io.Discard, os.Stdin)
			return 0
		}
	}
	fmt.Println(err)
	return 1
}

// exhaustInotify leaves a user without inotify instances until the end of the test, or until somebody calls free.
func exhaustInotify(t *testing.T, uid uint32) (free func()) {
	t.Helper()
	cmd := exec.Command(programs.app)
	cmd.Env = []string{harness.RoleVariable + "=hog"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	greedy, err := harness.Accompany(cmd)
	if err != nil {
		t.Fatal(err)
	}
	free = sync.OnceFunc(func() { _ = greedy.End() })
	t.Cleanup(free)
	if err := greedy.Expect("full"); err != nil {
		t.Fatalf("the inotify instances of user %d are not used up: %v", uid, err)
	}
	return free
}

// Without inotify (each user has 128 instances, shared by a whole node) confit polls the volumes, and logs one warning. All else
// is as ever.
func TestInotify_exhausted(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	web := s.linkOne()
	s.flag("--rescan", "200ms", "--reload", "signal:HUP")
	s.runAs(inotifyUser)
	exhaustInotify(t, inotifyUser)

	c := s.start(app("-print", s.target("a"))...)
	c.Says("ready", 1)
	for i, text := range []string{"second", "third", "fourth"} {
		web.swap(keys{"a": text})
		c.Says("read "+text, 1)
		c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), i+1)
	}
	c.wantLogged("polling instead of inotify", 1)
	warning := c.logs("polling instead of inotify", 1)
	if warning["level"] != "WARN" || warning["error"] == "" || !strings.Contains(warning["todo"], "raise fs.inotify.max_user_instances on the node") {
		t.Errorf("the warning is %v, want level WARN, the error and what to raise", warning)
	}
}

// A node without inotify instances gets some back. The status says so, although nothing else changes.
func TestInotify_works_again(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.linkOne()
	s.flag("--rescan", "200ms")
	s.runAs(otherInotifyUser)
	free := exhaustInotify(t, otherInotifyUser)
	c := s.start(app()...)
	c.Says("ready", 1)
	c.reports("polling", func(r report) bool { return r.quiet() && r.Volumes[0].Watched == "polling" })
	free()
	c.logs("inotify works again", 1)
	c.reports("watched", func(r report) bool { return r.quiet() && r.Volumes[0].Watched == "inotify" })
}

// The same with the watches of a user (fs.inotify.max_user_watches), or of a seccomp profile.
func TestInotify_refused(t *testing.T) {
	for errno, todo := range map[syscall.Errno]string{unix.ENOSPC: "raise fs.inotify.max_user_watches on the node", unix.EPERM: "lower --rescan to see them sooner"} {
		t.Run(unix.ErrnoName(errno), func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			web := s.linkOne()
			s.box.Refused = harness.Refuse(errno, unix.SYS_INOTIFY_ADD_WATCH)
			s.flag("--rescan", "200ms", "--reload", "signal:HUP")
			c := s.start(app("-print", s.target("a"))...)
			c.Says("ready", 1)
			if warning := c.logs("polling instead of inotify", 1); !strings.HasSuffix(warning["todo"], todo) {
				t.Errorf("the warning is %v, want the todo %q", warning, todo)
			}
			web.swap(keys{"a": "second"})
			c.Says("read second", 1)
		})
	}
}
