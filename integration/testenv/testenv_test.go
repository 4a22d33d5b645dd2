package testenv

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// roleVariable makes the test binary a suite that was started in a strange environment, and shows its children another one.
const roleVariable = "WORLD_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "":
		os.Exit(m.Run())
	case "suite":
		Enter()
	case "suite_as_root":
		EnterAsRoot()
	}
	os.Exit(suite())
}

// suite survives the signals that it was started to ignore, and has a child tell what it sees.
func suite() int {
	for _, sig := range []unix.Signal{unix.SIGHUP, unix.SIGINT} {
		_ = unix.Kill(os.Getpid(), sig)
	}
	cmd := exec.Command("bash", "-c", childsView)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Println(err)
	}
	if err := Leave(); err != nil {
		fmt.Println(err)
	}
	return 0
}

const childsView = `grep -E '^Sig(Blk|Ign)' /proc/self/status
echo umask $(umask), files $(ulimit -Sn), size $(ulimit -Sf), core $(ulimit -Sc), descriptor 7 $(ls -d /proc/$$/fd/7 2>&- || echo closed)
echo variables ${!CONFIT_*} $LANG $NOTIFY_SOCKET
dir=$(mktemp -d); stat -f -c 'on %T' $dir; echo in $TMPDIR
ls -A /dev/shm | wc -l`

// strange is what nohup, a CI's runner and a careless profile make of a process.
const strange = `umask 077; ulimit -Sn 99; ulimit -Sf 100000; exec 7</dev/null
exec env --ignore-signal=HUP,INT,CHLD,USR1,RTMAX --block-signal=TERM,USR2 CONFIT_RETRY=1s LANG=de NOTIFY_SOCKET=/x ` + roleVariable + `=%s "$0"`

func TestEnter(t *testing.T) {
	out := inStrangeWorld(t, "suite", t.TempDir())
	for _, want := range []string{
		"SigBlk:\t0000000000000000\n", "SigIgn:\t0000000000000000\n",
		"umask 0022, files 1024, size unlimited, core 0, descriptor 7 closed\n", "variables\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("a child of the suite doesn't see %q:\n%s", want, out)
		}
	}
}

// Even where the directory for temporary files is one that nobody else may enter, and /dev/shm is full of others' things.
func TestEnterAsRoot(t *testing.T) {
	tmp := t.TempDir()
	if err := os.Chmod(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	left, err := os.MkdirTemp("/dev/shm", "of-others-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Remove(left) }()
	out := inStrangeWorld(t, "suite_as_root", tmp)
	if !strings.Contains(out, "on tmpfs\nin /tmp/confit-testenv-") || !strings.HasSuffix(out, "\n0\n") {
		t.Errorf("a child of the suite sees:\n%s", out)
	}
	_, dir, _ := strings.Cut(out, "\nin ")
	dir, _, _ = strings.Cut(dir, "\n")
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%q is left behind: %v", dir, err)
	}
}

func inStrangeWorld(t *testing.T, role, tmp string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-c", fmt.Sprintf(strange, role), self)
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
