package process

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// script writes a file that may be executed.
func script(t *testing.T, path, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestStartErrors: a program that can't be started is refused by name, with a
// shell's code, and leaves no child.
func TestStartErrors(t *testing.T) {
	alone(t, func(t *testing.T) {
		dir := t.TempDir()
		script(t, dir+"/data", "text", 0o644)
		script(t, dir+"/garbage", "\x7fELF", 0o755)
		script(t, dir+"/empty", "", 0o755)
		script(t, dir+"/archive", "PK\x03\x04\x00\n", 0o755)
		foreign(t, dir+"/foreign")
		script(t, dir+"/unloaded", unloaded(t), 0o755)
		script(t, dir+"/orphaned", "#!/nowhere/sh\n", 0o755)
		for name, want := range map[string]int{
			"no-such-program": 127, "": 127, dir + "/missing": 127, dir + "/data/x": 127, dir + "/orphaned": 127, dir + "/unloaded": 127,
			dir: 126, dir + "/data": 126, dir + "/garbage": 126, dir + "/empty": 126, dir + "/archive": 126, dir + "/foreign": 126,
		} {
			// Anybody may search this PATH. With one of root's, "not found" looks like "not allowed".
			pid, err := NewFamily().StartApp(Command{Args: []string{name}, Env: []string{"PATH=/usr/bin:/bin"}})
			if err == nil || pid != 0 || StartCode(err) != want {
				t.Errorf("%q: pid %d, %v, code %d, want %d", name, pid, err, StartCode(err), want)
				continue
			}
			if prefix := fmt.Sprintf("cannot start %q: ", name); !strings.HasPrefix(err.Error(), prefix) {
				t.Errorf("%q: the error is %q", name, err)
			}
			if said := Finder([]string{"PATH=/usr/bin:/bin"})(name); said == nil || said.Error() != err.Error() {
				t.Errorf("%q: before the start the error is %v, at the start %v", name, said, err)
			}
		}
		noChildren(t)
	})
}

// foreign makes a program for a machine that nobody has.
func foreign(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	text[elfMachine], text[elfMachine+1] = 0x12, 0x34
	script(t, path, string(text), 0o755)
}

// unloaded is a program whose loader is nowhere.
func unloaded(t *testing.T) string {
	t.Helper()
	f, err := os.Open("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	loader := loaderOf(f)
	if !strings.HasPrefix(loader, "/lib") {
		t.Fatalf("the loader of /bin/sh is %q", loader)
	}
	return strings.ReplaceAll(string(text), loader, strings.Replace(loader, "/lib", "/bil", 1))
}

// TestLoaders: what misses its loader is named by it, in 32 bits, too. What needs none, or isn't whole, is nobody's fault.
func TestLoaders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := `its loader is "/bil`
	if err := checkLoader(script(t, dir+"/unloaded", unloaded(t), 0o755)); !errors.Is(err, unix.ENOENT) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	short := make([]byte, 200)
	copy(short, "\x7fELF\x01")
	put := binary.NativeEndian
	put.PutUint32(short[28:], 60)     // the table
	put.PutUint16(short[42:], 32)     // an entry
	put.PutUint16(short[44:], 2)      // two of them
	put.PutUint32(short[60:], 6)      // another
	put.PutUint32(short[92:], 3)      // PT_INTERP
	put.PutUint32(short[92+4:], 190)  // its place
	put.PutUint32(short[92+16:], 400) // its size
	copy(short[190:], "/lib/ld\x00")
	if got := loaderOf(bytes.NewReader(short)); got != "/lib/ld" {
		t.Errorf("in 32 bits it is %q", got)
	}
	for n := range short {
		loaderOf(bytes.NewReader(short[:n])) // without a panic
	}
	for at := range short {
		odd := slices.Clone(short)
		odd[at] = 0xff
		loaderOf(bytes.NewReader(odd))
	}
	if err := checkLoader(script(t, dir+"/text", "text", 0o755)); err != nil {
		t.Error(err)
	}
}

// TestFormats: what is built for this machine, and what its kernel may run, too, isn't refused before the start.
func TestFormats(t *testing.T) {
	t.Parallel()
	own := firstBytes(self)
	for _, machines := range alsoRuns {
		if !runsHere(own) || [2]byte(own[elfMachine:elfEnd]) != machines[0] {
			continue
		}
		other := append([]byte{}, own...)
		copy(other[elfMachine:], machines[1][:])
		if !runsHere(other) {
			t.Errorf("a program of %v is refused on %v", machines[1], machines[0])
		}
	}
	dir := t.TempDir()
	for path, want := range map[string]error{
		self: nil, "/bin/sh": nil,
		script(t, dir+"/plain", "echo hello\n", 0o755):                          nil,
		script(t, dir+"/attached", "#!/bin/sh\ntail -n +3\n\x7fELF\x00", 0o755): nil,
		script(t, dir+"/empty", "", 0o755):                                      unix.ENOEXEC,
	} {
		if err := checkFormat(path); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
}

// TestScriptWithoutInterpreter: the shell runs such a script, as with execvp(3).
func TestScriptWithoutInterpreter(t *testing.T) {
	alone(t, func(t *testing.T) {
		n := newNursery(t)
		file := script(t, t.TempDir()+"/entrypoint", `test "$1 $2" = "a b c"`+"\nexit $((40 + $?))\n", 0o755)
		pid := n.app(file, "a", "b c")
		n.until("it has ended", func() bool { return len(n.ends) > 0 })
		n.wantEnd(pid, "exit 40")
	})
}

// TestStartedWithTheirOwn: a new process leads a group of its own, and gets its
// arguments, its environment and its directory.
func TestStartedWithTheirOwn(t *testing.T) {
	alone(t, func(t *testing.T) {
		n := newNursery(t)
		dir := t.TempDir()
		out, err := os.Create(dir + "/out")
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		args := shellScript(`read x < /proc/$$/stat; set -- $x "$@"; echo "$5"; pwd; echo "$A"; cat; readlink /proc/self/fd/0`)
		pid := n.hookOf(out, Command{Args: args, Env: []string{"A=b c", "PATH=" + os.Getenv("PATH")}, Dir: dir})
		n.until("it has ended", func() bool { return len(n.ends) > 0 })
		got, err := os.ReadFile(dir + "/out")
		if want := strings.Join([]string{strconv.Itoa(pid), dir, "b c", "/dev/null", ""}, "\n"); err != nil || string(got) != want {
			t.Errorf("got\n%s\nwant\n%s (%v)", got, want, err)
		}
	})
}

// TestAppOnOurOwnFiles: the app has confit's standard output, and no other file
// that confit has open.
func TestAppOnOurOwnFiles(t *testing.T) {
	alone(t, func(t *testing.T) {
		n := newNursery(t)
		r, w := pipe(t)
		back := swapStdout(t, w)
		app := n.app(shellScript(`for fd in 0 1 2 3 4 5 6 7 8 9; do test -e /proc/self/fd/$fd && printf $fd; done; exit 5`)...)
		back()
		got, err := io.ReadAll(r)
		if string(got) != "012" {
			t.Errorf("the app has %q, %v", got, err)
		}
		n.until("it has ended", func() bool { return len(n.ends) > 0 })
		n.wantEnd(app, "exit 5")
	})
}

// swapStdout puts w in the place of standard output until back is called.
func swapStdout(t *testing.T, w *os.File) (back func()) {
	t.Helper()
	kept, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	put := func(fd int) {
		if err := unix.Dup3(fd, 1, 0); err != nil {
			t.Fatal(err)
		}
	}
	put(int(w.Fd()))
	w.Close()
	return func() { put(kept) }
}
