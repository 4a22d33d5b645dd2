package confit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// swapsGo checks that a volume is linked, even over a file of the image, that a swap of it reloads the app, and that all is well
// then.
func (s *setup) swapsGo(owner int) *confit {
	s.t.Helper()
	web := s.volume("web")
	s.line("link web/a %s", s.target("a"))
	s.line("link web/sub/ %s/", s.target("sub"))
	s.line("link web/covering %s", s.write(s.path("covered"), "the image's"))
	s.line("reload signal:HUP")
	swap := func(text string) {
		s.t.Helper()
		web.swap(keys{"a": text, "sub/b": text, "covering": text})
		s.chown(web.dir, owner)
	}
	swap("first")
	for _, path := range []string{s.path("covered"), filepath.Dir(s.target("a"))} {
		s.mkdir("etc", "app")
		giveAway(s.t, path, s.box.UID)
	}
	c := s.start(app("-print", s.target("a")+","+s.target("sub/b")+","+s.path("covered"))...)
	c.Says("ready", 1)
	swap("second")
	c.Says("read second", 3)
	c.wantHealthy()
	return c
}

// wantHealthy waits until --status says that what is mounted is live.
func (c *confit) wantHealthy() {
	c.t.Helper()
	c.Eventually("--status ends with 0", func() bool {
		return exec.Command(programs.shipped, "--status", "--state", c.setup.state).Run() == nil
	})
}

// chown gives a tree to a user and group.
func (s *setup) chown(dir string, id int) {
	s.t.Helper()
	err := filepath.Walk(dir, func(path string, _ os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, id, id)
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// A rootless container may know a single user: files of others can't be given to them. Their copies are confit's.
func TestFiles_unmapped_owner(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.box.OneUser = true
	c := s.swapsGo(12345)
	if owners := harness.StatusField(c.Proc(), "Uid"); !strings.HasPrefix(owners, "0") {
		t.Errorf("confit's user is %q", owners)
	}
	info, err := os.Stat(s.target("a"))
	if st := info.Sys().(*syscall.Stat_t); err != nil || st.Uid != 0 || info.Mode() != 0o444 {
		t.Errorf("the copy is %v of user %d (%v)", info.Mode(), st.Uid, err)
	}
}

// A seccomp profile may refuse each system call on files, or a file system may lack it. confit works without it.
func TestFiles_refused_calls(t *testing.T) {
	t.Parallel()
	errnos := []syscall.Errno{unix.EPERM, unix.ENOSYS, unix.EOPNOTSUPP, unix.EINVAL}
	for name, calls := range map[string][]uint32{
		"chown":     {unix.SYS_FCHOWN, unix.SYS_FCHOWNAT},
		"fchmodat":  {unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2},
		"openat2":   {unix.SYS_OPENAT2},
		"renameat2": {unix.SYS_RENAMEAT2},
	} {
		for _, errno := range errnos {
			eachUser(t, name+"/"+unix.ErrnoName(errno), func(t *testing.T, s *setup) {
				s.box.Refused = harness.Refuse(errno, calls...)
				s.swapsGo(12345)
			})
		}
	}
}

// Where fchmodat2(2) is missing, too, confit gets at what is shut to its own user: what it makes under such a umask, and what a validator
// leaves in a candidate.
func TestFiles_refused_shut(t *testing.T) {
	for _, errno := range []syscall.Errno{unix.EPERM, unix.ENOSYS} {
		eachUser(t, unix.ErrnoName(errno), func(t *testing.T, s *setup) {
			s.box.Umask = 0o777
			s.box.Refused = harness.Refuse(errno, unix.SYS_FCHMODAT2)
			s.line(`validate sh -c 'chmod u+w "$1" && mkdir -p "$1/x/y" && chmod 0 "$1/x"' sh {candidate}`)
			s.swapsGo(12345).wantMention("removed what a hook left in its candidate")
		})
	}
}

// confit names what it can't work without: the call, or its purpose, and the cause.
func TestFiles_refused_needs(t *testing.T) {
	for name, test := range map[string]struct {
		call uint32
		want string
	}{
		"fchmod":  {unix.SYS_FCHMOD, "cannot use state directory"},
		"flock":   {unix.SYS_FLOCK, "cannot lock state directory"},
		"fstatfs": {unix.SYS_FSTATFS, "cannot tell whether volume"},
	} {
		for _, errno := range []syscall.Errno{unix.EPERM, unix.ENOSYS} {
			t.Run(name+"/"+unix.ErrnoName(errno), func(t *testing.T) {
				t.Parallel()
				s := newSetup(t)
				s.state = filepath.Join(diskDir(t), "state")
				s.box.Refused = harness.Refuse(errno, test.call)
				s.volume("web").swap(keys{"a": "first"})
				s.line("link web/a %s", s.target("a"))
				c := s.start(app()...)
				c.Ends(71)
				c.wantMention(test.want)
			})
		}
	}
}
