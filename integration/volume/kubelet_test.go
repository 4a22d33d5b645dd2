package volume_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"confit/integration/volume"
)

// These tests hold integration/kubelet to its usage text. They are here, and not in its own module, so that one build of it
// serves them all.

func TestKubeletArguments(t *testing.T) {
	file, dir := filepath.Join(t.TempDir(), "value"), newVolume(t)
	if err := os.WriteFile(file, []byte("a=b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, nil, kubelet(t), "--mode", "0640", dir, "a.conf=x=y", "b.conf=@"+file, "sub/d:0600=", "c:444=@"+file)
	compareLines(t, "volume", regular(t, dir), []string{
		`-r--r--r-- /..NOW/c "a=b\n"`,
		`-rw------- /..NOW/sub/d ""`,
		`-rw-r----- /..NOW/a.conf "x=y"`,
		`-rw-r----- /..NOW/b.conf "a=b\n"`,
	})
	must(t, nil, kubelet(t), dir)
	compareLines(t, "volume", layout(t, dir), []string{`Lrwxrwxrwx /..data -> ..NOW`, `drwxr-xr-x /..NOW`})
}

func TestKubeletFrom(t *testing.T) {
	src, dir := newVolume(t), newVolume(t)
	for path, mode := range map[string]fs.FileMode{"a.conf": 0o600, "sub/deep/f": 0o400} {
		path = filepath.Join(src, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("1"), mode); err != nil {
			t.Fatal(err)
		}
	}
	must(t, nil, kubelet(t), "--from", src, dir)
	compareLines(t, "volume", regular(t, dir), []string{`-r-------- /..NOW/sub/deep/f "1"`, `-rw------- /..NOW/a.conf "1"`})

	if err := os.Symlink("a.conf", filepath.Join(src, "link")); err != nil {
		t.Fatal(err)
	}
	refused(t, 1, `cannot read the payload "`+src+`": "link" is not a regular file`, "--from", src, dir)
}

func TestKubeletStdin(t *testing.T) {
	dir := newVolume(t)
	lines := []string{
		`{"keys":{"a.conf":{"data":"1","mode":384},"sub/b":{"base64":"AAE="}}}`,
		`{"keys":{"a.conf":{"data":"1"},"../b":{"data":"1"}}}`,
		``,
		`{"keys":{"a.conf":{"data":"1","base64":"AAE="}}}`,
		`{"keys":{"a.conf":{}}}`,
		`{"keys":{"a.conf":{"data":"1","mode":512}}}`,
		`{"kesy":{}}`,
		`{}`,
		`{"keys":{}} {"keys":{}}`,
		`not JSON`,
	}
	status, out := run(t, []byte(strings.Join(lines, "\n")), nil, kubelet(t), "--stdin", dir)
	answers := slices.DeleteFunc(strings.Split(out, "\n"), func(line string) bool {
		return line != "ok" && !strings.HasPrefix(line, "error: cannot ")
	})
	if status != 1 || len(answers) != 9 || answers[0] != "ok" || slices.Contains(answers[1:], "ok") {
		t.Errorf("exit status %d, want 1, ok once and 8 errors\n%s", status, out)
	}
	compareLines(t, "volume", regular(t, dir), []string{`-rw------- /..NOW/a.conf "1"`, `-rw-r--r-- /..NOW/sub/b "\x00\x01"`})
}

// TestKubeletSwapsAtFullSpeed makes as many swaps as a test of staging may want, in one process.
func TestKubeletSwapsAtFullSpeed(t *testing.T) {
	const swaps = 1000
	dir := newVolume(t)
	var lines bytes.Buffer
	for n := range swaps {
		lines.Write(encode(t, numbered(10, n)))
	}
	began := time.Now()
	if out := must(t, lines.Bytes(), kubelet(t), "--stdin", dir); out != strings.Repeat("ok\n", swaps) {
		t.Errorf("answers differ from %d times ok:\n%s", swaps, out)
	}
	t.Logf("%d swaps of 10 keys took %s", swaps, time.Since(began).Round(time.Millisecond))
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 12 {
		t.Errorf("%d entries in the volume (%v), want 10 keys, ..data and what it names", len(entries), err)
	}
}

// TestKubeletFsGroup holds the three numbers of an fsGroup: the group, setgid and 0550 for directories, 0440 for files.
func TestKubeletFsGroup(t *testing.T) {
	group := os.Getgid() // the one that a user may give away files to
	if os.Getuid() == 0 {
		group = 4242
	}
	defer syscall.Umask(syscall.Umask(0o022)) // which the directories in a payload depend on
	dir := newVolume(t)
	must(t, nil, kubelet(t), dir, "old=1")
	must(t, nil, kubelet(t), "--fsgroup", fmt.Sprint(group), dir, "a:0600=1", "sub/d:0=1")
	compareLines(t, "volume", layout(t, dir), []string{
		`-r--r----- /..NOW/sub/d "1"`,
		`-rw-r----- /..NOW/a "1"`,
		`Lrwxrwxrwx /..data -> ..NOW`,
		`Lrwxrwxrwx /a -> ..data/a`,
		`Lrwxrwxrwx /sub -> ..data/sub`,
		`dgrwxr-xr-x /..NOW`,
		`dgrwxr-xr-x /..NOW/sub`,
	})
	for _, path := range []string{"", "..data/", "..data/a", "..data/sub", "..data/sub/d"} {
		info, err := os.Stat(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		if gid := info.Sys().(*syscall.Stat_t).Gid; gid != uint32(group) {
			t.Errorf("group of %q: %d, want %d", path, gid, group)
		}
	}
}

func TestKubeletRefuses(t *testing.T) {
	dir := newVolume(t)
	write(t, dir, volume.Strings("a.conf", "1"))
	before := layout(t, dir)
	tests := []struct {
		status int
		want   string
		args   []string
	}{
		{2, "no DIR given", nil},
		{2, "unknown flag: --bogus", []string{"--bogus", dir}},
		{2, `cannot use key "a.conf": no = in it`, []string{dir, "a.conf"}},
		{2, `cannot use key "a": mode "9": not an octal number`, []string{dir, "a:9=1"}},
		{2, `cannot use key "a": given twice`, []string{dir, "a=1", "a=2"}},
		{2, "mode 01777 is not within 0 and 0777", []string{"--mode", "1777", dir, "a=1"}},
		{2, "cannot use --fsgroup -1: below 0", []string{"--fsgroup", "-1", dir, "a=1"}},
		{2, "cannot use --from: --stdin is given too", []string{"--from", dir, "--stdin", dir}},
		{2, `cannot use key "a=1": --from or --stdin is given too`, []string{"--stdin", dir, "a=1"}},
		{1, `cannot read the value of key "a": open ` + dir + "/none: no such file", []string{dir, "a=@" + dir + "/none"}},
		{1, `cannot open the volume "` + dir + `/none": stat `, []string{dir + "/none", "a=1"}},
		{1, `cannot open the volume "` + dir + `/a.conf": not a directory`, []string{dir + "/a.conf", "a=1"}},
		{1, `cannot write the volume "` + dir + `": `, []string{dir, "../a=1"}},
	}
	for _, test := range tests {
		refused(t, test.status, test.want, test.args...)
	}
	compareLines(t, "volume", layout(t, dir), before)
}

// must runs a program that has to succeed, and returns its output.
func must(t *testing.T, stdin []byte, argv ...string) string {
	t.Helper()
	status, out := run(t, stdin, nil, argv...)
	if status != 0 {
		t.Fatalf("%q: exit status %d\n%s", argv, status, out)
	}
	return out
}

// refused runs the real writer, which has to fail with this status and message.
func refused(t *testing.T, want int, message string, args ...string) {
	t.Helper()
	status, out := run(t, nil, nil, append([]string{kubelet(t)}, args...)...)
	if status != want || !strings.Contains(out, "kubelet: cannot ") || !strings.Contains(out, message) {
		t.Errorf("%q: exit status %d, want %d and %q\n%s", args, status, want, message, out)
	}
}

// regular lists the regular files of a volume.
func regular(t *testing.T, dir string) []string {
	t.Helper()
	return slices.DeleteFunc(layout(t, dir), func(line string) bool { return line[0] != '-' })
}
