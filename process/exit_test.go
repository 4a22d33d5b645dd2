package process

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"golang.org/x/sys/unix"
)

func TestStartCode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		code int
	}{
		{fs.ErrNotExist, 127}, {unix.ENOENT, 127}, {unix.ENOTDIR, 127},
		{unix.EACCES, 126}, {unix.EPERM, 126}, {unix.ENOEXEC, 126}, {unix.ELOOP, 126}, {unix.E2BIG, 126},
		{unix.EAGAIN, 71}, {unix.ENOMEM, 71}, {unix.EMFILE, 71}, {unix.ENFILE, 71}, {unix.ETXTBSY, 71},
		{errors.New("anything else"), 126},
	} {
		for _, err := range []error{tt.err, startError("nginx", tt.err), fmt.Errorf("again: %w", startError("nginx", tt.err))} {
			if code := StartCode(err); code != tt.code {
				t.Errorf("%v: code %d, want %d", err, code, tt.code)
			}
		}
	}
}

// TestStartErrorHints: a name that no program can have says what was meant.
func TestStartErrorHints(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script(t, dir+"/dos", "#!/bin/sh\r\nexit 0\r\n", 0o755)
	script(t, dir+"/fine", "#! /bin/sh -e\nexit 0\n", 0o755)
	for name, want := range map[string]string{
		"sh": "", dir + "/fine": "",
		"nginx -t":   `cannot start "nginx -t": no such file or directory in PATH; this is one word: remove the quotes around it`,
		"--check":    `cannot start "--check": no such file or directory in PATH; write its path, or add it to the image`,
		"LEVEL=1":    `cannot start "LEVEL=1": no such file or directory in PATH; write its path, or add it to the image`,
		"cd":         `cannot start "cd": no such file or directory in PATH; write its path, or add it to the image`,
		"nothing":    `cannot start "nothing": no such file or directory in PATH; write its path, or add it to the image`,
		dir + "/dos": `cannot start "` + dir + `/dos": its first line names "/bin/sh\r": no such file or directory`,
		dir:          `cannot start "` + dir + `": permission denied; a program is a file with mode +x`,
	} {
		got := ""
		if err := Finder([]string{"PATH=/usr/bin:/bin"})(name); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
		}
	}
}

// TestFronts: a shell that would stay is found where the app's PATH has it.
func TestFronts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script(t, dir+"/start.sh", "#!/bin/sh\nset -e\ndaemon --here\n", 0o755)
	script(t, dir+"/good.sh", "#!/bin/sh\nset -e\nexec daemon --here\n", 0o755)
	fronts := Fronts([]string{"PATH=" + dir + ":/usr/bin:/bin"})
	for word, want := range map[string]string{"start.sh": "/bin/sh " + dir + "/start.sh", "good.sh": "", "nothing": "", dir + "/start.sh": "/bin/sh " + dir + "/start.sh"} {
		if got := fronts([]string{word, "argument"}); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
	if got := fronts([]string{"sh", "-c", "work; daemon 2>&1"}); got != "sh -c" {
		t.Errorf("sh -c: %q", got)
	}
}
