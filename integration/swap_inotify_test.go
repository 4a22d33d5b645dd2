package integration

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// inotifyUser has no other process, so that its share of inotify instances can be used up without harm to other tests.
const inotifyUser = 61234

// hog is the role that takes every inotify instance its user may have, and keeps them until its input ends.
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

// exhaustInotify leaves a user without inotify instances until the end of the test.
func exhaustInotify(t *testing.T, uid uint32) {
	t.Helper()
	cmd := exec.Command(programs.app)
	cmd.Env = []string{harness.RoleVariable + "=hog"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	greedy, err := harness.Accompany(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = greedy.End() })
	if err := greedy.Expect("full"); err != nil {
		t.Fatalf("the inotify instances of user %d are not used up: %v", uid, err)
	}
}

// Without inotify (128 instances for each user, shared by a whole node) the volumes are polled: one warning, all the rest
// as ever.
func TestInotify_exhausted(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	web := s.volume("web")
	web.swap(keys{"a": "first"})
	s.line("link web/a %s", s.target("a"))
	s.flag("--rescan", "200ms", "--reload", "signal:HUP")
	s.box.UID = inotifyUser
	giveAway(t, s.dir, inotifyUser)
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
	if warning["level"] != "WARN" || warning["error"] == "" {
		t.Errorf("the warning is %v, want level WARN and the error", warning)
	}
}

// giveAway makes a user the owner of a directory that confit works in as that user.
func giveAway(t *testing.T, dir string, uid int) {
	t.Helper()
	if err := os.Chown(dir, uid, uid); err != nil {
		t.Fatal(err)
	}
}
